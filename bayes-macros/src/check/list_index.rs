//! Lists of places as an index: `theta[group]`, as in other languages.

use super::random::{is_random, without_parentheses};
use super::scope::Scope;
use crate::messages;
use crate::report::Report;
use crate::text::text_of;
use syn::{Expr, ExprIndex, GenericArgument, PathArguments, Type};

/// A list argument as the index of random values. Other indices are left to rustc's type errors, which name no data.
pub fn index(expression: &ExprIndex, scope: &Scope, report: &mut Report) {
    let is_tuple = matches!(*expression.index, Expr::Tuple(_));
    if is_tuple || !is_random(&expression.expr, scope) {
        return;
    }
    let index = without_parentheses(&expression.index);
    let list = match index {
        Expr::Reference(inner) => without_parentheses(&inner.expr),
        other => other,
    };
    let Expr::Path(path) = list else { return };
    let is_list = path.path.get_ident().map(ToString::to_string);
    if !is_list.is_some_and(|name| scope.is_list(&name)) {
        return;
    }
    let (base, list) = (text_of(&expression.expr), text_of(list));
    report.at(
        index,
        messages::list_index(
            &list,
            &format!("{base}.at(&{list})"),
            &format!("{base}[{list}[i]]"),
        ),
    );
}

/// Whether a type is a list of whole numbers: `&[usize]`, `Vec<u64>`, `&[usize; 8]`.
pub fn is_list(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => is_list(&reference.elem),
        Type::Paren(inner) => is_list(&inner.elem),
        Type::Group(inner) => is_list(&inner.elem),
        Type::Slice(slice) => is_whole(&slice.elem),
        Type::Array(array) => is_whole(&array.elem),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else {
                return false;
            };
            let PathArguments::AngleBracketed(arguments) = &last.arguments else {
                return false;
            };
            let mut arguments = arguments.args.iter();
            last.ident == "Vec"
                && arguments.all(|a| matches!(a, GenericArgument::Type(ty) if is_whole(ty)))
        }
        _ => false,
    }
}

/// Whether a type is a whole number.
pub fn is_whole(ty: &Type) -> bool {
    const WHOLE: [&str; 6] = ["usize", "u64", "u32", "i64", "i32", "u8"];
    matches!(ty, Type::Path(path) if WHOLE.iter().any(|name| path.path.is_ident(name)))
}
