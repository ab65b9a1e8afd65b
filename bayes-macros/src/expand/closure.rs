//! Closures of the user's body, inlined into the surrounding code.
//!
//! The body is compiled once for each instruction set. A closure that is not inlined has only
//! the instructions that every processor has, and its operations on eight lanes become slow calls.

use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Token, parse_quote};

/// Marks the closures among the arguments of a call.
pub fn inline_arguments(arguments: &mut Punctuated<Expr, Token![,]>) {
    for argument in arguments {
        if let Expr::Closure(closure) = argument {
            closure.attrs.insert(0, inline());
        }
    }
}

/// Marks a closure that a `let` binds. The attribute may stand on the argument of a call only.
pub fn inline_bound(value: &mut Expr) {
    if let Expr::Closure(closure) = value {
        let mut closure = closure.clone();
        closure.attrs.insert(0, inline());
        *value = parse_quote!(::core::convert::identity(#closure));
    }
}

fn inline() -> Attribute {
    parse_quote!(#[inline(always)])
}
