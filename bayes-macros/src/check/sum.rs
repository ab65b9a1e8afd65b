//! Rules about `sum_out`: the rest of its block runs once for each value, so it adds terms and does nothing else.

use super::scope::Scope;
use crate::ast::{Call, Verb};
use crate::distribution::{Construction, is_discrete};
use crate::messages;
use crate::report::Report;
use crate::text::text_of;
use proc_macro2::Ident;
use syn::{BinOp, Expr};

/// A sum around the present place.
pub struct Sum {
    /// The quantity that is summed out.
    pub name: String,
    /// The number of blocks around its statement.
    pub depth: usize,
}

/// Its distribution is discrete, as far as its name says.
pub fn distribution(call: Call<'_>, report: &mut Report) {
    let Some(distribution) = call.call.args.first().filter(|_| call.verb == Verb::SumOut) else {
        return;
    };
    let known = Construction::at_root(distribution).and_then(|construction| construction.known());
    if let Some(known) = known
        && known.name != "Mixture"
        && !is_discrete(distribution, &[])
    {
        report.at(distribution, messages::sum_of_continuous(known.name));
    }
}

/// The rows of a model are independent given its random values, which a quantity that all of them share is not.
pub fn rows(name: &Ident, is_in_loop: bool, has_rows: bool, report: &mut Report) {
    if has_rows && !is_in_loop {
        report.at(name, messages::sum_over_rows(&name.to_string()));
    }
}

/// A quantity behind a sum would be another one for each value.
pub fn quantity(call: Call<'_>, sums: &[Sum], report: &mut Report) {
    if let Some(sum) = sums.last().filter(|_| call.verb != Verb::SumOut) {
        let word = call.verb.word();
        report.at(
            call.word,
            messages::quantity_in_sum(word, &sum.name, &text_of(call.call)),
        );
    }
}

/// An assignment to a name from before the sum would carry something from one value to the next.
pub fn assignment(expression: &Expr, scope: &Scope, sums: &[Sum], report: &mut Report) {
    let target = match expression {
        Expr::Assign(assignment) => &assignment.left,
        Expr::Binary(binary) if is_assignment(&binary.op) => &binary.left,
        _ => return,
    };
    let (Some(name), Some(sum)) = (base(target), sums.last()) else {
        return;
    };
    let text = name.to_string();
    if scope.is_bound_outside(&text, sum.depth) {
        report.at(target, messages::assignment_in_sum(&text, &sum.name));
    }
}

fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_) | BinOp::SubAssign(_) | BinOp::MulAssign(_) | BinOp::DivAssign(_)
    )
}

/// `total` of `total`, `total[i]` and `total.part`.
fn base(target: &Expr) -> Option<&Ident> {
    match target {
        Expr::Path(path) => path.path.get_ident(),
        Expr::Index(index) => base(&index.expr),
        Expr::Field(field) => base(&field.base),
        Expr::Paren(inner) => base(&inner.expr),
        Expr::Unary(inner) => base(&inner.expr),
        _ => None,
    }
}
