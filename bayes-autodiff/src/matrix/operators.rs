//! `+ - * /` of matrices with matrices, vectors, data and scalars.

use super::Matrix;
use crate::fault::{Fault, raise};
use crate::mode::Mode;
use crate::real::Real;
use crate::vector::{Dot, Vector};
use nalgebra::{DMatrix, DVector};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

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

/// A matrix and a data matrix of the same shape, elementwise, for all ways of borrowing them.
macro_rules! elementwise_data {
    ($trait:ident, $method:ident, $operator:tt, $($matrix:ty, $data:ty);+) => {$(
        operator!($trait, $method, Matrix<M>, |a, x| with_data(&a, &x, #[inline(always)] |a, x| a $operator x), $matrix, $data);
        operator!($trait, $method, Matrix<M>, |x, a| with_data(&a, &x, #[inline(always)] |a, x| x $operator a), $data, $matrix);
    )+};
}
elementwise_data!(Add, add, +, Matrix<M>, DMatrix<f64>; Matrix<M>, &DMatrix<f64>; &Matrix<M>, DMatrix<f64>; &Matrix<M>, &DMatrix<f64>);
elementwise_data!(Sub, sub, -, Matrix<M>, DMatrix<f64>; Matrix<M>, &DMatrix<f64>; &Matrix<M>, DMatrix<f64>; &Matrix<M>, &DMatrix<f64>);

/// `f` of the elements of a matrix and of a data matrix of the same shape.
#[inline(always)]
fn with_data<M: Mode>(
    matrix: &Matrix<M>,
    data: &DMatrix<f64>,
    f: impl Fn(Real<M>, f64) -> Real<M>,
) -> Matrix<M> {
    if (matrix.nrows(), matrix.ncols()) != (data.nrows(), data.ncols()) {
        raise(Fault::Shape {
            operation: format!(
                "{} with matrix {} x {}, element by element",
                matrix.words(),
                data.nrows(),
                data.ncols()
            ),
        });
    }
    Matrix::from_fn(
        data.nrows(),
        data.ncols(),
        #[inline(always)]
        |i, k| f(matrix[(i, k)], data[(i, k)]),
    )
}

/// A matrix and one number.
macro_rules! broadcast {
    ($trait:ident, $method:ident, $operator:tt) => {
        operator!($trait, $method, Matrix<M>, |a, b| a.map(#[inline(always)] |a| a $operator b),
            Matrix<M>, Real<M>; &Matrix<M>, Real<M>; Matrix<M>, f64; &Matrix<M>, f64;
            Matrix<M>, &Real<M>; &Matrix<M>, &Real<M>; Matrix<M>, &f64; &Matrix<M>, &f64;
        );
        operator!($trait, $method, Matrix<M>, |a, b| b.map(#[inline(always)] |b| a $operator b),
            Real<M>, Matrix<M>; Real<M>, &Matrix<M>; f64, Matrix<M>; f64, &Matrix<M>;
            &Real<M>, Matrix<M>; &Real<M>, &Matrix<M>; &f64, Matrix<M>; &f64, &Matrix<M>;
        );
        operator!($trait, $method, Matrix<M>, |x, b| of_data(&x, #[inline(always)] |x| x $operator b),
            DMatrix<f64>, Real<M>; &DMatrix<f64>, Real<M>; DMatrix<f64>, &Real<M>; &DMatrix<f64>, &Real<M>;
        );
        operator!($trait, $method, Matrix<M>, |a, x| of_data(&x, #[inline(always)] |x| a $operator x),
            Real<M>, DMatrix<f64>; Real<M>, &DMatrix<f64>; &Real<M>, DMatrix<f64>; &Real<M>, &DMatrix<f64>;
        );
    };
}
broadcast!(Add, add, +);
broadcast!(Sub, sub, -);
broadcast!(Mul, mul, *);
broadcast!(Div, div, /);

/// `f` of every element of a data matrix.
#[inline(always)]
fn of_data<M: Mode>(data: &DMatrix<f64>, f: impl Fn(f64) -> Real<M>) -> Matrix<M> {
    Matrix::from_fn(
        data.nrows(),
        data.ncols(),
        #[inline(always)]
        |i, k| f(data[(i, k)]),
    )
}

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
product!(Matrix<M>, matrix_data, Matrix<M>, DMatrix<f64>);
product!(Vector<M>, matrix_data_vector, Matrix<M>, DVector<f64>);
operator!(Mul, mul, Vector<M>, |a, x| matrix_numbers(&a, x), Matrix<M>, &[f64]; Matrix<M>, &Vec<f64>);
operator!(Mul, mul, Vector<M>, |a, x| matrix_numbers(a, x), &Matrix<M>, &[f64]; &Matrix<M>, &Vec<f64>);

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
fn matrix_data_vector<M: Mode>(matrix: &Matrix<M>, vector: &DVector<f64>) -> Vector<M> {
    matrix_numbers(matrix, vector.as_slice())
}

#[inline(always)]
fn matrix_numbers<M: Mode>(matrix: &Matrix<M>, vector: &[f64]) -> Vector<M> {
    matrix_vector(matrix, &Vector::constant(vector))
}

#[inline(always)]
fn matrix_data<M: Mode>(left: &Matrix<M>, right: &DMatrix<f64>) -> Matrix<M> {
    let right = Matrix::from_fn(
        right.nrows(),
        right.ncols(),
        #[inline(always)]
        |i, k| Real::constant(right[(i, k)]),
    );
    matrix_matrix(left, &right)
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

/// An assigning operator, with a matrix of the same shape or with one number.
macro_rules! assign {
    ($trait:ident, $method:ident, $operator:tt, $($right:ty),+) => {$(
        impl<M: Mode> $trait<$right> for Matrix<M> {
            fn $method(&mut self, other: $right) {
                *self = &*self $operator other;
            }
        }
    )+};
}
assign!(AddAssign, add_assign, +, Matrix<M>, &Matrix<M>, DMatrix<f64>, &DMatrix<f64>);
assign!(SubAssign, sub_assign, -, Matrix<M>, &Matrix<M>, DMatrix<f64>, &DMatrix<f64>);
assign!(AddAssign, add_assign, +, Real<M>, &Real<M>, f64, &f64);
assign!(SubAssign, sub_assign, -, Real<M>, &Real<M>, f64, &f64);
assign!(MulAssign, mul_assign, *, Real<M>, &Real<M>, f64, &f64);
assign!(DivAssign, div_assign, /, Real<M>, &Real<M>, f64, &f64);

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
