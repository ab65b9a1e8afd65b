//! What `generate` draws exists after the run only, so no other statement may use it.
//!
//! What is missed here is found when the model is validated: until the run is done, such a value is NaN.

use super::scope::{Nature, Scope};
use crate::messages;
use crate::report::Report;
use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Expr, ExprPath};

/// Reports a generated quantity in an argument of another statement.
pub fn used(argument: &Expr, word: &str, scope: &Scope, report: &mut Report) {
    if let Some(name) = within(argument, scope) {
        report.at(&name, messages::uses_generated(word, &name.to_string()));
    }
}

/// The first name of a generated quantity in an expression.
pub fn within(expression: &Expr, scope: &Scope) -> Option<Ident> {
    let mut finder = Finder { scope, found: None };
    finder.visit_expr(expression);
    finder.found
}

struct Finder<'s> {
    scope: &'s Scope,
    found: Option<Ident>,
}

impl Visit<'_> for Finder<'_> {
    fn visit_expr_path(&mut self, path: &ExprPath) {
        if let Some(name) = path.path.get_ident()
            && self.scope.nature(&name.to_string()) == Some(Nature::Generated)
        {
            self.found.get_or_insert_with(|| name.clone());
        }
        visit::visit_expr_path(self, path);
    }
}
