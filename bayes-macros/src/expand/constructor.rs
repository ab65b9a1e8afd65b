//! The function that users call with their data.

use super::spread;
use crate::ast::ModelFn;
use proc_macro2::TokenStream;
use quote::quote;

/// `fn name(data) -> name`.
pub fn constructor(model: &ModelFn<'_>) -> TokenStream {
    let ModelFn {
        attributes,
        visibility,
        name,
        generics,
        ..
    } = model;
    let (_, for_type, bounds) = generics.split_for_impl();
    let names: Vec<_> = model
        .arguments
        .iter()
        .map(|argument| argument.name)
        .collect();
    let attributes = attributes.iter().map(spread);
    let types = model.arguments.iter().map(|argument| &argument.ty);
    quote! {
        #(#attributes)*
        #[allow(clippy::needless_lifetimes, clippy::too_many_arguments)]
        #visibility fn #name #generics (#(#names: #types),*) -> #name #for_type #bounds {
            #name { #(#names),* }
        }
    }
}
