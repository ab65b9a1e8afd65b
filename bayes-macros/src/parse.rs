//! From `syn`'s function to the macro's own tree.

use crate::ast::{Argument, Binding, ModelFn};
use crate::lifetimes;
use crate::marks;
use crate::text;
use proc_macro2::{TokenStream, TokenTree};
use syn::{Error, FnArg, Ident, Item, ItemFn, Pat, PatType, Token, Type};

/// The function that has an attribute; `otherwise` describes the mistake if the item is not a function.
pub fn function(item: &TokenStream, otherwise: fn() -> String) -> syn::Result<ItemFn> {
    match syn::parse2(item.clone())? {
        Item::Fn(function) => Ok(function),
        _ => Err(Error::new_spanned(keyword(item), otherwise())),
    }
}

/// The word that gives the kind of an item: the first one after attributes and visibility.
fn keyword(item: &TokenStream) -> TokenStream {
    let words = item
        .clone()
        .into_iter()
        .filter(|token| matches!(token, TokenTree::Ident(_)));
    words
        .into_iter()
        .find(|word| word.to_string() != "pub")
        .map_or_else(|| item.clone(), Into::into)
}

/// The model in `function`, of `#[model(forward)]` if `is_forward`. Arguments that are not plain `name: Type` are left out; the rules of
/// [`crate::check`] report them.
pub fn model(function: &ItemFn, is_forward: bool) -> ModelFn<'_> {
    let mut generics = function.sig.generics.clone();
    let arguments = function
        .sig
        .inputs
        .iter()
        .filter_map(|input| {
            let (name, typed) = named(input)?;
            let ty = lifetimes::name_elided(&typed.ty, name, &mut generics);
            Some(Argument {
                name,
                binding: binding(&ty),
                has_rows: marks::has_rows(&typed.attrs),
                ty,
            })
        })
        .collect();
    if generics.lt_token.is_none() {
        // rustc points at the type from its first token to its last, so these tokens get the name's span too.
        let span = function.sig.ident.span();
        generics.lt_token = Some(Token![<](span));
        generics.gt_token = Some(Token![>](span));
    }
    ModelFn {
        is_forward,
        attributes: &function.attrs,
        visibility: &function.vis,
        name: &function.sig.ident,
        generics,
        arguments,
        body: &function.block,
        source: text::source_of(function),
    }
}

/// The name and type of an argument written `name: Type`.
pub fn named(input: &FnArg) -> Option<(&Ident, &PatType)> {
    let FnArg::Typed(typed) = input else {
        return None;
    };
    let Pat::Ident(pattern) = &*typed.pat else {
        return None;
    };
    let plain =
        pattern.by_ref.is_none() && pattern.mutability.is_none() && pattern.subpat.is_none();
    plain.then_some((&pattern.ident, typed))
}

fn binding(ty: &Type) -> Binding {
    match ty {
        Type::Reference(_) => Binding::Copied,
        Type::Paren(inner) => binding(&inner.elem),
        Type::Group(inner) => binding(&inner.elem),
        Type::Path(path) if path.path.get_ident().is_some_and(is_primitive) => Binding::Copied,
        _ => Binding::Borrowed,
    }
}

/// Whether `name` is the name of a number type, `bool` or `char`.
fn is_primitive(name: &Ident) -> bool {
    const PRIMITIVES: [&str; 16] = [
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16",
        "u32", "u64", "u128", "usize",
    ];
    PRIMITIVES.iter().any(|primitive| name == primitive)
}
