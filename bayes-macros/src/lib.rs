//! The attributes of `bayes`; their documentation is at the re-exports, `bayes::model` and `bayes::function`.
//!
//! The steps: `parse` builds the macro's own tree, `check` applies the rules and collects every mistake in a `report`, and `expand`
//! writes the model's items. If there are mistakes, `fallback` writes replacements for these items, so that no further errors follow.

#![forbid(unsafe_code)]

mod ast;
mod attribute;
mod catalogue;
mod check;
mod dims;
mod distribution;
mod expand;
mod fallback;
mod lifetimes;
mod main_function;
mod marks;
mod messages;
mod methods;
mod nearest;
mod parse;
mod python_module;
mod report;
#[cfg(test)]
mod snapshots;
mod sum;
mod text;
mod types;

use attribute::{derive_row_data, expand_function, expand_model};

/// Turns a function into a Bayesian model.
#[proc_macro_attribute]
pub fn model(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand_model(attribute.into(), item.into()).into()
}

/// Makes a function of random values callable from a model.
#[proc_macro_attribute]
pub fn function(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand_function(attribute.into(), item.into()).into()
}

/// Data with rows: `RowData` for a struct with some fields marked `#[rows]`.
#[proc_macro_derive(RowData, attributes(rows))]
pub fn row_data(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive_row_data(item.into()).into()
}

/// `fn main` of a program for a model; `bayes::main!` passes the call on with the name of its crate.
#[proc_macro]
pub fn main_function(call: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let call = syn::parse_macro_input!(call as main_function::Call);
    let function = main_function::main_function(&call);
    function
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// The module of Python of models.
#[proc_macro]
pub fn python(call: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let call = syn::parse_macro_input!(call as python_module::Call);
    // the file that Python loads has the name of the crate
    let name = std::env::var("CARGO_CRATE_NAME").unwrap_or_default();
    python_module::python_module(&call, &name).into()
}
