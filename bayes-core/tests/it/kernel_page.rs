//! The table of kernels in `docs/settings.md` is written from the kernels: `BLESS=1` writes it again.

use bayes_core::kernel::{Kernel, by_name, names};
use std::path::Path;

const HEAD: &str =
    "| name | in Rust | engines | needs | settings of programs |\n|---|---|---|---|---|\n";

/// What the kernel can move, in words.
fn needs(kernel: &dyn Kernel) -> &'static str {
    match (kernel.needs_gradient(), kernel.needs_proper_prior()) {
        (true, _) => "gradients",
        (_, Some(_)) => "a prior",
        _ => "nothing",
    }
}

fn row(name: &str) -> String {
    let mut kernel = by_name(name).expect("the name is in the table");
    let debug = format!("{kernel:?}");
    let kind = debug.split(' ').next().expect("a split has a first part");
    let engines = match kernel.moves_together() {
        true => "chains, SMC",
        false => "chains",
    };
    let needs = needs(kernel.as_ref());
    let own = kernel.adjustable();
    let settings = [
        ("target_acceptance", own.target_acceptance.is_some()),
        ("mass", own.mass.is_some()),
        ("max_depth", own.max_depth.is_some()),
    ];
    let settings = settings.iter().filter(|(_, has)| *has);
    let settings: Vec<String> = settings.map(|(name, _)| format!("`{name}`")).collect();
    let settings = match settings.is_empty() {
        true => "–".to_owned(),
        false => settings.join(", "),
    };
    format!("| `{name}` | `{kind}::new()` | {engines} | {needs} | {settings} |\n")
}

#[test]
fn the_table_of_kernels_on_the_page_of_settings_is_the_table_in_the_code() {
    let wanted: String = std::iter::once(HEAD.to_owned())
        .chain(names().map(row))
        .collect();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
    let text = std::fs::read_to_string(&page).expect("the page is there");
    let start = text.find(HEAD).expect("the page has the head of the table");
    let end = text[start..]
        .find("\n\n")
        .map_or(text.len(), |length| start + length + 1);
    if std::env::var_os("BLESS").is_some() {
        let blessed = format!("{}{wanted}{}", &text[..start], &text[end..]);
        return std::fs::write(&page, blessed).expect("the page can be written");
    }
    assert_eq!(
        &text[start..end],
        wanted,
        "`BLESS=1` writes the table of kernels again"
    );
}
