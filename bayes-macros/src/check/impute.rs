//! Rules about `impute`: its data are an argument, because the names of the missing values are computed from it.

use super::dims::no_argument;
use super::random::is_random;
use super::scope::Scope;
use super::statement::{is_censored, is_construction};
use crate::ast::{Call, Verb};
use crate::dims::{is_mark, parse};
use crate::distribution::is_discrete;
use crate::messages;
use crate::report::Report;
use crate::text::text_of;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprIndex};

/// The arguments: data with gaps, and the distribution of a value. `name` is the name of the quantity.
pub fn arguments(call: Call<'_>, name: Option<&str>, scope: &Scope, report: &mut Report) {
    let arguments: Vec<&Expr> = call.call.args.iter().collect();
    let [data, distribution] = arguments[..] else {
        return report.at(call.word, messages::impute_count(arguments.len()));
    };
    if is_construction(data) && !is_construction(distribution) {
        let [data, distribution] = [distribution, data].map(text_of);
        let name = name.unwrap_or("x");
        return report.at(
            arguments[0],
            messages::impute_swapped(name, &distribution, &data),
        );
    }
    if is_discrete(distribution, &[]) {
        report.at(
            distribution,
            messages::impute_discrete(&text_of(distribution)),
        );
    }
    if is_censored(distribution, scope) {
        report.at(distribution, messages::impute_censored());
    }
    if is_random(data, scope) {
        report.at(data, messages::impute_random(&text_of(data)));
    }
}

/// The data and their place; `is_in_loop` says whether a loop is around the statement.
pub fn data(call: Call<'_>, is_in_loop: bool, scope: &Scope, report: &mut Report) {
    let Some(data) = call.call.args.first().filter(|_| call.verb == Verb::Impute) else {
        return;
    };
    if is_in_loop {
        return report.at(call.word, messages::impute_in_loop());
    }
    if call.call.args.len() != 2 || is_construction(data) || is_random(data, scope) {
        return;
    }
    if let Some(name) = no_argument(data, scope) {
        let message = messages::impute_no_argument(&name.to_string(), &text_of(data));
        return report.at(data, message);
    }
    let mut ranges = Ranges(None);
    ranges.visit_expr(data);
    if let Some(part) = ranges.0 {
        report.at(part, messages::impute_part(&text_of(part)));
    }
}

/// The mark `#[dims(..)]` names the rows.
pub fn marks(attributes: &[Attribute], call: Call<'_>, report: &mut Report) {
    let marks = attributes.iter().filter(|_| call.verb == Verb::Impute);
    for mark in marks.filter(|attribute| is_mark(attribute)) {
        if parse(mark).is_ok_and(|dims| dims.len() > 1) {
            report.at(mark, messages::impute_dims());
        }
    }
}

/// The first `x[1..]` in an expression.
struct Ranges<'a>(Option<&'a Expr>);

impl<'a> Visit<'a> for Ranges<'a> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Index(ExprIndex { index, .. }) = expression
            && matches!(&**index, Expr::Range(_))
        {
            self.0.get_or_insert(expression);
        }
        visit::visit_expr(self, expression);
    }
}
