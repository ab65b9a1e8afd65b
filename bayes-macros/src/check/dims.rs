//! Rules about `#[dims(..)]`.

use super::scope::{Nature, Scope};
use crate::ast::{Call, Verb};
use crate::dims::{is_mark, parse};
use crate::messages;
use crate::report::Report;
use proc_macro2::Ident;
use syn::visit::Visit;
use syn::{Attribute, Expr, ExprClosure, ExprPath};

/// The mark among the attributes of a statement must belong to a quantity or to data, and must name arguments.
pub fn marks(attributes: &[Attribute], call: Option<Call<'_>>, scope: &Scope, report: &mut Report) {
    let marks = || attributes.iter().filter(|attribute| is_mark(attribute));
    for again in marks().skip(1) {
        report.at(again, messages::dims_form());
    }
    for mark in marks().take(1) {
        if call.is_none_or(|call| call.verb == Verb::Factor) {
            report.at(mark, messages::dims_of_no_statement());
            continue;
        }
        let Ok(dims) = parse(mark) else {
            report.at(mark, messages::dims_form());
            continue;
        };
        for places in dims.iter().filter_map(|dim| dim.places.as_ref()) {
            if let Some(name) = no_argument(places, scope) {
                report.at(&name, messages::dims_of_no_argument(&name));
            }
        }
        for dim in dims.iter().filter(|dim| dim.places.is_none()) {
            if scope.nature(&dim.name.to_string()) != Some(Nature::Data) {
                report.at(&dim.name, messages::dims_of_no_argument(&dim.name));
            }
        }
    }
}

/// The first name in an expression that is bound in the body, and so is not an argument.
pub fn no_argument(places: &Expr, scope: &Scope) -> Option<Ident> {
    let mut finder = Finder { scope, found: None };
    finder.visit_expr(places);
    finder.found
}

struct Finder<'s> {
    scope: &'s Scope,
    found: Option<Ident>,
}

impl Visit<'_> for Finder<'_> {
    fn visit_expr_path(&mut self, path: &ExprPath) {
        if let Some(name) = path.path.get_ident() {
            let nature = self.scope.nature(&name.to_string());
            if nature.is_some_and(|nature| nature != Nature::Data) {
                self.found.get_or_insert_with(|| name.clone());
            }
        }
    }

    // a closure has its own names
    fn visit_expr_closure(&mut self, _: &ExprClosure) {}
}
