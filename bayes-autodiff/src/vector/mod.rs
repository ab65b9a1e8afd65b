//! Vectors of random scalars.

mod functions;
mod operators;
mod places;
mod reductions;

use crate::buffer::{Buffer, IntoIter};
use crate::fault::{Fault, raise};
use crate::mode::Mode;
use crate::real::Real;
use std::ops::{Deref, DerefMut};
use std::panic::Location;

pub use places::out_of_range;
pub(crate) use places::outside;
pub use reductions::{Dot, RealSlice, dot, log_sum_exp};

/// A vector of random scalars; indexes, iterates and slices as `[Real<M>]` does.
#[derive(Clone, Debug)]
pub struct Vector<M: Mode>(Buffer<Real<M>>);

impl<M: Mode> Vector<M> {
    /// `length` zeros.
    #[inline(always)]
    #[must_use]
    pub fn zeros(length: usize) -> Self {
        Self(Buffer::filled(length, Real::constant(0.0)))
    }
    /// The vector of `f(0)`, `f(1)`, ..., `f(length - 1)`.
    #[inline(always)]
    #[must_use]
    pub fn from_fn(length: usize, f: impl FnMut(usize) -> Real<M>) -> Self {
        Self(Buffer::from_fn(length, f))
    }
    /// A vector that does not depend on any random value.
    #[inline(always)]
    #[must_use]
    pub fn constant(data: &[f64]) -> Self {
        Self::from_fn(
            data.len(),
            #[inline(always)]
            |i| Real::constant(data[i]),
        )
    }
    /// The elements.
    #[inline(always)]
    #[must_use]
    pub fn elements(&self) -> &[Real<M>] {
        &self.0
    }
    /// The elements, owned.
    #[inline(always)]
    #[must_use]
    pub fn into_elements(self) -> Vec<Real<M>> {
        self.0.to_vec()
    }
    /// `f` of every element.
    #[inline(always)]
    #[must_use]
    pub fn map(&self, mut f: impl FnMut(Real<M>) -> Real<M>) -> Self {
        Self::from_fn(
            self.len(),
            #[inline(always)]
            |i| f(self[i]),
        )
    }
    /// `f` of the elements of two vectors of the same length.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn zip_map(&self, other: &Self, mut f: impl FnMut(Real<M>, Real<M>) -> Real<M>) -> Self {
        same_length("paired with", self.len(), other.len());
        let other = &other[..self.len()];
        Self::from_fn(
            self.len(),
            #[inline(always)]
            |i| f(self[i], other[i]),
        )
    }
    /// The elementwise product.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn component_mul(&self, other: &Self) -> Self {
        same_length("times", self.len(), other.len());
        self.zip_map(
            other,
            #[inline(always)]
            |a, b| a * b,
        )
    }
    /// The elementwise quotient.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn component_div(&self, other: &Self) -> Self {
        same_length("divided by", self.len(), other.len());
        self.zip_map(
            other,
            #[inline(always)]
            |a, b| a / b,
        )
    }
}

/// Stops the model unless two vectors have the same length.
#[inline(always)]
#[track_caller]
fn same_length(operation: &str, left: usize, right: usize) {
    if left != right {
        mismatch(operation, left, right);
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn mismatch(operation: &str, left: usize, right: usize) -> ! {
    let place = Location::caller();
    raise(Fault::Lengths {
        operation: format!("vector of length {left} {operation} vector of length {right}"),
        file: place.file(),
        line: place.line(),
        column: place.column(),
    })
}

impl<M: Mode> Deref for Vector<M> {
    type Target = [Real<M>];
    #[inline(always)]
    fn deref(&self) -> &[Real<M>] {
        &self.0
    }
}

impl<M: Mode> DerefMut for Vector<M> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Real<M>] {
        &mut self.0
    }
}

impl<M: Mode> From<Buffer<Real<M>>> for Vector<M> {
    #[inline(always)]
    fn from(elements: Buffer<Real<M>>) -> Self {
        Self(elements)
    }
}

impl<M: Mode> From<Vec<Real<M>>> for Vector<M> {
    #[inline(always)]
    fn from(elements: Vec<Real<M>>) -> Self {
        Self(Buffer::from_slice(&elements))
    }
}

impl<M: Mode> From<&[Real<M>]> for Vector<M> {
    #[inline(always)]
    fn from(elements: &[Real<M>]) -> Self {
        Self(Buffer::from_slice(elements))
    }
}

impl<M: Mode> FromIterator<Real<M>> for Vector<M> {
    #[inline(always)]
    fn from_iter<I: IntoIterator<Item = Real<M>>>(elements: I) -> Self {
        Self(elements.into_iter().collect())
    }
}

impl<M: Mode> IntoIterator for Vector<M> {
    type Item = Real<M>;
    type IntoIter = IntoIter<Real<M>>;
    #[inline(always)]
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, M: Mode> IntoIterator for &'a Vector<M> {
    type Item = &'a Real<M>;
    type IntoIter = std::slice::Iter<'a, Real<M>>;
    #[inline(always)]
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
