//! Vectors of complex numbers.

use super::linear::linear_operators;
use super::operators::sum_of_products;
use super::{Complex, Complex64, ComplexMatrix};
use crate::buffer::Buffer;
use crate::fault::{Fault, raise};
use crate::mode::Mode;
use crate::real::Real;
use crate::vector::Vector;
use std::ops::{Add, Deref, DerefMut, Div, Mul, Neg, Sub};

/// A vector of complex numbers; indexes, iterates and slices as `[Complex<M>]` does.
#[derive(Clone, Debug)]
pub struct ComplexVector<M: Mode>(Buffer<Complex<M>>);

impl<M: Mode> ComplexVector<M> {
    /// `length` zeros.
    #[must_use]
    pub fn zeros(length: usize) -> Self {
        Self(Buffer::filled(length, Complex::default()))
    }

    /// The vector of `f(0)`, `f(1)`, ..., `f(length - 1)`.
    #[must_use]
    pub fn from_fn(length: usize, f: impl FnMut(usize) -> Complex<M>) -> Self {
        Self(Buffer::from_fn(length, f))
    }

    /// A vector from its real and imaginary parts.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] if the lengths differ.
    #[must_use]
    pub fn from_parts(re: &[Real<M>], im: &[Real<M>]) -> Self {
        same_length("with imaginary parts", re.len(), im.len());
        Self::from_fn(re.len(), |k| Complex::new(re[k], im[k]))
    }

    /// A vector that does not depend on any random value.
    #[must_use]
    pub fn constant(data: &[Complex64]) -> Self {
        Self::from_fn(data.len(), |k| Complex::constant(data[k]))
    }

    /// The real parts.
    #[must_use]
    pub fn real(&self) -> Vector<M> {
        Vector::from_fn(self.len(), |k| self[k].re)
    }

    /// The imaginary parts.
    #[must_use]
    pub fn imaginary(&self) -> Vector<M> {
        Vector::from_fn(self.len(), |k| self[k].im)
    }

    /// `f` of every element.
    #[must_use]
    pub fn map(&self, mut f: impl FnMut(Complex<M>) -> Complex<M>) -> Self {
        Self::from_fn(self.len(), |k| f(self[k]))
    }

    /// The conjugate of every element.
    #[must_use]
    pub fn conj(&self) -> Self {
        self.map(Complex::conj)
    }

    /// The squared modulus of every element: the probabilities of the outcomes, if this is a state.
    #[must_use]
    pub fn norms_sqr(&self) -> Vector<M> {
        Vector::from_fn(self.len(), |k| self[k].norm_sqr())
    }

    /// The Hermitian inner product `⟨self|other⟩ = Σ conj(self[k]) other[k]`.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] if the lengths differ.
    #[must_use]
    pub fn inner(&self, other: &Self) -> Complex<M> {
        same_length("inner product with", self.len(), other.len());
        let pairs = self.iter().zip(other.iter());
        sum_of_products(pairs.map(|(a, b)| (a.conj(), *b)))
    }

    /// `⟨self|self⟩ = Σ |self[k]|²`.
    #[must_use]
    pub fn norm_squared(&self) -> Real<M> {
        norm_squared(self)
    }

    /// The outer product `|self⟩⟨other|`, with elements `self[i] conj(other[k])`.
    #[must_use]
    pub fn outer(&self, other: &Self) -> ComplexMatrix<M> {
        ComplexMatrix::from_fn(self.len(), other.len(), |i, k| self[i] * other[k].conj())
    }

    /// The Kronecker product: element `i * other.len() + k` is `self[i] other[k]`.
    #[must_use]
    pub fn kronecker(&self, other: &Self) -> Self {
        let each = other.len();
        Self::from_fn(self.len() * each, |n| self[n / each] * other[n % each])
    }

    /// Sums or differences with a vector of the same length.
    fn zip(&self, words: &str, other: &Self, f: fn(Complex<M>, Complex<M>) -> Complex<M>) -> Self {
        same_length(words, self.len(), other.len());
        Self::from_fn(self.len(), |k| f(self[k], other[k]))
    }
}

/// `Σ |z|²`.
pub(super) fn norm_squared<M: Mode>(elements: &[Complex<M>]) -> Real<M> {
    let mut sum = Real::constant(0.0);
    for z in elements {
        sum += z.re * z.re;
        sum += z.im * z.im;
    }
    sum
}

/// Stops the model unless two vectors have the same length.
fn same_length(operation: &str, left: usize, right: usize) {
    if left != right {
        raise(Fault::Shape {
            operation: format!(
                "complex vector of length {left} {operation} vector of length {right}"
            ),
        });
    }
}

impl<M: Mode> Deref for ComplexVector<M> {
    type Target = [Complex<M>];
    fn deref(&self) -> &[Complex<M>] {
        &self.0
    }
}

impl<M: Mode> DerefMut for ComplexVector<M> {
    fn deref_mut(&mut self) -> &mut [Complex<M>] {
        &mut self.0
    }
}

impl<M: Mode> FromIterator<Complex<M>> for ComplexVector<M> {
    fn from_iter<I: IntoIterator<Item = Complex<M>>>(elements: I) -> Self {
        Self(elements.into_iter().collect())
    }
}

impl<M: Mode> From<Vec<Complex<M>>> for ComplexVector<M> {
    fn from(elements: Vec<Complex<M>>) -> Self {
        Self(Buffer::from_slice(&elements))
    }
}

/// A real vector.
impl<M: Mode> From<&Vector<M>> for ComplexVector<M> {
    fn from(re: &Vector<M>) -> Self {
        re.iter().map(Complex::from).collect()
    }
}

impl<'a, M: Mode> IntoIterator for &'a ComplexVector<M> {
    type Item = &'a Complex<M>;
    type IntoIter = std::slice::Iter<'a, Complex<M>>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

linear_operators!(ComplexVector<M>);
