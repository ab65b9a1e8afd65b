//! Values of eight particles at once, without derivatives.

use crate::function::{Binary, Function, Ternary, call};
use crate::matrix::Matrix;
use crate::mode::{Mode, Part, Task};
use crate::network::{Applied, Choices, Scratch};
use crate::real::Real;
use crate::simd::{Called, LANES, Simd};
use crate::vector::Vector;
use nalgebra::DMatrix;

/// Evaluation of eight particles without derivatives: a random scalar is a register of eight numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lanes<S>(std::marker::PhantomData<S>);

impl<S: Simd> Mode for Lanes<S> {
    type Repr = S::Float;
    type Mask = S::Mask;

    #[inline(always)]
    fn constant(x: f64) -> S::Float {
        S::splat(x)
    }
    #[inline(always)]
    fn call<T: Task>(task: T) -> T::Output {
        S::call(Called(task))
    }
    #[inline(always)]
    fn first_lane(x: S::Float) -> f64 {
        S::array(x)[0]
    }
    #[inline(always)]
    fn add(a: S::Float, b: S::Float) -> S::Float {
        S::add(a, b)
    }
    #[inline(always)]
    fn sub(a: S::Float, b: S::Float) -> S::Float {
        S::sub(a, b)
    }
    #[inline(always)]
    fn mul(a: S::Float, b: S::Float) -> S::Float {
        S::mul(a, b)
    }
    #[inline(always)]
    fn div(a: S::Float, b: S::Float) -> S::Float {
        S::div(a, b)
    }
    #[inline(always)]
    fn neg(a: S::Float) -> S::Float {
        S::neg(a)
    }
    #[inline(always)]
    fn unary<F: Function>(a: S::Float) -> S::Float {
        call::value::<S, F>(a)
    }
    #[inline(always)]
    fn binary<F: Binary>(a: S::Float, b: S::Float) -> S::Float {
        call::binary_value::<S, F>(a, b)
    }
    #[inline(always)]
    fn ternary<F: Ternary>(a: S::Float, b: S::Float, c: S::Float) -> S::Float {
        F::lanes::<S>(a, b, c)
    }
    #[inline(always)]
    fn lt(a: S::Float, b: S::Float) -> S::Mask {
        S::lt(a, b)
    }
    #[inline(always)]
    fn le(a: S::Float, b: S::Float) -> S::Mask {
        S::le(a, b)
    }
    #[inline(always)]
    fn select(mask: S::Mask, a: S::Float, b: S::Float) -> S::Float {
        S::select(mask, a, b)
    }
    #[inline(always)]
    fn add_network_choices(
        sum: &mut S::Float,
        applied: Applied<'_>,
        weights: &[Real<Self>],
        chosen: impl Fn(usize) -> usize,
        _: Part,
    ) {
        let total = applied.score::<S, _>(|k| weights[k].0, &mut Choices(chosen));
        *sum = S::add(*sum, total);
    }
    #[inline(always)]
    fn network(applied: Applied<'_>, weights: &[Real<Self>]) -> Matrix<Self> {
        let scratch = Scratch::take::<S>(weights.len(), |k| weights[k].0, false);
        let (rows, columns) = (applied.inputs.rows, applied.network.outputs());
        let mut outputs = vec![[0.0; LANES]; rows * columns];
        applied
            .at(&scratch.weights)
            .outputs(S::INSTRUCTION_SET, &mut outputs);
        scratch.give_back();
        let mut out = Matrix::zeros(rows, columns);
        for (i, lanes) in outputs.iter().enumerate() {
            out[(i / columns, i % columns)] = Real(S::load(lanes));
        }
        out
    }
    #[inline(always)]
    fn add_logit_terms(
        sum: &mut S::Float,
        len: usize,
        outcome: impl Fn(usize) -> f64,
        logit: impl Fn(usize) -> Real<Self>,
        _part: Part,
    ) {
        let signed = |i: usize| S::mul(logit(i).0, S::splat(2.0 * outcome(i) - 1.0));
        *sum = S::add(*sum, log_logistic_sum::<S>(len, signed, |_, _| {}));
    }
    #[inline(always)]
    fn log_sum_exp(elements: &[Real<Self>]) -> Real<Self> {
        Real(log_sum_exp::<S>(elements.len(), |k| elements[k].0))
    }
    #[inline(always)]
    fn dot_random(left: &[Real<Self>], right: &[Real<Self>]) -> Real<Self> {
        Real(dot_random::<S>(left.len(), |k| left[k].0, |k| right[k].0))
    }
    #[inline(always)]
    fn dot(data: &[f64], vector: &[Real<Self>]) -> Real<Self> {
        Real(dot::<S>(data, |k| vector[k].0))
    }
    #[inline(always)]
    fn matrix_vector(matrix: &DMatrix<f64>, vector: &[Real<Self>]) -> Vector<Self> {
        let mut out = Vector::zeros(matrix.nrows());
        matrix_vector::<S>(
            matrix.as_slice(),
            matrix.nrows(),
            vector.len(),
            |k| vector[k].0,
            |i, x| out[i] = Real(x),
        );
        out
    }
}

/// Number of terms whose logarithms are taken together, as that of their product, which is at most 2^64.
const LOGITS: usize = 64;

