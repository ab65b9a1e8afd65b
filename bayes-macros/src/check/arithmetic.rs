//! Rules about arithmetic with random values: mistakes that rustc would explain in terms of types, or would miss.

use super::free_function;
use super::random::{is_iterator, is_random, without_parentheses, yields_random};
use super::scope::{Nature, Scope};
use crate::distribution::Construction;
use crate::messages;
use crate::methods::OTHER_NAMES;
use crate::report::Report;
use crate::text::text_of;
use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{BinOp, Expr, ExprBinary, ExprMethodCall, ExprPath, Lit, Local, Macro, Pat, UnOp};

/// Methods for probabilities of plain numbers, and their counterparts for random values.
const PROBABILITIES: &[(&str, &str)] = &[
    ("cdf", "log_cdf_at"),
    ("log_cdf", "log_cdf_at"),
    ("sf", "log_sf_at"),
    ("log_sf", "log_sf_at"),
];

/// The rules that hold for any expression.
pub fn expression(expression: &Expr, scope: &Scope, report: &mut Report) {
    match expression {
        Expr::Binary(binary) => {
            accumulated(binary, scope, report);
            whole_number(binary, scope, report);
            summed(&binary.left, scope, report);
            summed(&binary.right, scope, report);
        }
        Expr::Assign(assignment) => {
            into_number(&assignment.left, &assignment.right, scope, report);
        }
        Expr::Call(call) => {
            free_function::called(call, scope, report);
            if Construction::of(call).is_some_and(|c| c.known().is_some()) {
                call.args
                    .iter()
                    .for_each(|argument| summed(argument, scope, report));
            }
        }
        Expr::MethodCall(call) => {
            named_elsewhere(call, scope, report);
            probability(call, scope, report);
            read(call, scope, report);
        }
        Expr::Path(path) => read_by_path(path, report),
        _ => {}
    }
}

/// Whether `expression` is a literal number; a name bound to it is a plain number.
pub fn is_number(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Float(_) | Lit::Int(_)),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && is_number(&unary.expr),
        Expr::Paren(inner) => is_number(&inner.expr),
        _ => false,
    }
}

/// `let total = z.iter().sum();`: the type of the sum is unknown.
pub fn bound_sum(local: &Local, scope: &Scope, report: &mut Report) {
    if let (Pat::Ident(_), Some(init)) = (&local.pat, &local.init) {
        summed(&init.expr, scope, report);
    }
}

/// `total += mu` where `total` began as a number.
fn accumulated(binary: &ExprBinary, scope: &Scope, report: &mut Report) {
    use BinOp::{AddAssign, DivAssign, MulAssign, SubAssign};
    if matches!(
        binary.op,
        AddAssign(_) | SubAssign(_) | MulAssign(_) | DivAssign(_)
    ) {
        into_number(&binary.left, &binary.right, scope, report);
    }
}

/// `1 / tau`: rustc would list the types that can be divided by a random value.
fn whole_number(binary: &ExprBinary, scope: &Scope, report: &mut Report) {
    if !is_calculation(&binary.op) {
        return;
    }
    let sides = [(&binary.left, &binary.right), (&binary.right, &binary.left)];
    for (number, other) in sides {
        if let Expr::Lit(literal) = without_parentheses(number)
            && let Lit::Int(whole) = &literal.lit
            // `1f64` has a float suffix, but the parser sees a whole number with a suffix
            && !whole.suffix().starts_with('f')
            && is_random(other, scope)
        {
            let message = messages::whole_number(&whole.to_string(), whole.base10_digits());
            report.at(whole, message);
        }
    }
}

/// Whether `op` is one of `+ - * /`, with or without an assignment.
pub fn is_calculation(op: &BinOp) -> bool {
    use BinOp::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Sub, SubAssign};
    matches!(
        op,
        Add(_)
            | Sub(_)
            | Mul(_)
            | Div(_)
            | AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
    )
}

fn into_number(target: &Expr, value: &Expr, scope: &Scope, report: &mut Report) {
    let Expr::Path(path) = target else { return };
    let Some(name) = path.path.get_ident() else {
        return;
    };
    if scope.nature(&name.to_string()) == Some(Nature::Number) && is_random(value, scope) {
        let message = messages::random_into_number(
            &name.to_string(),
            &text_of(value),
            scope.number(&name.to_string()),
        );
        report.at(name, message);
    }
}

