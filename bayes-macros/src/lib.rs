//! The `#[model]` attribute of `bayes`; its documentation is at the re-export, `bayes::model`.
//!
//! The way of a model: `parse` builds the macro's own tree, `check` applies the rules and pushes
//! every mistake into a `report`, `expand` writes the model's items, and `fallback` writes stand-ins
//! for them where something is wrong, so that no mistake echoes.

mod ast;
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

use proc_macro2::TokenStream;
use report::Report;

/// Turns a function into a Bayesian model.
#[proc_macro_attribute]
pub fn model(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand_model(attribute.into(), item.into()).into()
}

/// The whole macro, on tokens that tests can make too.
fn expand_model(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    if !attribute.is_empty() {
        report.at(&attribute, messages::takes_no_options());
    }
    let function = match parse::function(&item) {
        Ok(function) => function,
        Err(error) => return fallback::not_a_function(item, &error),
    };
    let signature_is_right = check::signature(&function, &mut report);
    if !signature_is_right {
        check::body(&function, &mut report);
        return fallback::without_a_type(&function, report);
    }
    let model = parse::model(&function);
    check::body(&function, &mut report);
    if report.is_empty() {
        expand::model(&model)
    } else {
        fallback::stub(&model, report)
    }
}