/// `Σ ln σ(signed(i))`; shows every slope `1 - σ(signed(i))` to `slope`.
///
/// `ln σ(s) = min(s, 0) - ln(1 + e^-|s|)`. The sum of the logarithms of [`LOGITS`] factors between 1 and 2 is the
/// logarithm of their product. A term may lose digits below the last digit of 1, which the sum would lose anyway.
#[inline(always)]
pub(crate) fn log_logistic_sum<S: Simd>(
    len: usize,
    signed: impl Fn(usize) -> S::Float,
    mut slope: impl FnMut(usize, S::Float),
) -> S::Float {
    let (zero, one) = (S::splat(0.0), S::splat(1.0));
    let mut sum = zero;
    let mut start = 0;
    while start < len {
        let end = (start + LOGITS).min(len);
        let mut product = one;
        for i in start..end {
            let s = signed(i);
            let e = crate::function::Exp::lanes::<S>(S::neg(S::abs(s)));
            let total = S::add(one, e);
            product = S::mul(product, total);
            let negative = S::lt(s, zero);
            sum = S::add(sum, S::select(negative, s, zero));
            slope(i, S::div(S::select(negative, one, e), total));
        }
        sum = S::sub(sum, crate::function::Ln::lanes::<S>(product));
        start = end;
    }
    sum
}

/// `Σ data[k] at(k)`.
#[inline(always)]
pub(crate) fn dot<S: Simd>(data: &[f64], at: impl Fn(usize) -> S::Float) -> S::Float {
    let mut sum = S::splat(0.0);
    for (k, x) in data.iter().enumerate() {
        sum = S::mul_add(S::splat(*x), at(k), sum);
    }
    sum
}

/// `Σ left(k) right(k)` of `len` terms.
#[inline(always)]
pub(crate) fn dot_random<S: Simd>(
    len: usize,
    left: impl Fn(usize) -> S::Float,
    right: impl Fn(usize) -> S::Float,
) -> S::Float {
    let mut sum = S::splat(0.0);
    for k in 0..len {
        sum = S::mul_add(left(k), right(k), sum);
    }
    sum
}

/// `ln Σ e^at(k)` of `len` terms: minus infinity where all are, and for none.
#[inline(always)]
pub(crate) fn log_sum_exp<S: Simd>(len: usize, at: impl Fn(usize) -> S::Float) -> S::Float {
    let mut largest = S::splat(f64::NEG_INFINITY);
    for k in 0..len {
        let x = at(k);
        // the comparison is false for NaN; the sum below restores it
        largest = S::select(S::lt(largest, x), x, largest);
    }
    // no `∞ - ∞`: an infinite maximum is the result itself
    let infinite = S::eq(S::abs(largest), S::splat(f64::INFINITY));
    let shift = S::select(infinite, S::splat(0.0), largest);
    let mut sum = S::splat(0.0);
    for k in 0..len {
        sum = S::add(sum, crate::function::Exp::lanes::<S>(S::sub(at(k), shift)));
    }
    S::add(shift, crate::function::Ln::lanes::<S>(sum))
}

/// `set(i, Σ_k matrix[(i, k)] at(k))` for a matrix `[rows, columns]` stored column by column; the rows in order.
#[inline(always)]
pub(crate) fn matrix_vector<S: Simd>(
    matrix: &[f64],
    rows: usize,
    columns: usize,
    at: impl Fn(usize) -> S::Float,
    mut set: impl FnMut(usize, S::Float),
) {
    assert_eq!(
        matrix.len(),
        rows * columns,
        "a matrix has rows times columns entries"
    );
    let mut start = 0;
    while start + S::SUMS <= rows {
        // rows that are summed side by side, in registers
        if const { S::SUMS == 6 } {
            rows_from::<S, 6>(matrix, [rows, columns], start, &at, &mut set);
        } else {
            rows_from::<S, 8>(matrix, [rows, columns], start, &at, &mut set);
        }
        start += S::SUMS;
    }
    for i in start..rows {
        rows_from::<S, 1>(matrix, [rows, columns], i, &at, &mut set);
    }
}

/// [`matrix_vector`] for the `N` rows from `start` on.
#[inline(always)]
fn rows_from<S: Simd, const N: usize>(
    matrix: &[f64],
    shape: [usize; 2],
    start: usize,
    at: &impl Fn(usize) -> S::Float,
    set: &mut impl FnMut(usize, S::Float),
) {
    let sums = sums_of_rows::<S, N>(matrix, shape, start, at);
    for (i, sum) in sums.into_iter().enumerate() {
        set(start + i, sum);
    }
}

/// `Σ_k matrix[(i, k)] at(k)` for the `N` rows from `start` on, of a matrix `[rows, columns]` stored column by column.
#[inline(always)]
pub(crate) fn sums_of_rows<S: Simd, const N: usize>(
    matrix: &[f64],
    [rows, columns]: [usize; 2],
    start: usize,
    at: &impl Fn(usize) -> S::Float,
) -> [S::Float; N] {
    let mut sums = [S::splat(0.0); N];
    for k in 0..columns {
        let v = at(k);
        let column = &matrix[k * rows + start..k * rows + start + N];
        for i in 0..N {
            sums[i] = S::mul_add(S::splat(column[i]), v, sums[i]);
        }
    }
    sums
}
