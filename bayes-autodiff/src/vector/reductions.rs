//! From a vector to a number: sums, dot products, `log_sum_exp`; and the softmax built on it.

use super::{Vector, same_length};
use crate::mode::Mode;
use crate::real::Real;
use nalgebra::DVector;

/// `Σ data[k] vector[k]`: data times random scalars, as one operation of the mode.
///
/// # Panics
/// With a [`Fault::Lengths`](crate::fault::Fault::Lengths) if the lengths differ.
#[inline(always)]
#[track_caller]
pub fn dot<M: Mode>(data: &[f64], vector: &[Real<M>]) -> Real<M> {
    same_length("dot", data.len(), vector.len());
    M::dot(data, vector)
}

/// `ln Σ eˣ`: minus infinity for no elements, or if all are minus infinity.
#[inline(always)]
pub fn log_sum_exp<M: Mode>(elements: &[Real<M>]) -> Real<M> {
    M::log_sum_exp(elements)
}

/// The other operand of a dot product: a vector, or data of the same length.
pub trait Dot<M: Mode> {
    /// `Σ self[k] vector[k]`.
    fn dot_with(&self, vector: &[Real<M>]) -> Real<M>;
}

impl<M: Mode> Dot<M> for [Real<M>] {
    #[inline(always)]
    #[track_caller]
    fn dot_with(&self, vector: &[Real<M>]) -> Real<M> {
        same_length("dot", vector.len(), self.len());
        M::dot_random(self, vector)
    }
}

impl<M: Mode> Dot<M> for Vector<M> {
    #[inline(always)]
    #[track_caller]
    fn dot_with(&self, vector: &[Real<M>]) -> Real<M> {
        self.elements().dot_with(vector)
    }
}

impl<M: Mode> Dot<M> for [f64] {
    #[inline(always)]
    #[track_caller]
    fn dot_with(&self, vector: &[Real<M>]) -> Real<M> {
        dot(self, vector)
    }
}

impl<M: Mode, const N: usize> Dot<M> for [f64; N] {
    #[inline(always)]
    #[track_caller]
    fn dot_with(&self, vector: &[Real<M>]) -> Real<M> {
        dot(self, vector)
    }
}

impl<M: Mode> Dot<M> for Vec<f64> {
    #[inline(always)]
    #[track_caller]
    fn dot_with(&self, vector: &[Real<M>]) -> Real<M> {
        dot(self, vector)
    }
}

impl<M: Mode> Dot<M> for DVector<f64> {
    #[inline(always)]
    #[track_caller]
    fn dot_with(&self, vector: &[Real<M>]) -> Real<M> {
        dot(self.as_slice(), vector)
    }
}

/// The reductions of a [`Vector`] for a row of a matrix, a part of a vector or a list of random scalars: `m.row(i).dot(&x)`,
/// `v[2..5].sum()`.
pub trait RealSlice<M: Mode> {
    /// The sum of the elements.
    fn sum(&self) -> Real<M>;
    /// The mean of the elements; NaN if there are none.
    fn mean(&self) -> Real<M>;
    /// `Σ self[k] other[k]`, with a vector, a slice or data of the same length.
    ///
    /// # Panics
    /// With a [`Fault::Lengths`](crate::fault::Fault::Lengths) if the lengths differ.
    fn dot<T: Dot<M> + ?Sized>(&self, other: &T) -> Real<M>;
    /// The sum of squares.
    fn norm_squared(&self) -> Real<M>;
    /// `ln Σ eˣ`.
    fn log_sum_exp(&self) -> Real<M>;
}

impl<M: Mode> RealSlice<M> for [Real<M>] {
    #[inline(always)]
    fn sum(&self) -> Real<M> {
        M::sum(self)
    }
    #[inline(always)]
    fn mean(&self) -> Real<M> {
        M::sum(self) / self.len() as f64
    }
    #[inline(always)]
    #[track_caller]
    fn dot<T: Dot<M> + ?Sized>(&self, other: &T) -> Real<M> {
        other.dot_with(self)
    }
    #[inline(always)]
    fn norm_squared(&self) -> Real<M> {
        M::dot_random(self, self)
    }
    #[inline(always)]
    fn log_sum_exp(&self) -> Real<M> {
        log_sum_exp(self)
    }
}

impl<M: Mode> Vector<M> {
    /// The sum of the elements.
    #[inline(always)]
    #[must_use]
    pub fn sum(&self) -> Real<M> {
        M::sum(self)
    }
    /// The mean of the elements; NaN if there are none.
    #[inline(always)]
    #[must_use]
    pub fn mean(&self) -> Real<M> {
        self.sum() / self.len() as f64
    }
    /// `Σ self[k] other[k]`, with a vector or with data.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn dot<T: Dot<M> + ?Sized>(&self, other: &T) -> Real<M> {
        other.dot_with(self)
    }
    /// The sum of squares.
    #[inline(always)]
    #[must_use]
    pub fn norm_squared(&self) -> Real<M> {
        M::dot_random(self, self)
    }
    /// `ln Σ eˣ`.
    #[inline(always)]
    #[must_use]
    pub fn log_sum_exp(&self) -> Real<M> {
        log_sum_exp(self)
    }
    /// `eˣ / Σ eˣ`: non-negative, with sum 1.
    #[inline(always)]
    #[must_use]
    pub fn softmax(&self) -> Self {
        M::softmax(self)
    }
    /// `x - ln Σ eˣ`: the logarithm of [`Vector::softmax`].
    #[inline(always)]
    #[must_use]
    pub fn log_softmax(&self) -> Self {
        let total = self.log_sum_exp();
        self.map(
            #[inline(always)]
            |x| x - total,
        )
    }
    /// The sums of the first 1, 2, ... elements.
    #[inline(always)]
    #[must_use]
    pub fn cumulative_sum(&self) -> Self {
        let mut sum = Real::constant(0.0);
        self.map(
            #[inline(always)]
            |x| {
                sum += x;
                sum
            },
        )
    }
}