/// The sum of an iterator over random values, whose type cannot be inferred.
fn summed(expression: &Expr, scope: &Scope, report: &mut Report) {
    let Expr::MethodCall(call) = expression else {
        return;
    };
    let sum = call.method == "sum" || call.method == "product";
    if sum
        && call.turbofish.is_none()
        && is_iterator(&call.receiver)
        && yields_random(&call.receiver, scope)
    {
        let (method, text) = (call.method.to_string(), text_of(&call.receiver));
        report.at(&call.method, messages::sum_without_type(&method, &text));
    }
}

/// `mu.log()`.
fn named_elsewhere(call: &ExprMethodCall, scope: &Scope, report: &mut Report) {
    let known = OTHER_NAMES.iter().find(|(name, _)| call.method == name);
    if let (Some((name, here)), true) = (
        known,
        call.args.is_empty() && is_random(&call.receiver, scope),
    ) {
        report.at(
            &call.method,
            messages::named_elsewhere(name, here, &text_of(&call.receiver)),
        );
    }
}

/// `Normal::new(mu, 1.0).cdf(x)`, or `Normal::new(0.0, 1.0).cdf(mu)`.
fn probability(call: &ExprMethodCall, scope: &Scope, report: &mut Report) {
    let distribution = without_parentheses(&call.receiver);
    // a truncated or user-defined distribution has other methods
    let (Expr::Call(constructor), Some(construction)) =
        (distribution, Construction::at_root(distribution))
    else {
        return;
    };
    let named = PROBABILITIES.iter().find(|(name, _)| call.method == name);
    let (Some((name, here)), Some(argument), Some(_)) =
        (named, call.args.first(), construction.known())
    else {
        return;
    };
    let mut all = constructor.args.iter().chain([argument]);
    if all.any(|argument| is_random(argument, scope)) {
        let message =
            messages::probability_of_random(name, here, &text_of(distribution), &text_of(argument));
        report.at(&call.method, message);
    }
}

/// `mu.primal()`, which reads the value of one particle.
fn read(call: &ExprMethodCall, scope: &Scope, report: &mut Report) {
    if call.method == "primal" && call.args.is_empty() && !is_data(&call.receiver, scope) {
        report.at(&call.method, messages::plain_value());
    }
}

/// `Real::primal` as a function.
fn read_by_path(path: &ExprPath, report: &mut Report) {
    let mut names = path
        .path
        .segments
        .iter()
        .rev()
        .map(|segment| &segment.ident);
    let (last, owner) = (names.next(), names.next());
    if last.is_some_and(|name| name == "primal")
        && owner.is_some_and(|name| name == "Real" || name == "Mode")
    {
        report.at(path, messages::plain_value());
    }
}

/// `assert!(mu.primal() > 0.0)`: the arguments of a macro call are only tokens.
pub fn read_in_macro(invocation: &Macro, report: &mut Report) {
    for name in plain_values(invocation.tokens.clone()) {
        report.at(name, messages::plain_value());
    }
}

/// Every `primal` after a dot.
fn plain_values(tokens: TokenStream) -> Vec<Ident> {
    let mut found = Vec::new();
    let mut behind_dot = false;
    for token in tokens {
        match &token {
            TokenTree::Group(group) => found.extend(plain_values(group.stream())),
            TokenTree::Ident(name) if behind_dot && name == "primal" => found.push(name.clone()),
            _ => {}
        }
        behind_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
    }
    found
}

/// Whether an expression is an argument of the model, or part of an argument.
fn is_data(expression: &Expr, scope: &Scope) -> bool {
    match expression {
        Expr::Path(path) => path
            .path
            .get_ident()
            .is_some_and(|name| scope.nature(&name.to_string()) == Some(Nature::Data)),
        Expr::Field(field) => is_data(&field.base, scope),
        Expr::Index(index) => is_data(&index.expr, scope),
        Expr::Paren(inner) => is_data(&inner.expr, scope),
        Expr::Reference(inner) => is_data(&inner.expr, scope),
        _ => false,
    }
}
