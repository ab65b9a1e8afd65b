//! Plain values: no derivatives.

use crate::function::{Binary, Function, Ternary};
use crate::matrix::{Matrix, MatrixFunction, Scalars};
use crate::mode::{Mode, arguments};
use crate::network::{Applied, Choices};
use crate::real::Real;
use crate::simd::InstructionSet;
use crate::special::log_sum_exp;
use crate::trace::Operation;

/// Evaluation without derivatives: a random scalar is an `f64`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Value;

impl Mode for Value {
    type Repr = f64;
    type Mask = bool;

    #[inline(always)]
    fn constant(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn plain_value(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn add(a: f64, b: f64) -> f64 {
        a + b
    }
    #[inline(always)]
    fn sub(a: f64, b: f64) -> f64 {
        a - b
    }
    #[inline(always)]
    fn mul(a: f64, b: f64) -> f64 {
        a * b
    }
    #[inline(always)]
    fn div(a: f64, b: f64) -> f64 {
        a / b
    }
    #[inline(always)]
    fn neg(a: f64) -> f64 {
        -a
    }
    #[inline(always)]
    fn unary<F: Function>(a: f64) -> f64 {
        F::value(a)
    }
    #[inline(always)]
    fn binary<F: Binary>(a: f64, b: f64) -> f64 {
        F::value(a, b)
    }
    #[inline(always)]
    fn ternary<F: Ternary>(a: f64, b: f64, c: f64) -> f64 {
        F::value(a, b, c)
    }
    fn operation(function: &'static Operation, of: &[f64]) -> f64 {
        function.at(arguments(of.iter().copied()))
    }
    #[inline(always)]
    fn lt(a: f64, b: f64) -> bool {
        a < b
    }
    #[inline(always)]
    fn le(a: f64, b: f64) -> bool {
        a <= b
    }
    #[inline(always)]
    fn select(mask: bool, a: f64, b: f64) -> f64 {
        if mask { a } else { b }
    }
    fn add_network_choices(
        sum: &mut Real<Self>,
        applied: Applied<'_>,
        weights: &[Real<Self>],
        chosen: impl Fn(usize) -> usize,
    ) {
        sum.0 += applied.score_alone(|k| weights[k].0, &mut Choices(chosen));
    }
    fn network(applied: Applied<'_>, weights: &[Real<Self>]) -> Matrix<Self> {
        let (rows, columns) = (applied.inputs.rows, applied.network.outputs());
        let outputs = applied.outputs_after(InstructionSet::detect(), |k| weights[k].0);
        Matrix::from_fn(rows, columns, |i, k| Real(outputs[i * columns + k]))
    }
    fn log_sum_exp(elements: &[Real<Self>]) -> Real<Self> {
        Real(log_sum_exp(elements.iter().map(|x| x.0)))
    }
    /// Compiled here, and not in the crate of a model.
    fn matrix_function(function: MatrixFunction, dim: usize, of: &[Real<Self>]) -> Vec<Real<Self>> {
        function.values::<Scalars<Self>>(dim, of)
    }
}
