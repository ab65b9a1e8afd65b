//! Readable expansions of typical models: `BLESS=1 cargo test -p bayes-macros` writes them again.

use crate::{derive_row_data, expand_function, expand_model};
use proc_macro2::TokenStream;
use std::path::Path;

/// Compares the expansion of `snapshots/name.rs` with `snapshots/name.expanded.rs`.
fn expansion_is_kept(name: &str, expand: fn(TokenStream) -> TokenStream) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    let source = std::fs::read_to_string(folder.join(format!("{name}.rs"))).unwrap();
    let item = source.parse::<TokenStream>().unwrap();
    let file = syn::parse2(expand(item)).unwrap();
    let expanded = prettyplease::unparse(&file);
    let path = folder.join(format!("{name}.expanded.rs"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &expanded).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expanded == kept,
        "the expansion of {name} changed; read it, then keep it with BLESS=1:\n{expanded}"
    );
}

fn model(item: TokenStream) -> TokenStream {
    expand_model(TokenStream::new(), item)
}

#[test]
fn eight_schools() {
    expansion_is_kept("eight_schools", model);
}

#[test]
fn credit() {
    expansion_is_kept("credit", model);
}

#[test]
fn arrivals() {
    expansion_is_kept("arrivals", model);
}

#[test]
fn autoregression() {
    expansion_is_kept("autoregression", model);
}

#[test]
fn classes() {
    expansion_is_kept("classes", model);
}

#[test]
fn imputation() {
    expansion_is_kept("imputation", model);
}

#[test]
fn mistaken() {
    expansion_is_kept("mistaken", model);
}

#[test]
fn rows() {
    expansion_is_kept("rows", model);
}

#[test]
fn survey() {
    expansion_is_kept("survey", derive_row_data);
}

#[test]
fn runge_kutta() {
    expansion_is_kept("runge_kutta", |item| {
        expand_function(TokenStream::new(), item)
    });
}
