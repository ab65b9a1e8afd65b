//! Capabilities of the model: a gradient, a Gaussian reference measure.

use super::implement;
use super::program::Program;
use crate::ast::ModelFn;
use proc_macro2::TokenStream;
use quote::quote;

/// Both marker traits, unless a random value is discrete.
pub fn capabilities(model: &ModelFn<'_>, program: &Program) -> TokenStream {
    if program.has_discrete {
        TokenStream::new()
    } else {
        both(model)
    }
}

/// Both marker traits.
pub fn both(model: &ModelFn<'_>) -> TokenStream {
    let nothing = TokenStream::new();
    let gradient = implement(model, &quote!(::bayes::__private::Differentiable), &nothing);
    let reference = implement(
        model,
        &quote!(::bayes::__private::GaussianReference),
        &nothing,
    );
    quote!(#gradient #reference)
}
