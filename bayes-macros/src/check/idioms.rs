//! Idioms of other languages, for which rustc lists types instead of a remedy: `[0.0, mu]`, `mu ^ 2`, `x.row(i).dot(&beta)`, `y[1..] * phi`,
//! `Normal::new(mean = 0.0, sd = 1.0)`.

use super::random::{is_random, without_parentheses};
use super::scope::{Nature, Scope};
use crate::ast::{Call, Verb};
use crate::distribution::Construction;
use crate::messages;
use crate::report::Report;
use crate::text::text_of;
use syn::{
    BinOp, Expr, ExprArray, ExprBinary, ExprCall, ExprIndex, ExprMethodCall, Lit, Type, UnOp,
};

/// The rules that hold for any expression.
pub fn expression(expression: &Expr, scope: &Scope, report: &mut Report) {
    match expression {
        Expr::Array(array) => numbers_among_random(array, scope, report),
        Expr::Binary(binary) => {
            power(binary, scope, report);
            row_times(binary, scope, report);
            ranges(binary, scope, report);
        }
        Expr::Call(call) => named_parameters(call, report),
        Expr::MethodCall(call) => row_dot(call, scope, report),
        _ => {}
    }
}

/// `observe(y[1..], ..)`: a range by value has no size.
pub fn observed(call: Call<'_>, scope: &Scope, report: &mut Report) {
    if call.verb == Verb::Observe
        && let Some(data) = call.call.args.first()
        && let Some(range) = range_of(data, scope)
    {
        report.at(range, messages::range_by_value(&text_of(range)));
    }
}

/// Whether a type is a matrix of data, `&DMatrix<f64>`.
pub fn is_matrix(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => is_matrix(&reference.elem),
        Type::Path(path) => (path.path.segments.last()).is_some_and(|last| last.ident == "DMatrix"),
        _ => false,
    }
}

/// `[0.0, b[0]]`, such as the scores of classes of which the first is the reference.
fn numbers_among_random(array: &ExprArray, scope: &Scope, report: &mut Report) {
    if !array.elems.iter().any(|element| is_random(element, scope)) {
        return;
    }
    for number in array.elems.iter().filter(|element| is_number(element)) {
        report.at(number, messages::number_among_random(&text_of(number)));
    }
}

/// `mu ^ 2`.
fn power(binary: &ExprBinary, scope: &Scope, report: &mut Report) {
    if !matches!(binary.op, BinOp::BitXor(_)) || !is_random(&binary.left, scope) {
        return;
    }
    let is_whole = |exponent: &Expr| matches!(exponent, Expr::Lit(literal) if matches!(literal.lit, Lit::Int(_)));
    let method = if is_whole(without_parentheses(&binary.right)) {
        "powi"
    } else {
        "powf"
    };
    let exponent = text_of(without_parentheses(&binary.right));
    let base = match without_parentheses(&binary.left) {
        Expr::Path(_) | Expr::Index(_) | Expr::Field(_) | Expr::MethodCall(_) => {
            text_of(&binary.left)
        }
        other => format!("({})", text_of(other)),
    };
    report.at(
        binary.op,
        messages::power(&format!("{base}.{method}({exponent})")),
    );
}

/// `x.row(i).dot(&beta)`, where `x` are data.
fn row_dot(call: &ExprMethodCall, scope: &Scope, report: &mut Report) {
    if call.method != "dot" {
        return;
    }
    if let (Some((matrix, row)), Some(vector)) = (row_of(&call.receiver, scope), call.args.first())
        && is_random(vector, scope)
    {
        report.at(
            &call.method,
            messages::row_of_data(&matrix, &row, &plain(vector)),
        );
    }
}

/// `x.row(i) * &beta`, where `x` are data.
fn row_times(binary: &ExprBinary, scope: &Scope, report: &mut Report) {
    if !matches!(binary.op, BinOp::Mul(_)) {
        return;
    }
    if let Some((matrix, row)) = row_of(&binary.left, scope)
        && is_random(&binary.right, scope)
    {
        report.at(
            binary.op,
            messages::row_of_data(&matrix, &row, &plain(&binary.right)),
        );
    }
}

/// `phi * y[1..]`, and `2.0 * &z[1..]`: numbers multiply no slices of random values.
fn ranges(binary: &ExprBinary, scope: &Scope, report: &mut Report) {
    if !super::arithmetic::is_calculation(&binary.op) {
        return;
    }
    for side in [&binary.left, &binary.right] {
        if let Some(range) = range_of(side, scope) {
            report.at(range, messages::range_by_value(&text_of(range)));
        }
    }
    for (number, other) in [(&binary.left, &binary.right), (&binary.right, &binary.left)] {
        if let Expr::Reference(reference) = without_parentheses(other)
            && is_number(number)
            && range_of(&reference.expr, scope).is_some()
            && is_random(&reference.expr, scope)
        {
            report.at(number, messages::number_with_range(&text_of(number)));
        }
    }
}

/// `Normal::new(mean = 0.0, sd = 1.0)`.
fn named_parameters(call: &ExprCall, report: &mut Report) {
    let known = Construction::of(call).filter(|construction| construction.known().is_some());
    if known.is_none() {
        return;
    }
    let is_named = |argument: &&Expr| matches!(argument, Expr::Assign(assignment) if matches!(*assignment.left, Expr::Path(_)));
    let Some(first) = call.args.iter().find(is_named) else {
        return;
    };
    let values = call.args.iter().map(|argument| match argument {
        Expr::Assign(assignment) => text_of(&assignment.right),
        other => text_of(other),
    });
    let values = values.collect::<Vec<_>>().join(", ");
    report.at(
        first,
        messages::named_parameter(&format!("{}({values})", text_of(&call.func))),
    );
}

/// The matrix and the row in `x.row(i)`, where `x` is a matrix of data.
fn row_of(expression: &Expr, scope: &Scope) -> Option<(String, String)> {
    let Expr::MethodCall(call) = without_parentheses(expression) else {
        return None;
    };
    let Expr::Path(path) = without_parentheses(&call.receiver) else {
        return None;
    };
    let name = path.path.get_ident()?.to_string();
    let is_row = call.method == "row" && scope.is_matrix(&name);
    Some((name, text_of(call.args.first()?))).filter(|_| is_row)
}

/// The range in `y[1..]`, of data or random values, if it is no reference.
fn range_of<'e>(expression: &'e Expr, scope: &Scope) -> Option<&'e ExprIndex> {
    let Expr::Index(index) = without_parentheses(expression) else {
        return None;
    };
    let Expr::Path(path) = &*index.expr else {
        return None;
    };
    let nature = scope.nature(&path.path.get_ident()?.to_string());
    let is_known = matches!(nature, Some(Nature::Data | Nature::Random));
    (is_known && matches!(*index.index, Expr::Range(_))).then_some(index)
}

/// The text without a leading `&`.
fn plain(expression: &Expr) -> String {
    match without_parentheses(expression) {
        Expr::Reference(reference) => text_of(&reference.expr),
        other => text_of(other),
    }
}

fn is_number(expression: &Expr) -> bool {
    match without_parentheses(expression) {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Float(_)),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && is_number(&unary.expr),
        _ => false,
    }
}
