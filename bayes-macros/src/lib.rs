//! The `#[model]` attribute of `bayes`; its documentation is at the re-export, `bayes::model`.
//!
//! The way of a model: `parse` builds the macro's own tree, `check` applies the rules and pushes
//! every mistake into a `report`, `expand` writes the model's items, and `fallback` writes stand-ins
//! for them where something is wrong, so that no mistake echoes.

mod ast;
mod attribute;
mod catalogue;
mod check;
mod distribution;
mod expand;
mod fallback;
mod lifetimes;
mod messages;
mod nearest;
mod parse;
mod report;
#[cfg(test)]
mod snapshots;
mod text;

use attribute::expand_model;

/// Turns a function into a Bayesian model.
#[proc_macro_attribute]
pub fn model(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand_model(attribute.into(), item.into()).into()
}
