//! The pages of public reports cite tests: each must exist where it is said to be.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The names of tests in all Rust files below a folder, with the files that have them.
fn tests(folder: &Path, found: &mut BTreeMap<String, Vec<PathBuf>>) {
    let entries = std::fs::read_dir(folder).expect("it is a folder");
    for entry in entries {
        let path = entry.expect("it can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                tests(&path, found);
            }
        } else if name.ends_with(".rs") {
            let text = std::fs::read_to_string(&path).expect("it is text");
            let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
            let names = (1..lines.len()).filter_map(|k| {
                let rest = lines[k].strip_prefix("fn ")?;
                let is_test = lines[..k]
                    .iter()
                    .rev()
                    .take_while(|line| line.starts_with("#["));
                let is_test = is_test.into_iter().any(|line| line.starts_with("#[test]"));
                is_test.then(|| rest.split(['(', '<']).next().map(str::to_owned))?
            });
            for name in names {
                found.entry(name).or_default().push(path.clone());
            }
        }
    }
}

/// The tests that a page cites, as module and name: `module::name`, and `::name` for another one of the same module.
fn cited(page: &str) -> Vec<(String, String)> {
    let mut module = String::new();
    let mut found = Vec::new();
    for span in page.split('`').skip(1).step_by(2) {
        let is_path = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_:".contains(c);
        let Some((before, name)) = span.rsplit_once("::").filter(|_| span.chars().all(is_path))
        else {
            continue;
        };
        if !before.is_empty() {
            before.clone_into(&mut module);
        }
        // a name of the library has fewer words
        if name.matches('_').count() >= 3 {
            found.push((module.clone(), name.to_owned()));
        }
    }
    found
}

/// Whether a file is the module: its name, or the name of a folder.
fn is_in(path: &Path, module: &str) -> bool {
    let last = module.split("::").filter(|part| *part != "tests").last();
    let last = last.unwrap_or_default();
    let mut parts = path.iter().map(|part| part.to_string_lossy());
    parts.any(|part| part.strip_suffix(".rs").unwrap_or(&part) == last)
}

/// Would detect a test that is renamed or removed while a page still cites it.
#[test]
fn tests_that_pages_cite_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = root.ancestors().nth(2).expect("it is in tests/it");
    let mut known = BTreeMap::new();
    tests(root, &mut known);
    let pages = [
        include_str!("../../experiments/reports.md"),
        include_str!("../../experiments/reports_more.md"),
    ];
    let all: Vec<(String, String)> = pages.iter().flat_map(|page| cited(page)).collect();
    assert!(all.len() > 80, "{}", all.len());
    let is_there = |module: &str, name: &str| {
        let paths = known.get(name);
        paths.is_some_and(|paths| paths.iter().any(|path| is_in(path, module)))
    };
    let missing: Vec<&(String, String)> = all
        .iter()
        .filter(|(module, name)| !is_there(module, name))
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}
