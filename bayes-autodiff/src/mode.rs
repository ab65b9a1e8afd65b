//! The one number trait: what arithmetic a model is evaluated in.

use crate::function::{Binary, Function};
use crate::real::Real;
use crate::vector::Vector;
use nalgebra::DMatrix;
use std::fmt::Debug;

/// A way of doing arithmetic: plain values, forward duals, later lanes of particles and tapes.
///
/// A mode says how a random scalar is represented and how the operations act on it. Model code never
/// calls these methods; it uses the operators and methods of [`Real`](crate::Real).
/// A representation may hold several particles at once, so nothing here returns a `bool` or an
/// `f64` that a branch could depend on: comparisons give a [`Mode::Mask`] for [`Mode::select`].
pub trait Mode: Copy + Debug + Default + Send + Sync + 'static {
    /// What a random scalar is in memory.
    type Repr: Copy + Debug + Send + Sync + 'static;
    /// The result of a comparison, one truth value for each particle held.
    type Mask: Mask;

    /// A quantity that does not depend on any random value (all derivatives zero).
    fn constant(x: f64) -> Self::Repr;
    /// The value without derivatives; where several particles are held, that of the first.
    fn primal(x: Self::Repr) -> f64;
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
    /// `a < b`, by value.
    fn lt(a: Self::Repr, b: Self::Repr) -> Self::Mask;
    /// `a <= b`, by value.
    fn le(a: Self::Repr, b: Self::Repr) -> Self::Mask;
    /// `a` where `mask` holds, else `b`; derivatives come from the chosen side only.
    fn select(mask: Self::Mask, a: Self::Repr, b: Self::Repr) -> Self::Repr;

    /// `matrix * vector` for a data matrix; `out[i] = Σ matrix[(i, k)] * vector[k]`.
    ///
    /// A mode overrides this and the next two where it knows a faster way than a loop over scalars.
    /// The caller has checked the shapes.
    #[inline]
    fn matrix_vector(matrix: &DMatrix<f64>, vector: &[Real<Self>]) -> Vector<Self> {
        let mut out = Vector::zeros(matrix.nrows());
        for (column, v) in matrix.column_iter().zip(vector) {
            out.iter_mut()
                .zip(column.iter())
                .for_each(|(sum, x)| *sum += v * x);
        }
        out
    }

    /// `Σ data[k] * vector[k]`; the caller has checked the lengths.
    #[inline]
    fn dot(data: &[f64], vector: &[Real<Self>]) -> Real<Self> {
        data.iter().zip(vector).map(|(x, v)| v * x).sum()
    }

    /// `ln Σ eˣ`: minus infinity for no elements, or where all are minus infinity.
    ///
    /// Pairwise from the left: no maximum to branch on, and no `∞ - ∞`.
    #[inline]
    fn log_sum_exp(elements: &[Real<Self>]) -> Real<Self> {
        match elements {
            [] => Real::constant(f64::NEG_INFINITY),
            [first, rest @ ..] => rest.iter().fold(*first, |sum, x| sum.log_add_exp(x)),
        }
    }
}

/// Truth values of a comparison, one for each particle held.
pub trait Mask: Copy + Debug {
    /// Both hold.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// At least one holds.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// The opposite.
    #[must_use]
    fn not(self) -> Self;
}

impl Mask for bool {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn not(self) -> Self {
        !self
    }
}
