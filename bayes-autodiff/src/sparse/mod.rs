//! Sparse symmetric matrices with a fixed pattern: precisions of Gaussian fields.

mod factor;
mod matrix;
mod ordering;
mod pattern;
mod pencil;
mod plain;
#[cfg(test)]
mod tests;

pub use matrix::SparseMatrix;
pub use pattern::SparsePattern;
pub use pencil::SparsePencil;
pub use plain::{SparseFactor, WrongPivot};

use crate::matrix::{Arithmetic, Scalars};
use crate::mode::Mode;
use crate::real::Real;

/// `ln det` of a matrix of random values, one number after another.
pub(crate) fn log_determinant<M: Mode>(pattern: &SparsePattern, values: &[Real<M>]) -> Real<M> {
    let factor = factor::factor::<Scalars<M>>(pattern, |k| values[k]);
    factor::log_determinant::<Scalars<M>>(pattern, &factor)
}

/// `xᵀ A x`, one number after another.
pub(crate) fn square<M: Mode>(
    pattern: &SparsePattern,
    values: &[Real<M>],
    x: &[Real<M>],
) -> Real<M> {
    factor::square::<Scalars<M>>(pattern, |k| values[k], |i| x[i])
}

/// `ln det` in lanes. With `SLOPES` also visits the derivative in each entry: the entry of the inverse, twice where it
/// stands for two entries.
#[inline(always)]
pub(crate) fn log_determinant_of<A: Arithmetic, const SLOPES: bool>(
    pattern: &SparsePattern,
    value: impl Fn(usize) -> A::X,
    mut visit: impl FnMut(usize, A::X),
) -> A::X {
    let factor = factor::factor::<A>(pattern, value);
    if SLOPES {
        let inverse = factor::selected_inverse::<A>(pattern, &factor);
        for (k, [i, j]) in pattern.entries().iter().enumerate() {
            let entry = inverse[pattern.places()[k] as usize];
            visit(k, if i == j { entry } else { A::add(entry, entry) });
        }
    }
    factor::log_determinant::<A>(pattern, &factor)
}

/// [`square`] in lanes.
#[inline(always)]
pub(crate) fn square_of<A: Arithmetic>(
    pattern: &SparsePattern,
    value: impl Fn(usize) -> A::X,
    x: impl Fn(usize) -> A::X,
) -> A::X {
    factor::square::<A>(pattern, value, x)
}
