//! The attribute as a function of tokens, which tests and fuzz targets can call too.

use crate::report::Report;
use crate::{check, expand, fallback, messages, parse};
use proc_macro2::TokenStream;

/// The whole macro: items for `item`, the function under `#[model(attribute)]`.
pub fn expand_model(attribute: TokenStream, item: TokenStream) -> TokenStream {
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
