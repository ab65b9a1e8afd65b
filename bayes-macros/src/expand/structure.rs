//! The model's type: its data, and `Debug` as its name.

use super::{implement, inherited};
use crate::ast::{Binding, ModelFn};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Attribute, Type};

/// `struct name { data }` with its `Debug`.
pub fn structure(model: &ModelFn<'_>) -> TokenStream {
    let ModelFn {
        visibility,
        name,
        generics,
        ..
    } = model;
    let (docs, inherited) = (docs(model.attributes), inherited(model.attributes));
    let bounds = &generics.where_clause;
    let derives = derives(model);
    let fields = model.arguments.iter().map(|argument| {
        let (name, ty) = (argument.name, &argument.ty);
        quote!(#name: #ty)
    });
    let debug = debug(model);
    // Spans at the name, so that rustc reports errors of the type there.
    let declaration = quote_spanned!(name.span()=> struct #name #generics #bounds { #(#fields),* });
    quote! {
        #(#docs)*
        #(#inherited)*
        #derives
        #[allow(non_camel_case_types, missing_docs, clippy::type_complexity)]
        #visibility #declaration
        #debug
    }
}

fn docs(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
}

/// References and numbers can always be copied. Among types held by value, only the usual ones are known to be `Clone`.
fn derives(model: &ModelFn<'_>) -> TokenStream {
    if model
        .arguments
        .iter()
        .all(|argument| argument.binding == Binding::Copied)
    {
        quote!(#[derive(::core::clone::Clone, ::core::marker::Copy)])
    } else if model
        .arguments
        .iter()
        .all(|a| a.binding == Binding::Copied || is_clone(&a.ty))
    {
        quote!(#[derive(::core::clone::Clone)])
    } else {
        TokenStream::new()
    }
}

fn is_clone(ty: &Type) -> bool {
    const CONTAINERS: [&str; 3] = ["Vec", "DVector", "DMatrix"];
    const ELEMENTS: [&str; 9] = [
        "bool", "f64", "f32", "usize", "u64", "u32", "i64", "i32", "String",
    ];
    let Type::Path(path) = ty else { return false };
    let Some(last) = path.path.segments.last() else {
        return false;
    };
    match &last.arguments {
        syn::PathArguments::None => ELEMENTS.iter().any(|name| last.ident == name),
        syn::PathArguments::AngleBracketed(arguments) => {
            CONTAINERS.iter().any(|name| last.ident == name)
                && arguments
                    .args
                    .iter()
                    .all(|a| matches!(a, syn::GenericArgument::Type(ty) if is_clone(ty)))
        }
        syn::PathArguments::Parenthesized(_) => false,
    }
}

fn debug(model: &ModelFn<'_>) -> TokenStream {
    let name = model.name.to_string();
    let method = quote! {
        fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            formatter.debug_struct(#name).finish_non_exhaustive()
        }
    };
    implement(model, &quote!(::core::fmt::Debug), &method)
}
