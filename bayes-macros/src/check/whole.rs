//! Whole numbers among random values: `mu * n[i]`, for which rustc would list what can be multiplied by a random value.

use super::arithmetic::is_calculation;
use super::random::{is_random, without_parentheses};
use super::scope::{Nature, Scope};
use crate::messages;
use crate::report::Report;
use crate::text::text_of;
use syn::{Expr, Lit};

/// Methods that count.
const COUNTS: [&str; 4] = ["count", "len", "ncols", "nrows"];

/// A whole number on one side of an operator, and a random value or a number with a decimal point on the other.
pub fn calculation(expression: &Expr, scope: &Scope, report: &mut Report) {
    let Expr::Binary(binary) = expression else {
        return;
    };
    if !is_calculation(&binary.op) {
        return;
    }
    for (number, other) in [(&binary.left, &binary.right), (&binary.right, &binary.left)] {
        if is_whole(number, scope) && (is_random(other, scope) || is_float(other)) {
            let plain = text_of(without_parentheses(number));
            let converted = match without_parentheses(number) {
                Expr::Binary(_) => format!("({plain}) as f64"),
                _ => format!("{plain} as f64"),
            };
            report.at(number, messages::whole_value(&plain, &converted));
        }
    }
}

/// Whether an expression is certainly a whole number, and no literal: the value of a sum, a counter of a loop, an argument, an element of a list, a
/// length, or such numbers among themselves.
fn is_whole(expression: &Expr, scope: &Scope) -> bool {
    match expression {
        Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
            let name = name.to_string();
            let nature = scope.nature(&name);
            matches!(nature, Some(Nature::Summed | Nature::Counter)) || scope.is_whole(&name)
        }),
        Expr::Index(index) => match &*index.expr {
            Expr::Path(path) => {
                let name = path.path.get_ident().map(ToString::to_string);
                let is_range = matches!(*index.index, Expr::Range(_));
                !is_range && name.is_some_and(|name| scope.is_list(&name))
            }
            _ => false,
        },
        Expr::MethodCall(call) => {
            call.args.is_empty() && COUNTS.iter().any(|method| call.method == method)
        }
        Expr::Paren(inner) => is_whole(&inner.expr, scope),
        Expr::Binary(binary) => {
            let (left, right) = (&binary.left, &binary.right);
            let fits = |side: &Expr| is_integer(side) || is_whole(side, scope);
            let has_value = is_whole(left, scope) || is_whole(right, scope);
            is_calculation(&binary.op) && has_value && fits(left) && fits(right)
        }
        _ => false,
    }
}

fn is_integer(expression: &Expr) -> bool {
    matches!(expression, Expr::Lit(literal) if matches!(&literal.lit, Lit::Int(int) if !int.suffix().starts_with('f')))
}

fn is_float(expression: &Expr) -> bool {
    matches!(expression, Expr::Lit(literal) if matches!(literal.lit, Lit::Float(_)))
}
