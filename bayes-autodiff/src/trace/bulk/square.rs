//! Functions of square matrices: inverse, exponential, eigenvalues.

use super::Places;
use crate::matrix::{Lanes, MatrixFunction};
use crate::simd::Simd;

/// The results.
#[inline(always)]
pub(super) fn forward<S: Simd>(function: MatrixFunction, dim: usize, places: &mut Places<'_>) {
    let of = numbers::<S>(
        dim * dim,
        #[inline(always)]
        |k| places.operand::<S>(k),
    );
    let results = function.values::<Lanes<S>>(dim, &of);
    for (i, x) in results.into_iter().enumerate() {
        places.set::<S>(i, x);
    }
}

/// Passes the adjoints of the results on to the elements.
#[inline(always)]
pub(super) fn reverse<S: Simd>(function: MatrixFunction, dim: usize, places: &mut Places<'_>) {
    let outputs = function.outputs(dim);
    let of = numbers::<S>(
        dim * dim,
        #[inline(always)]
        |k| places.operand::<S>(k),
    );
    let results = numbers::<S>(
        outputs,
        #[inline(always)]
        |i| places.output::<S>(i),
    );
    let adjoints = numbers::<S>(
        outputs,
        #[inline(always)]
        |i| places.adjoint::<S>(i),
    );
    let passed = function.adjoints::<Lanes<S>>(dim, &of, &results, &adjoints);
    for (k, x) in passed.into_iter().enumerate() {
        places.pass_on::<S>(k, x);
    }
}

/// Numbers in a list of their own.
#[inline(always)]
fn numbers<S: Simd>(len: usize, at: impl Fn(usize) -> S::Float) -> Vec<S::Float> {
    let mut all = Vec::with_capacity(len);
    for k in 0..len {
        all.push(at(k));
    }
    all
}
