//! The QR decomposition.

use super::ComplexMatrix;
use crate::complex::operators::sum_of_products;
use crate::complex::vector::norm_squared;
use crate::complex::{Complex, ComplexVector};
use crate::fault::{Fault, raise};
use crate::mode::Mode;
use crate::real::Real;

impl<M: Mode> ComplexMatrix<M> {
    /// `Q` with orthonormal columns and an upper triangle `R` with a positive diagonal such that this matrix is `Q R`. There is only one
    /// such pair, and it depends on the matrix without jumps. The columns must be linearly independent: otherwise the last dependent
    /// column is rounding noise of length 1, or NaN if nothing is left of it.
    ///
    /// `Q` of a square matrix whose elements have independent standard normal parts is a unitary matrix of Haar's distribution (Mezzadri
    /// 2007). By Gram and Schmidt, twice for each column, after which the columns are orthogonal to rounding (Giraud, Langou and
    /// Rozložník 2005).
    ///
    /// # Panics
    /// With a [`Fault::Shape`] if there are more columns than rows.
    #[must_use]
    pub fn qr(&self) -> (Self, Self) {
        if self.columns > self.rows {
            raise(Fault::Shape {
                operation: format!("QR decomposition of a {}", self.words()),
            });
        }
        let mut r = Self::zeros(self.columns, self.columns);
        let mut done: Vec<ComplexVector<M>> = Vec::with_capacity(self.columns);
        for k in 0..self.columns {
            let mut column = self.column(k);
            for _ in 0..2 {
                for (i, q) in done.iter().enumerate() {
                    r[(i, k)] += remove(&mut column, q);
                }
            }
            let norm = norm_squared(&column).sqrt();
            r[(k, k)] = norm.into();
            done.push(column * norm.recip());
        }
        let q = Self::from_fn(self.rows, self.columns, |i, k| done[k][i]);
        (q, r)
    }
}

/// Removes from `column` its part along the unit vector `q`; returns the coefficient `⟨q|column⟩`.
fn remove<M: Mode>(column: &mut ComplexVector<M>, q: &ComplexVector<M>) -> Complex<M> {
    let pairs = q.iter().zip(column.iter());
    let coefficient: Complex<M> = sum_of_products(pairs.map(|(q, x)| (q.conj(), *x)));
    let parts: [Real<M>; 2] = [coefficient.re, coefficient.im];
    for (x, q) in column.iter_mut().zip(q) {
        x.re -= parts[0] * q.re;
        x.re += parts[1] * q.im;
        x.im -= parts[0] * q.im;
        x.im -= parts[1] * q.re;
    }
    coefficient
}
