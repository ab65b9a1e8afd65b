//! `+ - * /` of complex matrices with matrices, vectors, data and numbers.

use super::ComplexMatrix;
use crate::complex::linear::linear_operators;
use crate::complex::operators::sum_of_products;
use crate::complex::{Complex, Complex64, ComplexVector};
use crate::fault::{Fault, raise};
use crate::mode::Mode;
use crate::real::Real;
use nalgebra::DMatrix;
use std::ops::{Add, Div, Mul, Neg, Sub};

linear_operators!(ComplexMatrix<M>);

/// A product of two containers, for all four ways of borrowing them.
macro_rules! product {
    ($output:ty, $function:ident, $left:ty, $right:ty) => {
        linear_operators!(one Mul, mul, &$left, &$right, $output, |a, b| $function(a, b));
        linear_operators!(one Mul, mul, &$left, $right, $output, |a, b| $function(a, &b));
        linear_operators!(one Mul, mul, $left, &$right, $output, |a, b| $function(&a, b));
        linear_operators!(one Mul, mul, $left, $right, $output, |a, b| $function(&a, &b));
    };
}
product!(
    ComplexVector<M>,
    matrix_vector,
    ComplexMatrix<M>,
    ComplexVector<M>
);
product!(
    ComplexMatrix<M>,
    matrix_matrix,
    ComplexMatrix<M>,
    ComplexMatrix<M>
);
product!(
    ComplexVector<M>,
    data_vector,
    DMatrix<Complex64>,
    ComplexVector<M>
);
product!(
    ComplexMatrix<M>,
    data_matrix,
    DMatrix<Complex64>,
    ComplexMatrix<M>
);
product!(
    ComplexMatrix<M>,
    matrix_data,
    ComplexMatrix<M>,
    DMatrix<Complex64>
);

impl<M: Mode> ComplexMatrix<M> {
    /// Sums or differences with a matrix of the same shape.
    fn zip(&self, words: &str, other: &Self, f: fn(Complex<M>, Complex<M>) -> Complex<M>) -> Self {
        if (self.rows, self.columns) != (other.rows, other.columns) {
            raise(Fault::Shape {
                operation: format!("{} {words} {}", self.words(), other.words()),
            });
        }
        Self::from_fn(self.rows, self.columns, |i, k| {
            f(self[(i, k)], other[(i, k)])
        })
    }
}

fn matrix_vector<M: Mode>(left: &ComplexMatrix<M>, right: &ComplexVector<M>) -> ComplexVector<M> {
    if left.columns != right.len() {
        raise(Fault::Shape {
            operation: format!("{} times vector of length {}", left.words(), right.len()),
        });
    }
    ComplexVector::from_fn(left.rows, |i| {
        sum_of_products(left.row(i).iter().copied().zip(right.iter().copied()))
    })
}

fn matrix_matrix<M: Mode>(left: &ComplexMatrix<M>, right: &ComplexMatrix<M>) -> ComplexMatrix<M> {
    if left.columns != right.rows {
        raise(Fault::Shape {
            operation: format!("{} times {}", left.words(), right.words()),
        });
    }
    let columns = right.transpose();
    ComplexMatrix::from_fn(left.rows, right.columns, |i, k| {
        let (row, column) = (left.row(i).iter(), columns.row(k).iter());
        sum_of_products(row.copied().zip(column.copied()))
    })
}

fn data_vector<M: Mode>(left: &DMatrix<Complex64>, right: &ComplexVector<M>) -> ComplexVector<M> {
    matrix_vector(&ComplexMatrix::constant(left), right)
}

fn data_matrix<M: Mode>(left: &DMatrix<Complex64>, right: &ComplexMatrix<M>) -> ComplexMatrix<M> {
    matrix_matrix(&ComplexMatrix::constant(left), right)
}

fn matrix_data<M: Mode>(left: &ComplexMatrix<M>, right: &DMatrix<Complex64>) -> ComplexMatrix<M> {
    matrix_matrix(left, &ComplexMatrix::constant(right))
}
