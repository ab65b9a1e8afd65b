//! What may stand on the right of a system of equations: vectors and matrices, random or data.

use super::Matrix;
use crate::fault::{Fault, raise};
use crate::mode::Mode;
use crate::real::Real;
use crate::vector::Vector;
use nalgebra::{DMatrix, DVector};

/// The right side of a system of linear equations: a vector, or a matrix of columns.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the right side of a system of equations",
    label = "expected a vector or a matrix, of random quantities or of data"
)]
pub trait RightHandSide<M: Mode> {
    /// A `Vector` or a `Matrix`.
    type Solution;
    /// The number of rows, and the shape in words.
    fn words(&self) -> (usize, String);
    /// The solution, where `solve` replaces a column by its own.
    fn solved(&self, solve: impl FnMut(&mut [Real<M>])) -> Self::Solution;
}

/// Vectors, random or data.
macro_rules! vector {
    ($type:ty, $copy:expr) => {
        impl<M: Mode> RightHandSide<M> for $type {
            type Solution = Vector<M>;
            fn words(&self) -> (usize, String) {
                (self.len(), format!("vector {}", self.len()))
            }
            #[inline(always)]
            fn solved(&self, mut solve: impl FnMut(&mut [Real<M>])) -> Vector<M> {
                let mut x: Vector<M> = $copy(self);
                solve(&mut x);
                x
            }
        }
    };
}
vector!(Vector<M>, Vector::clone);
vector!([Real<M>], Vector::from);
vector!([f64], Vector::constant);
vector!(Vec<f64>, |x: &Vec<f64>| Vector::constant(x));
vector!(DVector<f64>, |x: &DVector<f64>| Vector::constant(
    x.as_slice()
));

impl<M: Mode> RightHandSide<M> for Matrix<M> {
    type Solution = Self;
    fn words(&self) -> (usize, String) {
        (self.rows, Self::words(self))
    }
    #[inline(always)]
    fn solved(&self, mut solve: impl FnMut(&mut [Real<M>])) -> Self {
        let mut all = self.clone();
        for k in 0..self.columns {
            let mut column = self.column(k);
            solve(&mut column);
            for (i, x) in column.iter().enumerate() {
                all[(i, k)] = *x;
            }
        }
        all
    }
}

impl<M: Mode> RightHandSide<M> for DMatrix<f64> {
    type Solution = Matrix<M>;
    fn words(&self) -> (usize, String) {
        let (rows, columns) = self.shape();
        (rows, format!("matrix {rows} x {columns}"))
    }
    #[inline(always)]
    fn solved(&self, solve: impl FnMut(&mut [Real<M>])) -> Matrix<M> {
        Matrix::constant(self).solved(solve)
    }
}

impl<M: Mode> Matrix<M> {
    /// Stops the model unless this is a square matrix and a right side has as many rows.
    #[inline(always)]
    pub(super) fn fits(&self, (rows, words): (usize, String)) {
        if self.columns != self.rows || rows != self.rows {
            raise(Fault::Shape {
                operation: format!("{} \\ {words}", self.words()),
            });
        }
    }
}
