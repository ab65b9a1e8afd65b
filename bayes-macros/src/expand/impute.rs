//! `let x = impute(data, distribution);` is two statements: the known values are observed, the missing ones are drawn.

use super::bound_name;
use crate::ast::{Call, Verb};
use crate::dims::{Dim, Part};
use proc_macro2::Ident;
use quote::format_ident;
use syn::ext::IdentExt;
use syn::{Expr, Stmt};

/// The dimensions of both statements, if this is the statement with the index `first`; `marked` are the user's, which name the rows.
pub fn dims(
    first: usize,
    statement: &Stmt,
    marked: Option<&[Dim]>,
) -> Option<[(usize, Vec<Dim>); 2]> {
    let Stmt::Local(local) = statement else {
        return None;
    };
    let call = Call::from_expr(&local.init.as_ref()?.expr)?;
    let data = call
        .call
        .args
        .first()
        .filter(|_| call.verb == Verb::Impute)?;
    let name = bound_name(&local.pat)?.unraw();
    let rows = marked.and_then(<[Dim]>::first);
    let dim = |what: &str, part: fn(Expr) -> Part| Dim {
        name: format_ident!("{name}_{what}"),
        places: rows.map(places),
        part: Some(part(data.clone())),
        rows: rows.map(|rows| rows.name.unraw().to_string()),
    };
    Some([
        (first, vec![dim("known", Part::Known)]),
        (first + 1, vec![dim("gap", Part::Missing)]),
    ])
}

/// The expression of the names of all rows.
fn places(rows: &Dim) -> Expr {
    let argument = |name: &Ident| syn::parse_quote!(#name);
    rows.places.clone().unwrap_or_else(|| argument(&rows.name))
}
