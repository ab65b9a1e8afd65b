//! The `#[model]` attribute of `bayes`; its documentation is at the re-export, `bayes::model`.
//!
//! The steps: `parse` builds the macro's own tree, `check` applies the rules and collects
//! every mistake in a `report`, `expand` writes the model's items, and `fallback` writes replacements
//! for them if there are mistakes, so that there are no further errors.

mod ast;
mod attribute;
mod catalogue;
mod check;
mod distribution;
mod expand;
mod fallback;
mod lifetimes;
mod messages;
mod methods;
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
