//! Quantities from `generate` exist only after the run, so no other statement may use them.
//!
//! Validation finds the cases that these rules miss: it runs the model with different values of the generated quantities.

use super::scope::{Nature, Scope};
use crate::messages;
use crate::report::Report;
use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprClosure, ExprMethodCall, ExprPath};

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

/// Methods whose result does not depend on the values of a quantity.
const SIZES: [&str; 4] = ["len", "is_empty", "nrows", "ncols"];

impl Visit<'_> for Finder<'_> {
    fn visit_expr_method_call(&mut self, call: &ExprMethodCall) {
        if !SIZES.iter().any(|method| call.method == method) {
            visit::visit_expr_method_call(self, call);
        }
    }

    // names inside may be its own; validation finds missed cases
    fn visit_expr_closure(&mut self, _: &ExprClosure) {}

    fn visit_block(&mut self, _: &Block) {}

    fn visit_expr_path(&mut self, path: &ExprPath) {
        if let Some(name) = path.path.get_ident()
            && self.scope.nature(&name.to_string()) == Some(Nature::Generated)
        {
            self.found.get_or_insert_with(|| name.clone());
        }
        visit::visit_expr_path(self, path);
    }
}
