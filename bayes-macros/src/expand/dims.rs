//! The named dimensions of the statements.

use super::program::bindings;
use crate::ast::ModelFn;
use crate::dims::{Dim, Part};
use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

/// The method `dims`, if a statement has the mark.
pub fn dims(model: &ModelFn<'_>, statements: &[(usize, Vec<Dim>)]) -> TokenStream {
    if statements.is_empty() {
        return TokenStream::new();
    }
    let bindings = bindings(model);
    let each = statements
        .iter()
        .map(|(statement, dims)| one(model, *statement, dims));
    quote_spanned! {Span::mixed_site()=>
        #[allow(unused_variables)]
        fn dims(&self) -> ::std::vec::Vec<::bayes::__private::StatementDims> {
            #bindings
            ::core::convert::From::from([#(#each),*])
        }
    }
}

fn one(model: &ModelFn<'_>, statement: usize, dims: &[Dim]) -> TokenStream {
    let rows = model.arguments.iter().filter(|argument| argument.has_rows);
    let of_rows = rows
        .map(|argument| argument.name)
        .any(|name| dims.iter().any(|dim| dim.uses(name)));
    // known values share their name with what else observes the data
    let is_loose = |dim: &Dim| matches!(dim.part, Some(Part::Known(_))) && dim.places.is_none();
    let is_part = dims.iter().any(is_loose);
    let statement = Literal::usize_unsuffixed(statement);
    let rows = match dims.iter().find_map(|dim| dim.rows.as_ref()) {
        Some(rows) => quote!(::core::option::Option::Some(#rows)),
        None => quote!(::core::option::Option::None),
    };
    let dims = dims.iter().map(dim);
    quote! {
        ::bayes::__private::StatementDims {
            statement: #statement,
            dims: ::core::convert::From::from([#(#dims),*]),
            of_rows: #of_rows,
            is_part: #is_part,
            rows: #rows,
        }
    }
}

fn dim(
    Dim {
        name, places, part, ..
    }: &Dim,
) -> TokenStream {
    let text = name.unraw().to_string();
    let dim = quote!(::bayes::__private::Dim);
    match (part, places) {
        (None, None) => quote!(#dim::new(#text, #name)),
        (None, Some(places)) => quote!(#dim::new(#text, #places)),
        (Some(Part::Known(data)), None) => quote!(#dim::known(#text, #data)),
        (Some(Part::Known(data)), Some(names)) => quote!(#dim::known_of(#text, #data, #names)),
        (Some(Part::Missing(data)), None) => quote!(#dim::missing(#text, #data)),
        (Some(Part::Missing(data)), Some(names)) => quote!(#dim::missing_of(#text, #data, #names)),
    }
}
