//! What patterns bind, and what they ask of the value that they take apart.

use super::known;
use super::nature::{Nature, Origin, Use};
use syn::visit::{self, Visit};
use syn::{Expr, Pat, PatIdent, Type};

/// The names that `pattern` binds to parts of a value of this origin.
pub fn natures(pattern: &Pat, origin: Origin) -> Vec<(String, Nature)> {
    let origin = match pattern {
        Pat::Type(typed) => annotated(&typed.ty, origin),
        _ => origin,
    };
    let mut bound = Bound {
        origin,
        names: Vec::new(),
    };
    bound.visit_pat(pattern);
    bound.names
}

/// How a value is used by taking it apart: `ref mut` makes it a place to write to.
pub fn matched(pattern: &Pat) -> Use {
    let written = |(_, nature): &(String, Nature)| *nature == Nature::Outlet;
    if natures(pattern, Origin::Data).iter().any(written) {
        Use::Place
    } else {
        Use::Value
    }
}

/// The origin of a value whose type is written down.
fn annotated(ty: &Type, origin: Origin) -> Origin {
    if known::is_data(ty) {
        Origin::Data
    } else if known::is_plain(ty) {
        Origin::Known
    } else if known::mentions_state(ty) {
        Origin::Writer
    } else {
        origin
    }
}

struct Bound {
    origin: Origin,
    names: Vec<(String, Nature)>,
}

impl<'ast> Visit<'ast> for Bound {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        let is_mutable = pattern.mutability.is_some();
        let nature = if pattern.by_ref.is_some() && is_mutable {
            Nature::Outlet
        } else {
            Nature::of(self.origin, is_mutable)
        };
        self.names.push((pattern.ident.to_string(), nature));
        visit::visit_pat_ident(self, pattern);
    }

    // A guard's own names are not the pattern's.
    fn visit_expr(&mut self, _: &'ast Expr) {}
}
