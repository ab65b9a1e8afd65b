//! Whole numbers as parameters of distributions: `DiscreteUniform::new(0, 10)`.
//!
//! A parameter may have any whole-number type. So rustc does not know the type of the literals, nor, before the end of the body, the type
//! of the value: `cp.gt(3)` would be an error after `let cp = sample(DiscreteUniform::new(0, 10));`.

use crate::distribution::Construction;
use syn::{Expr, ExprCall, ExprMethodCall, Lit, LitInt, UnOp};

/// Families of scalars that the table lists as structured, because they have other tests.
const ALSO_SCALAR: [&str; 1] = ["Flat"];

/// Methods of distributions whose arguments may be numbers of any type.
const METHODS: [&str; 5] = [
    "truncated",
    "censored",
    "log_density_at",
    "log_cdf_at",
    "log_sf_at",
];

/// Gives the literals among the parameters of a scalar family a type.
pub fn parameters(call: &mut ExprCall) {
    let constructed = Expr::Call(call.clone());
    let known = Construction::at_root(&constructed).and_then(|construction| construction.known());
    if known.is_some_and(|known| known.scalar || ALSO_SCALAR.contains(&known.name)) {
        call.args.iter_mut().for_each(typed);
    }
}

/// The same for the arguments of a method such as `truncated`.
pub fn arguments(call: &mut ExprMethodCall) {
    let is_listed = METHODS.iter().any(|method| call.method == method);
    let known =
        || Construction::at_root(&call.receiver).is_some_and(|found| found.known().is_some());
    if is_listed && known() {
        call.args.iter_mut().for_each(typed);
    }
}

/// `10` becomes `10i64`.
fn typed(argument: &mut Expr) {
    match argument {
        Expr::Paren(inner) => typed(&mut inner.expr),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => typed(&mut unary.expr),
        Expr::Lit(literal) => {
            if let Lit::Int(whole) = &literal.lit
                && whole.suffix().is_empty()
                && whole.base10_parse::<i64>().is_ok()
            {
                let text = format!("{}i64", whole.base10_digits());
                literal.lit = Lit::Int(LitInt::new(&text, whole.span()));
            }
        }
        _ => {}
    }
}
