//! `let x = impute(x, distribution);`: known values are observed, missing ones are drawn.

use super::Interpreter;
use crate::dist::{Elements, Gapped, Gaps, Separate};
use bayes_autodiff::fault::{Fault, raise};
use bayes_autodiff::{Mode, Vector};

/// All values of `data`: the known ones, observed by the present statement of the interpreter, and the missing ones, drawn by statement
/// `missing`. Without a known value nothing is observed.
#[inline(always)]
pub(super) fn impute<M: Mode, I: Interpreter<M>, D: Separate<M>>(
    interpreter: &mut I,
    missing: usize,
    distribution: &D,
    data: &(impl Gapped + ?Sized),
) -> Vector<M> {
    let gaps = Gaps::of(data);
    fit(distribution, gaps.size());
    if !gaps.known.is_empty() {
        let known = Elements::of(distribution, &gaps.known);
        interpreter.observe_under(known, gaps.values.as_slice());
    }
    let drawn = interpreter
        .at(missing)
        .sample(Elements::of(distribution, &gaps.missing));
    gaps.filled(drawn.elements())
}

/// Stops the model if the parameters are not one for all values, or one for each.
#[inline(always)]
fn fit<M: Mode, D: Separate<M>>(distribution: &D, values: usize) {
    match distribution.length() {
        Ok(None) => {}
        Ok(Some(length)) if length == values => {}
        Ok(Some(length)) => raise(Fault::Shape {
            operation: format!(
                "`impute` of {values} values, missing ones included, under {}, which has parameters or copies for {length}",
                distribution.name()
            ),
        }),
        Err(error) => raise(Fault::Shape {
            operation: error.to_string(),
        }),
    }
}
