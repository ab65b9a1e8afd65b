//! The attributes as functions of tokens, for tests and fuzz targets too.

use crate::report::Report;
use crate::{check, expand, fallback, messages, parse};
use proc_macro2::TokenStream;
use quote::ToTokens;

/// `#[model]`: items for `item`, the function under `#[model(attribute)]`.
pub fn expand_model(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let is_forward = attribute.to_string() == "forward";
    if !attribute.is_empty() && !is_forward {
        report.at(&attribute, messages::unknown_option());
    }
    let function = match parse::function(&item, messages::not_a_function) {
        Ok(function) => function,
        Err(error) => return fallback::not_a_function(item, &error),
    };
    let signature_is_right = check::signature(&function, &mut report);
    if !signature_is_right {
        check::body(&function, &mut report);
        return fallback::without_a_type(&function, report);
    }
    let model = parse::model(&function, is_forward);
    check::body(&function, &mut report);
    if report.is_empty() {
        expand::model(&model)
    } else {
        fallback::stub(&model, report)
    }
}

/// `#[function]`: `item` for any mode of arithmetic.
pub fn expand_function(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    if !attribute.is_empty() {
        report.at(&attribute, messages::function_takes_no_options());
    }
    let function = match parse::function(&item, messages::function_on_another_item) {
        Ok(function) => function,
        Err(error) => return fallback::not_a_function(item, &error),
    };
    check::function(&function, &mut report);
    let expanded = expand::function(&function);
    if report.is_empty() {
        expanded.to_token_stream()
    } else {
        fallback::function(expanded, report)
    }
}

/// `#[derive(RowData)]`: the implementation for `item`.
pub fn derive_row_data(item: TokenStream) -> TokenStream {
    let input = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let mut report = Report::default();
    let implementation = expand::row_data(&input, &mut report);
    let errors = report.into_tokens();
    quote::quote!(#errors #implementation)
}
