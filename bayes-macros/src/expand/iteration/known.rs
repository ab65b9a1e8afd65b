//! What the macro knows of types, functions, methods and macros by their names.

use super::super::names::is_modal;
use crate::catalogue;
use crate::methods;
use crate::parse::is_primitive;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, Ident, Path, PathArguments, Type};

/// Methods of containers and iterators that write to nothing and whose type follows from the receiver's.
const STRUCTURAL: [&str; 28] = [
    "chunks",
    "chunks_exact",
    "clone",
    "cloned",
    "column",
    "columns",
    "copied",
    "enumerate",
    "first",
    "get",
    "into_iter",
    "is_empty",
    "iter",
    "last",
    "len",
    "ncols",
    "nrows",
    "peekable",
    "rev",
    "row",
    "rows",
    "skip",
    "step_by",
    "take",
    "to_vec",
    "unwrap",
    "windows",
    "zip",
];

/// The same, but the caller's wishes decide the type.
const COLLECTING: [&str; 10] = [
    "chain", "collect", "filter", "flat_map", "fold", "map", "product", "sum", "unzip", "zip_with",
];

/// What a method does with its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Computes with it.
    Arithmetic,
    /// Gives a part of it or a view on it.
    Structural,
    /// Makes something new of its elements.
    Collecting,
    /// Writes to it, as its name says.
    Writing,
    /// Not known.
    Other,
}

/// What is known of the method `name`.
pub fn method(name: &Ident) -> Method {
    let among = |names: &[&str]| names.iter().any(|known| name == known);
    if shares_state(&name.to_string()) {
        Method::Writing
    } else if methods::computes(name) {
        Method::Arithmetic
    } else if among(&STRUCTURAL) {
        Method::Structural
    } else if among(&COLLECTING) {
        Method::Collecting
    } else {
        Method::Other
    }
}

/// Whether a function computes with its arguments and keeps none: constructors of random values and distributions, and
/// the functions of the prelude.
pub fn is_arithmetic(function: &Path) -> bool {
    if function.leading_colon.is_some() {
        return false;
    }
    let mut names = function.segments.iter().map(|s| &s.ident);
    match (names.next(), names.next(), names.next()) {
        (Some(name), None, _) => name == "dot" || name == "log_sum_exp",
        (Some(head), Some(_), None) => {
            is_modal(head) || is_primitive(head) || catalogue::find(&head.to_string()).is_some()
        }
        _ => false,
    }
}

/// Whether a function makes a container out of its arguments, which it keeps.
pub fn is_container(function: &Path) -> bool {
    let names: Vec<String> = function
        .segments
        .iter()
        .map(|s| s.ident.to_string())
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    matches!(
        names.as_slice(),
        ["Some" | "Ok"] | ["Vec", "new" | "with_capacity" | "from"]
    )
}

/// What is known of a macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invocation {
    /// `vec!`.
    Container,
    /// Its arguments are expressions that it only looks at.
    Looks,
    /// Not known.
    Other,
}

/// What is known of the macro `path`.
pub fn invocation(path: &Path) -> Invocation {
    const LOOKING: [&str; 14] = [
        "assert",
        "assert_eq",
        "assert_ne",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
        "eprint",
        "eprintln",
        "format",
        "panic",
        "print",
        "println",
        "todo",
        "unreachable",
    ];
    match path.get_ident() {
        Some(name) if name == "vec" => Invocation::Container,
        Some(name) if LOOKING.iter().any(|known| name == known) => Invocation::Looks,
        _ => Invocation::Other,
    }
}

/// Whether a type has no room for a random value.
pub fn is_data(ty: &Type) -> bool {
    holds(ty, &|name| is_primitive(name) || is_container_of(name))
}

/// Whether a type is made of numbers and random values only, and cannot be written to through a shared reference.
pub fn is_plain(ty: &Type) -> bool {
    holds(ty, &|name| {
        is_primitive(name) || is_container_of(name) || is_modal(name)
    })
}

fn is_container_of(name: &Ident) -> bool {
    const CONTAINERS: [&str; 7] = [
        "Vec", "Option", "Box", "String", "str", "DMatrix", "DVector",
    ];
    CONTAINERS.iter().any(|container| name == container)
}

/// Whether every name in a type is among those allowed, and no reference in it is mutable.
fn holds(ty: &Type, allowed: &dyn Fn(&Ident) -> bool) -> bool {
    match ty {
        Type::Path(path) if path.qself.is_none() && path.path.segments.len() == 1 => {
            let last = &path.path.segments[0];
            let arguments = match &last.arguments {
                PathArguments::None => true,
                PathArguments::AngleBracketed(list) => list.args.iter().all(
                    |argument| matches!(argument, GenericArgument::Type(ty) if holds(ty, allowed)),
                ),
                PathArguments::Parenthesized(_) => false,
            };
            arguments && allowed(&last.ident)
        }
        Type::Reference(inner) => inner.mutability.is_none() && holds(&inner.elem, allowed),
        Type::Slice(inner) => holds(&inner.elem, allowed),
        Type::Array(inner) => holds(&inner.elem, allowed),
        Type::Tuple(tuple) => tuple.elems.iter().all(|ty| holds(ty, allowed)),
        Type::Paren(inner) => holds(&inner.elem, allowed),
        Type::Group(inner) => holds(&inner.elem, allowed),
        _ => false,
    }
}

/// Whether a name among `tokens` speaks of a mutable reference or of a cell.
pub fn mentions_state(tokens: impl ToTokens) -> bool {
    fn search(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(name) => shares_state(&name.to_string()),
            TokenTree::Group(group) => search(group.stream()),
            TokenTree::Punct(_) | TokenTree::Literal(_) => false,
        })
    }
    search(tokens.to_token_stream())
}

fn shares_state(name: &str) -> bool {
    let word = name.split('_').any(|word| word == "mut");
    word || ["Cell", "Mutex", "RwLock", "Atomic"]
        .iter()
        .any(|part| name.contains(part))
}
