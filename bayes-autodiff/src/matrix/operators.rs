//! `+ - * /` of matrices with matrices, vectors, data and scalars.

use super::Matrix;
use crate::fault::{Fault, raise};
use crate::mode::Mode;
use crate::real::Real;
use crate::vector::{Dot, Vector};
use nalgebra::DMatrix;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// One operator for listed pairs of types; the body sees both operands as given.
macro_rules! operator {
    ($trait:ident, $method:ident, $output:ty, |$a:ident, $b:ident| $body:expr, $($left:ty, $right:ty);+ $(;)?) => {$(
        impl<M: Mode> $trait<$right> for $left {
            type Output = $output;
            #[inline(always)]
            fn $method(self, other: $right) -> $output {
                let ($a, $b) = (self, other);
                $body
            }
        }
    )+};
}

/// Two matrices of the same shape, elementwise.
macro_rules! elementwise {
    ($trait:ident, $method:ident, $operator:tt) => {
        operator!($trait, $method, Matrix<M>, |a, b| a.zip_map(&b, #[inline(always)] |a, b| a $operator b),
            Matrix<M>, Matrix<M>; &Matrix<M>, Matrix<M>;
        );
        operator!($trait, $method, Matrix<M>, |a, b| a.zip_map(b, #[inline(always)] |a, b| a $operator b),
            Matrix<M>, &Matrix<M>; &Matrix<M>, &Matrix<M>;
        );
    };
}
elementwise!(Add, add, +);
elementwise!(Sub, sub, -);

/// A matrix and one number.
macro_rules! broadcast {
    ($trait:ident, $method:ident, $operator:tt) => {
        operator!($trait, $method, Matrix<M>, |a, b| a.map(#[inline(always)] |a| a $operator b),
            Matrix<M>, Real<M>; &Matrix<M>, Real<M>; Matrix<M>, f64; &Matrix<M>, f64;
        );
        operator!($trait, $method, Matrix<M>, |a, b| b.map(#[inline(always)] |b| a $operator b),
            Real<M>, Matrix<M>; Real<M>, &Matrix<M>; f64, Matrix<M>; f64, &Matrix<M>;
        );
    };
}
broadcast!(Add, add, +);
broadcast!(Sub, sub, -);
broadcast!(Mul, mul, *);
broadcast!(Div, div, /);

/// A product of two containers, for all four ways of borrowing them.
macro_rules! product {
    ($output:ty, $function:ident, $left:ty, $right:ty) => {
        operator!(Mul, mul, $output, |a, b| $function(a, b), &$left, &$right);
        operator!(Mul, mul, $output, |a, b| $function(a, &b), &$left, $right);
        operator!(Mul, mul, $output, |a, b| $function(&a, b), $left, &$right);
        operator!(Mul, mul, $output, |a, b| $function(&a, &b), $left, $right);
    };
}
product!(Vector<M>, matrix_vector, Matrix<M>, Vector<M>);
product!(Matrix<M>, matrix_matrix, Matrix<M>, Matrix<M>);
product!(Matrix<M>, data_matrix, DMatrix<f64>, Matrix<M>);

#[inline(always)]
fn matrix_vector<M: Mode>(matrix: &Matrix<M>, vector: &Vector<M>) -> Vector<M> {
    if matrix.ncols() != vector.len() {
        raise(Fault::Shape {
            operation: format!("{} times vector of length {}", matrix.words(), vector.len()),
        });
    }
    Vector::from_fn(
        matrix.nrows(),
        #[inline(always)]
        |i| matrix.row(i).dot_with(vector),
    )
}

#[inline(always)]
fn matrix_matrix<M: Mode>(left: &Matrix<M>, right: &Matrix<M>) -> Matrix<M> {
    if left.ncols() != right.nrows() {
        raise(Fault::Shape {
            operation: format!("{} times {}", left.words(), right.words()),
        });
    }
    let columns = right.transpose();
    Matrix::from_fn(
        left.nrows(),
        right.ncols(),
        #[inline(always)]
        |i, k| left.row(i).dot_with(columns.row(k)),
    )
}

/// A data matrix times a matrix: one bulk product for each column.
#[inline(always)]
fn data_matrix<M: Mode>(left: &DMatrix<f64>, right: &Matrix<M>) -> Matrix<M> {
    if left.ncols() != right.nrows() {
        raise(Fault::Shape {
            operation: format!(
                "matrix {} x {} times {}",
                left.nrows(),
                left.ncols(),
                right.words()
            ),
        });
    }
    let mut product = Matrix::zeros(left.nrows(), right.ncols());
    for k in 0..right.ncols() {
        let column = M::matrix_vector(left, &right.column(k));
        for (i, x) in column.iter().enumerate() {
            product[(i, k)] = *x;
        }
    }
    product
}

impl<M: Mode> Neg for Matrix<M> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(
            #[inline(always)]
            |x| -x,
        )
    }
}

impl<M: Mode> Neg for &Matrix<M> {
    type Output = Matrix<M>;
    #[inline(always)]
    fn neg(self) -> Matrix<M> {
        self.map(
            #[inline(always)]
            |x| -x,
        )
    }
}
