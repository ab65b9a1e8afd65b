//! The number trait: the arithmetic of a model's evaluation.

use crate::function::{Binary, Function, Ternary};
use crate::matrix::{Matrix, MatrixFunction, Scalars};
use crate::network::{self, Applied, Choices, Rows};
use crate::real::Real;
use crate::simd::Mask;
use crate::sparse::{self, SparsePattern, SparsePencil};
use crate::special::is_far;
use crate::trace::Operation;
use crate::vector::Vector;
use nalgebra::DMatrix;
use std::fmt::Debug;

/// The arithmetic of a model: plain values, dual numbers, or the recording of a trace.
///
/// A mode defines the representation of a random scalar and the operations on it. Model code never calls these methods; it uses the
/// operators and methods of [`Real`](crate::Real). A program may be recorded once for all particles, so nothing here returns a `bool` or
/// an `f64` that a branch could depend on: comparisons give a [`Mode::Mask`] for [`Mode::select`].
pub trait Mode: Copy + Debug + Default + Send + Sync + 'static {
    /// A random scalar in memory.
    type Repr: Copy + Debug + 'static;
    /// The result of a comparison.
    type Mask: Mask;

    /// A quantity that does not depend on any random value (all derivatives zero).
    fn constant(x: f64) -> Self::Repr;
    /// The value without derivatives. Not for models: see [`PlainValue`](crate::PlainValue).
    fn plain_value(x: Self::Repr) -> f64;
    /// `a + b`.
    fn add(a: Self::Repr, b: Self::Repr) -> Self::Repr;
    /// `a - b`.
    fn sub(a: Self::Repr, b: Self::Repr) -> Self::Repr;
    /// `a * b`.
    fn mul(a: Self::Repr, b: Self::Repr) -> Self::Repr;
    /// `a / b`.
    fn div(a: Self::Repr, b: Self::Repr) -> Self::Repr;
    /// `-a`.
    fn neg(a: Self::Repr) -> Self::Repr;
    /// `a + b` for data `b`.
    #[inline(always)]
    fn add_data(a: Self::Repr, b: f64) -> Self::Repr {
        Self::add(a, Self::constant(b))
    }
    /// `a * b` for data `b`.
    #[inline(always)]
    fn scale(a: Self::Repr, b: f64) -> Self::Repr {
        Self::mul(a, Self::constant(b))
    }
    /// `a / b` for data `b`.
    #[inline(always)]
    fn div_data(a: Self::Repr, b: f64) -> Self::Repr {
        Self::div(a, Self::constant(b))
    }
    /// `sum += term`.
    #[inline(always)]
    fn accumulate(sum: &mut Self::Repr, term: Self::Repr) {
        *sum = Self::add(*sum, term);
    }
    /// An elementary function of one argument.
    fn unary<F: Function>(a: Self::Repr) -> Self::Repr;
    /// An elementary function of two arguments.
    fn binary<F: Binary>(a: Self::Repr, b: Self::Repr) -> Self::Repr;
    /// An elementary function of three arguments.
    fn ternary<F: Ternary>(a: Self::Repr, b: Self::Repr, c: Self::Repr) -> Self::Repr;
    /// A function of as many `arguments` as it takes, which only the running program knows: one that a recording holds.
    fn operation(function: &'static Operation, arguments: &[Self::Repr]) -> Self::Repr;
    /// `ln a` if it is known without computing `a`, for example for a rate that was computed as `eˣ`, or for a product of such rates. It
    /// is finite even if `a` rounds to 0 or to infinity.
    #[inline(always)]
    fn known_ln(_a: Self::Repr) -> Option<Self::Repr> {
        None
    }
    /// `a < b`, by value.
    fn lt(a: Self::Repr, b: Self::Repr) -> Self::Mask;
    /// `a <= b`, by value.
    fn le(a: Self::Repr, b: Self::Repr) -> Self::Mask;
    /// `a` where `mask` holds, else `b`; derivatives come from the chosen side only.
    fn select(mask: Self::Mask, a: Self::Repr, b: Self::Repr) -> Self::Repr;

    /// States the number of the statement that runs next.
    #[inline(always)]
    fn statement(_number: usize) {}

    /// Keeps quantities as output of the present statement. Only a recording does.
    #[inline(always)]
    fn keep(_quantities: &[Real<Self>]) {}

    /// Runs `task` in a separate function. A large program as a single function would take the compiler
    /// more than proportional time.
    #[inline(always)]
    fn call<T: Task>(task: T) -> T::Output {
        called(task)
    }
    /// Adds the log masses of `len` Bernoulli variables `outcome(i)`, 0 or 1, with log odds `logit(i)`.
    #[inline(always)]
    fn add_logit_terms(
        sum: &mut Real<Self>,
        len: usize,
        outcome: impl Fn(usize) -> f64,
        logit: impl Fn(usize) -> Real<Self>,
    ) {
        for i in 0..len {
            let signed = logit(i) * (2.0 * outcome(i) - 1.0);
            *sum += signed.ln_logistic();
        }
    }
    /// Adds `factor F(datum(i), value(i)) + base(i)` for `len` observations: their log densities, each with its own parameter.
    ///
    /// For the trace this is one operation, which need not be recorded again for other data. It is not if there are fewer than four
    /// observations, or if equal pairs of a datum and a value are frequent.
    #[inline(always)]
    fn add_function_terms<F: Binary>(
        sum: &mut Real<Self>,
        len: usize,
        factor: f64,
        datum: impl Fn(usize) -> f64,
        value: impl Fn(usize) -> Real<Self>,
        base: impl Fn(usize) -> f64,
    ) {
        add_each_function::<Self, F>(sum, len, factor, datum, value, base);
    }
    /// Adds `-½ ((x(i) - mean(i)) / sd(i))²` for `len` normal variables: their log densities without the normaliser.
    #[inline(always)]
    fn add_normal_terms(
        sum: &mut Real<Self>,
        len: usize,
        x: impl Fn(usize) -> Real<Self>,
        mean: impl Fn(usize) -> Real<Self>,
        sd: impl Fn(usize) -> Real<Self>,
    ) {
        add_each_normal(sum, len, x, mean, sd);
    }
    /// Adds, for every row, the log probability of the choice `chosen(row)` by a network at `weights`, `[parameters]`:
    /// `output[chosen] - ln Σ e^output`.
    ///
    /// The trace fuses it with the network's passes over the data.
    #[inline(always)]
    fn add_network_choices(
        sum: &mut Real<Self>,
        applied: Applied<'_>,
        weights: &[Real<Self>],
        chosen: impl Fn(usize) -> usize,
    ) {
        let mut rows = Choices(chosen);
        let outputs = network::forward(applied.network, applied.inputs, weights);
        for (i, row) in outputs.rows().enumerate() {
            *sum += rows.value(i, row);
        }
    }
    /// The outputs of a network for every row, `[rows, outputs]`, at `weights`, `[parameters]`.
    #[inline(always)]
    fn network(applied: Applied<'_>, weights: &[Real<Self>]) -> Matrix<Self> {
        network::forward(applied.network, applied.inputs, weights)
    }
    /// `matrix * vector` for a data matrix; `out[i] = Σ matrix[(i, k)] * vector[k]`.
    ///
    /// A mode overrides this and the following methods if it has a faster way than a loop over scalars.
    /// The caller has checked the shapes.
    #[inline]
    fn matrix_vector(matrix: &DMatrix<f64>, vector: &[Real<Self>]) -> Vector<Self> {
        let mut out = Vector::zeros(matrix.nrows());
        let (sums, rows) = (&mut out[..], matrix.nrows());
        for (k, v) in vector.iter().enumerate() {
            let column = &matrix.as_slice()[k * rows..][..rows];
            for i in 0..rows {
                sums[i] += *v * column[i];
            }
        }
        out
    }

    /// `Σ elements[k]`.
    #[inline(always)]
    fn sum(elements: &[Real<Self>]) -> Real<Self> {
        elements.iter().copied().sum()
    }

    /// `Σ left[k] * right[k]`; the caller has checked the lengths.
    #[inline(always)]
    fn dot_random(left: &[Real<Self>], right: &[Real<Self>]) -> Real<Self> {
        left.iter().zip(right).map(|(a, b)| a * b).sum()
    }

    /// `Σ data[k] * vector[k]`; the caller has checked the lengths.
    #[inline]
    fn dot(data: &[f64], vector: &[Real<Self>]) -> Real<Self> {
        data.iter().zip(vector).map(|(x, v)| v * x).sum()
    }

    /// `ln Σ eˣ`: minus infinity for no elements, or if all are minus infinity.
    ///
    /// Pairwise from the left: no maximum to branch on, and no `∞ - ∞`.
    #[inline]
    fn log_sum_exp(elements: &[Real<Self>]) -> Real<Self> {
        match elements {
            [] => Real::constant(f64::NEG_INFINITY),
            [first, rest @ ..] => rest.iter().fold(*first, |sum, x| sum.log_add_exp(x)),
        }
    }

    /// `e^x_k / Σ e^x`.
    #[inline(always)]
    fn softmax(elements: &[Real<Self>]) -> Vector<Self> {
        let total = Self::log_sum_exp(elements);
        let mut shares = Vector::zeros(elements.len());
        for (share, x) in shares.iter_mut().zip(elements) {
            *share = (*x - total).exp();
        }
        // the branch is of a mode that records nothing
        if is_far(Self::plain_value(total.0)) {
            let sum = Self::sum(shares.elements());
            shares.iter_mut().for_each(|share| *share /= sum);
        }
        shares
    }

    /// Replaces the lower triangle of a symmetric matrix `[dim, dim]`, row-major, by `L` such that `L Lᵀ` is the matrix; NaN unless it is
    /// positive definite.
    #[inline(always)]
    fn cholesky(dim: usize, entries: &mut [Real<Self>]) {
        for i in 0..dim {
            for k in 0..=i {
                let mut rest = entries[i * dim + k];
                for j in 0..k {
                    rest -= entries[i * dim + j] * entries[k * dim + j];
                }
                entries[i * dim + k] = if i == k {
                    rest.sqrt()
                } else {
                    rest / entries[k * dim + k]
                };
            }
        }
    }

    /// Replaces `x` by `L⁻¹ x` for a lower triangle `[dim, dim]`, row-major.
    #[inline(always)]
    fn solve_lower(factor: &[Real<Self>], x: &mut [Real<Self>]) {
        let dim = x.len();
        for i in 0..dim {
            let mut rest = x[i];
            for k in 0..i {
                rest -= factor[i * dim + k] * x[k];
            }
            x[i] = rest / factor[i * dim + i];
        }
    }

    /// A function of a square matrix `[dim, dim]`, row-major: its results in order.
    fn matrix_function(function: MatrixFunction, dim: usize, of: &[Real<Self>]) -> Vec<Real<Self>> {
        function.values::<Scalars<Self>>(dim, of)
    }

    /// `ln det` of a sparse symmetric matrix, whose entries are in the order of the pattern; NaN unless it is positive definite.
    fn sparse_log_determinant(pattern: &SparsePattern, entries: &[Real<Self>]) -> Real<Self> {
        sparse::log_determinant(pattern, entries)
    }

    /// `ln det (A + x B)` of two sparse matrices; NaN unless the sum is positive definite.
    fn pencil_log_determinant(pencil: &SparsePencil, x: Real<Self>) -> Real<Self> {
        pencil.log_determinant(x)
    }

    /// `xᵀ A x` for a sparse symmetric matrix `A`; the caller has checked the length of `x`.
    fn sparse_square(
        pattern: &SparsePattern,
        entries: &[Real<Self>],
        x: &[Real<Self>],
    ) -> Real<Self> {
        sparse::square(pattern, entries, x)
    }
}

