//! Rules about branches, loops and indices: none may depend on a random value.
//!
//! The operations of the body are recorded once and replayed for many particles. A branch would have to go both ways, and its gradient
//! would not exist at the threshold.

use super::random::{is_comparison, is_random, random_part};
use super::scope::Scope;
use crate::messages;
use crate::report::Report;
use crate::text::text_of;
use syn::{BinOp, Block, Expr, ExprBinary, ExprIf, ExprIndex, Stmt};

/// `if` on a random value; returns whether the condition is valid.
pub fn if_condition(branching: &ExprIf, scope: &Scope, report: &mut Report) -> bool {
    let Some(part) = random_part(&branching.cond, scope) else {
        return true;
    };
    let help = select(branching, scope);
    report.at(
        part,
        messages::random_condition("if", &text_of(part), help.as_deref()),
    );
    false
}

/// `while` on a random value; returns whether the condition is valid.
pub fn while_condition(condition: &Expr, scope: &Scope, report: &mut Report) -> bool {
    let Some(part) = random_part(condition, scope) else {
        return true;
    };
    report.at(part, messages::random_while(&text_of(part)));
    false
}

/// `if a < b { yes } else { no }` as a choice by value, where both branches are single expressions.
fn select(branching: &ExprIf, scope: &Scope) -> Option<String> {
    let Expr::Binary(binary) = &*branching.cond else {
        return None;
    };
    let yes = text_of(single(&branching.then_branch)?);
    let Expr::Block(otherwise) = &*branching.else_branch.as_ref()?.1 else {
        return None;
    };
    let no = text_of(single(&otherwise.block)?);
    // The receiver of the comparison is a random value: `0.0 < mu` is `mu.gt(0.0)`.
    let turned = !is_random(&binary.left, scope);
    let (left, right) = if turned {
        (&binary.right, &binary.left)
    } else {
        (&binary.left, &binary.right)
    };
    let method = match (&binary.op, turned) {
        (BinOp::Lt(_), false) | (BinOp::Gt(_), true) => "lt",
        (BinOp::Le(_), false) | (BinOp::Ge(_), true) => "le",
        (BinOp::Gt(_), false) | (BinOp::Lt(_), true) => "gt",
        (BinOp::Ge(_), false) | (BinOp::Le(_), true) => "ge",
        _ => return None,
    };
    let left = match &**left {
        simple @ (Expr::Path(_) | Expr::Index(_) | Expr::MethodCall(_) | Expr::Paren(_)) => {
            text_of(simple)
        }
        compound => format!("({})", text_of(compound)),
    };
    // the call has its own parentheses
    let right = match &**right {
        Expr::Paren(inner) => &inner.expr,
        plain => plain,
    };
    Some(format!(
        "Real::select({left}.{method}({}), {yes}, {no})",
        text_of(right)
    ))
}

fn single(block: &Block) -> Option<&Expr> {
    match block.stmts.as_slice() {
        [Stmt::Expr(expression, None)] => Some(expression),
        _ => None,
    }
}

/// `match` on a random value.
pub fn matched(value: &Expr, scope: &Scope, report: &mut Report) {
    if is_random(value, scope) {
        report.at(value, messages::random_match(&text_of(value)));
    }
}

/// A comparison of random values outside a condition.
pub fn comparison(binary: &ExprBinary, scope: &Scope, report: &mut Report) {
    if is_comparison(&binary.op)
        && (is_random(&binary.left, scope) || is_random(&binary.right, scope))
    {
        report.at(binary, messages::random_comparison(&text_of(binary)));
    }
}

/// A random index.
pub fn index(expression: &ExprIndex, scope: &Scope, report: &mut Report) {
    let parts: Vec<&Expr> = match &*expression.index {
        Expr::Tuple(tuple) => tuple.elems.iter().collect(),
        Expr::Range(range) => range
            .start
            .as_deref()
            .into_iter()
            .chain(range.end.as_deref())
            .collect(),
        other => vec![other],
    };
    for part in parts {
        let number = without_cast(part);
        if is_random(number, scope) {
            report.at(
                part,
                messages::random_index(&text_of(part), &text_of(&expression.expr)),
            );
        }
    }
}

/// A loop whose number of iterations is random.
pub fn turns(iterated: &Expr, scope: &Scope, report: &mut Report) {
    let iterated = super::random::without_parentheses(iterated);
    let Expr::Range(range) = iterated else { return };
    for bound in [&range.start, &range.end].into_iter().flatten() {
        if is_random(without_cast(bound), scope) {
            report.at(bound, messages::random_turns(&text_of(bound)));
        }
    }
}

fn without_cast(expression: &Expr) -> &Expr {
    match expression {
        Expr::Cast(cast) => without_cast(&cast.expr),
        Expr::Paren(inner) => without_cast(&inner.expr),
        other => other,
    }
}

/// Whether the right side of `op` is evaluated only sometimes.
pub fn is_lazy(op: &BinOp) -> bool {
    matches!(op, BinOp::And(_) | BinOp::Or(_))
}
