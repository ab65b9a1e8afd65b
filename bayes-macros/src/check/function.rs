//! Rules about functions of random values.

use super::scope::{Nature, Scope, holds_only_random};
use super::walk;
use crate::messages;
use crate::report::Report;
use crate::types::is_random_name;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, ItemFn, Pat, Signature, Type};

/// The rules about a function: its signature, then its body.
pub fn function(function: &ItemFn, report: &mut Report) {
    signature(&function.sig, report);
    walk::function(function, report);
}

fn signature(signature: &Signature, report: &mut Report) {
    let name = &signature.ident;
    if let Some(word) = &signature.constness {
        report.at(word, messages::function_qualifier("const", name));
    }
    if let Some(word) = &signature.asyncness {
        report.at(word, messages::function_qualifier("async", name));
    }
    if !names_a_random_type(signature.to_token_stream()) {
        report.at(name, messages::function_of_data(name));
    }
}

/// Binds the arguments: their types determine which parts are random.
pub fn bind_arguments(signature: &Signature, scope: &mut Scope) {
    let generic: Vec<String> = signature
        .generics
        .type_params()
        .map(|parameter| parameter.ident.to_string())
        .collect();
    for input in &signature.inputs {
        if let FnArg::Typed(typed) = input {
            bind(&typed.pat, &typed.ty, &generic, scope);
        }
    }
}

/// Binds a pattern whose value has the type `ty`, part by part.
fn bind(pattern: &Pat, ty: &Type, generic: &[String], scope: &mut Scope) {
    match (pattern, ty) {
        (Pat::Paren(inner), _) => bind(&inner.pat, ty, generic, scope),
        (_, Type::Paren(inner)) => bind(pattern, &inner.elem, generic, scope),
        (_, Type::Group(inner)) => bind(pattern, &inner.elem, generic, scope),
        (Pat::Reference(inner), Type::Reference(reference)) => {
            bind(&inner.pat, &reference.elem, generic, scope);
        }
        (Pat::Tuple(_) | Pat::Slice(_), Type::Reference(reference)) => {
            bind(pattern, &reference.elem, generic, scope);
        }
        (Pat::Tuple(parts), Type::Tuple(types)) if parts.elems.len() == types.elems.len() => {
            for (part, ty) in parts.elems.iter().zip(&types.elems) {
                bind(part, ty, generic, scope);
            }
        }
        _ => scope.bind_pattern(pattern, nature(ty, generic)),
    }
}

fn nature(ty: &Type, generic: &[String]) -> Nature {
    if holds_only_random(ty) {
        Nature::Random
    } else if may_hold_random(ty.to_token_stream(), generic) {
        Nature::Other
    } else {
        Nature::Data
    }
}

/// Whether a type may contain a random value: it names one, or is unknown here.
fn may_hold_random(ty: TokenStream, generic: &[String]) -> bool {
    mentions(ty, &|name| {
        is_random_name(name)
            || ["impl", "dyn", "Self"].contains(&name)
            || generic.iter().any(|known| known == name)
    })
}

fn names_a_random_type(tokens: TokenStream) -> bool {
    mentions(tokens, &is_random_name)
}

fn mentions(tokens: TokenStream, wanted: &dyn Fn(&str) -> bool) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(name) => wanted(&name.to_string()),
        TokenTree::Group(group) => mentions(group.stream(), wanted),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
