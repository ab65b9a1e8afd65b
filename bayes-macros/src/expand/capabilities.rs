//! Capabilities of the model: no params, a gradient, a Gaussian reference measure, a Gaussian prior.

use super::implement;
use super::program::Program;
use crate::ast::ModelFn;
use proc_macro2::TokenStream;
use quote::quote;

/// The marker traits of a model without params, of a model without discrete random values, and of a model with only Gaussian priors.
pub fn capabilities(model: &ModelFn<'_>, program: &Program) -> TokenStream {
    let sampled = match program.has_param {
        true => TokenStream::new(),
        false => marker(model, &quote!(AllSampled)),
    };
    if program.has_discrete {
        return sampled;
    }
    let gaussian = match program.has_other_prior {
        true => TokenStream::new(),
        false => marker(model, &quote!(GaussianPrior)),
    };
    let continuous = continuous(model);
    quote!(#sampled #continuous #gaussian)
}

/// All marker traits.
pub fn all(model: &ModelFn<'_>) -> TokenStream {
    let sampled = marker(model, &quote!(AllSampled));
    let (continuous, gaussian) = (continuous(model), marker(model, &quote!(GaussianPrior)));
    quote!(#sampled #continuous #gaussian)
}

fn continuous(model: &ModelFn<'_>) -> TokenStream {
    let gradient = marker(model, &quote!(Differentiable));
    let reference = marker(model, &quote!(GaussianReference));
    quote!(#gradient #reference)
}

fn marker(model: &ModelFn<'_>, name: &TokenStream) -> TokenStream {
    implement(
        model,
        &quote!(::bayes::__private::#name),
        &TokenStream::new(),
    )
}
