//! A distribution as the user wrote it: `Name::constructor(parameters)`, perhaps followed by `.iid(n)`.

use crate::catalogue::{self, Known};
use syn::{Expr, ExprCall, Ident};

/// A constructor call of some type.
#[derive(Clone, Copy)]
pub struct Construction<'a> {
    /// The type's name.
    pub name: &'a Ident,
    /// The constructor's name.
    pub constructor: &'a Ident,
    /// The call.
    pub call: &'a ExprCall,
}

impl<'a> Construction<'a> {
    /// The constructor call at the root of `expression`, inside method calls, references and parentheses.
    pub fn at_root(expression: &'a Expr) -> Option<Self> {
        let Expr::Call(call) = root(expression) else {
            return None;
        };
        let Expr::Path(function) = &*call.func else {
            return None;
        };
        let path = &function.path;
        if path.segments.len() != 2 || path.leading_colon.is_some() || function.qself.is_some() {
            return None;
        }
        Some(Self {
            name: &path.segments[0].ident,
            constructor: &path.segments[1].ident,
            call,
        })
    }

    /// The distribution of this name, if the macro knows it.
    pub fn known(&self) -> Option<&'static Known> {
        catalogue::find(&self.name.to_string())
    }
}

/// The expression inside method calls, references and parentheses.
pub fn root(expression: &Expr) -> &Expr {
    match expression {
        Expr::MethodCall(call) => root(&call.receiver),
        Expr::Reference(reference) => root(&reference.expr),
        Expr::Paren(inner) => root(&inner.expr),
        Expr::Group(inner) => root(&inner.expr),
        other => other,
    }
}

/// Whether the values of a distribution are whole numbers; `locals` are names bound to such distributions.
///
/// A mixture is discrete if one of its components is. An unknown distribution counts as continuous;
/// the type system reports an error if it is not.
pub fn is_discrete(expression: &Expr, locals: &[String]) -> bool {
    match root(expression) {
        Expr::Path(path) => path
            .path
            .get_ident()
            .is_some_and(|name| locals.iter().any(|l| name == l)),
        Expr::Array(array) => array.elems.iter().any(|e| is_discrete(e, locals)),
        Expr::Tuple(tuple) => tuple.elems.iter().any(|e| is_discrete(e, locals)),
        Expr::Call(call) => match Construction::at_root(expression) {
            Some(construction) if construction.name == "Mixture" => call
                .args
                .iter()
                .any(|argument| is_discrete(argument, locals)),
            Some(construction) => construction.known().is_some_and(|known| known.discrete),
            None => false,
        },
        _ => false,
    }
}
