//! From the tree to the model's items, one file for each.

mod capabilities;
mod constructor;
mod counters;
mod description;
mod dims;
mod function;
mod impute;
mod index;
mod invocation;
mod literals;
mod names;
mod origins;
mod program;
mod rereads;
mod row_data;
mod rows;
mod structure;

pub use capabilities::all as all_capabilities;
pub use constructor::constructor;
pub use function::function;
pub use origins::observed_names;
pub use row_data::row_data;
pub use rows::stub as rows_stub;
pub use structure::structure;

use crate::ast::ModelFn;
use proc_macro2::{Ident, Span, TokenStream};
use program::Program;
pub use program::{bound_name, name_of_data};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Meta};

/// All code that `#[model]` writes.
pub fn model(model: &ModelFn<'_>) -> TokenStream {
    let structure = structure(model);
    let constructor = constructor(model);
    let program = Program::of(model);
    let implementation = implementation(model, &program);
    let rows = model.has_rows().then(|| rows::rows(model, &program));
    let capabilities = capabilities::capabilities(model, &program);
    quote!(#structure #constructor #implementation #rows #capabilities)
}

/// Only the method `program`.
pub fn program(model: &ModelFn<'_>) -> TokenStream {
    Program::of(model).method(model)
}

/// `impl Model for name`.
fn implementation(model: &ModelFn<'_>, program: &Program) -> TokenStream {
    let description = description::description(model, &program.statements);
    let dims = dims::dims(model, &program.dims);
    let method = if model.has_rows() {
        program::method(&rows::call_with_own_data(model))
    } else {
        program.method(model)
    };
    // At the name, because rustc reports there if data cannot be shared between threads.
    let which = quote_spanned!(model.name.span()=> ::bayes::__private::Model);
    let rereads = rereads::rereads(model);
    let forward = model.is_forward.then(|| {
        quote! {
            fn forward(&self) -> ::core::option::Option<&dyn ::bayes::__private::InDualNumbers> {
                ::core::option::Option::Some(self)
            }
            fn forward_of<Changed: ::bayes::__private::Model>(
                changed: &Changed,
            ) -> ::core::option::Option<&dyn ::bayes::__private::InDualNumbers> {
                ::core::option::Option::Some(changed)
            }
        }
    });
    implement(
        model,
        &which,
        &quote!(#description #rereads #dims #forward #method),
    )
}

/// `impl name { #items }`, generics and attributes included.
pub fn implement_own(model: &ModelFn<'_>, items: &TokenStream) -> TokenStream {
    block(model, &TokenStream::new(), items)
}

/// `impl #which for name { #items }`, generics and attributes included.
pub fn implement(model: &ModelFn<'_>, which: &TokenStream, items: &TokenStream) -> TokenStream {
    let which = quote_spanned!(model.name.span()=> #which for);
    block(model, &which, items)
}

fn block(model: &ModelFn<'_>, which: &TokenStream, items: &TokenStream) -> TokenStream {
    let inherited = inherited(model.attributes);
    let name = model.name;
    let (for_impl, for_type, bounds) = model.generics.split_for_impl();
    // Spans at the name, so that rustc reports errors of the item there.
    let header = quote_spanned!(name.span()=> impl #for_impl #which #name #for_type #bounds);
    let body = quote_spanned!(name.span()=> { #items });
    quote!(#(#inherited)* #header #body)
}

/// The attributes of the function that apply to every generated item: conditions and lint levels.
pub fn inherited(attributes: &[Attribute]) -> impl Iterator<Item = Attribute> {
    const INHERITED: [&str; 6] = ["cfg", "allow", "expect", "warn", "deny", "forbid"];
    attributes
        .iter()
        .filter(|attribute| INHERITED.iter().any(|name| attribute.path().is_ident(name)))
        .map(spread)
}

/// An attribute copied to several items: `expect` on one of them becomes `allow` on all.
pub fn spread(attribute: &Attribute) -> Attribute {
    let mut attribute = attribute.clone();
    if let Meta::List(list) = &mut attribute.meta
        && list.path.is_ident("expect")
    {
        list.path = Ident::new("allow", list.path.span()).into();
    }
    attribute
}

/// The interpreter's name in the generated method; hygiene hides it from the user's code.
pub fn context(span: Span) -> impl ToTokens {
    Ident::new("__context", Span::mixed_site().located_at(span))
}