/// `-½ ((x - mean) / sd)²`.
#[inline(always)]
pub(crate) fn normal_term<M: Mode>(x: Real<M>, mean: Real<M>, sd: Real<M>) -> Real<M> {
    let z = (x - mean) / sd;
    z * z * -0.5
}

/// [`Mode::add_normal_terms`], one variable after another.
#[inline(always)]
pub(crate) fn add_each_normal<M: Mode>(
    sum: &mut Real<M>,
    len: usize,
    x: impl Fn(usize) -> Real<M>,
    mean: impl Fn(usize) -> Real<M>,
    sd: impl Fn(usize) -> Real<M>,
) {
    for i in 0..len {
        *sum += normal_term(x(i), mean(i), sd(i));
    }
}

/// [`Mode::add_function_terms`], one observation after another.
#[inline(always)]
pub(crate) fn add_each_function<M: Mode, F: Binary>(
    sum: &mut Real<M>,
    len: usize,
    factor: f64,
    datum: impl Fn(usize) -> f64,
    value: impl Fn(usize) -> Real<M>,
    base: impl Fn(usize) -> f64,
) {
    for i in 0..len {
        let term = Real(M::binary::<F>(M::constant(datum(i)), value(i).0));
        *sum += term * factor + base(i);
    }
}

#[inline(never)]
fn called<T: Task>(task: T) -> T::Output {
    task.run()
}

/// Some numbers as the arguments of an [`Operation`].
#[inline(always)]
pub(crate) fn arguments(numbers: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut all = [0.0; 3];
    for (place, number) in all.iter_mut().zip(numbers) {
        *place = number;
    }
    all
}

/// Work for [`Mode::call`].
pub trait Task {
    /// The result.
    type Output;
    /// The work.
    fn run(self) -> Self::Output;
}
