//! `+ - * /` of vectors with vectors, data and scalars, and data matrices times vectors.

use super::{Vector, same_length};
use crate::fault::{Fault, raise};
use crate::mode::Mode;
use crate::real::Real;
use nalgebra::{DMatrix, DVector};
use std::iter::Sum;
use std::ops::{
    Add, AddAssign, Div, DivAssign, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign,
};
use std::slice::SliceIndex;

/// One operator for listed pairs of types; the body sees both operands as given.
macro_rules! operator {
    ($trait:ident, $method:ident, |$a:ident, $b:ident| $body:expr, $($left:ty, $right:ty);+ $(;)?) => {$(
        impl<M: Mode> $trait<$right> for $left {
            type Output = Vector<M>;
            #[inline(always)]
            #[track_caller]
            fn $method(self, other: $right) -> Vector<M> {
                let ($a, $b) = (self, other);
                $body
            }
        }
    )+};
}

/// A vector and an operand of the same length, elementwise.
macro_rules! elementwise {
    ($trait:ident, $method:ident, $words:literal, $operator:tt) => {
        operator!($trait, $method, |a, b| {
            same_length($words, a.len(), b.len());
            Vector::from_fn(a.len(), #[inline(always)] |i| a[i] $operator b[i])
        },
            Vector<M>, Vector<M>; Vector<M>, &Vector<M>; &Vector<M>, Vector<M>; &Vector<M>, &Vector<M>;
            Vector<M>, &[f64]; &Vector<M>, &[f64]; &[f64], Vector<M>; &[f64], &Vector<M>;
            Vector<M>, &Vec<f64>; &Vector<M>, &Vec<f64>; &Vec<f64>, Vector<M>; &Vec<f64>, &Vector<M>;
            Vector<M>, &DVector<f64>; &Vector<M>, &DVector<f64>;
            &DVector<f64>, Vector<M>; &DVector<f64>, &Vector<M>;
            Vector<M>, Vec<f64>; &Vector<M>, Vec<f64>; Vec<f64>, Vector<M>; Vec<f64>, &Vector<M>;
            Vector<M>, DVector<f64>; &Vector<M>, DVector<f64>;
            DVector<f64>, Vector<M>; DVector<f64>, &Vector<M>;
            Vector<M>, &[Real<M>]; &Vector<M>, &[Real<M>]; &[Real<M>], Vector<M>; &[Real<M>], &Vector<M>;
        );
    };
}
elementwise!(Add, add, "plus", +);
elementwise!(Sub, sub, "minus", -);
elementwise!(Mul, mul, "times", *);
elementwise!(Div, div, "divided by", /);

/// A vector and a number, at least one of which is random.
macro_rules! broadcast {
    ($trait:ident, $method:ident, $operator:tt) => {
        operator!($trait, $method, |a, b| Vector::from_fn(a.len(), #[inline(always)] |i| a[i] $operator b),
            Vector<M>, Real<M>; &Vector<M>, Real<M>; Vector<M>, &Real<M>; &Vector<M>, &Real<M>;
            Vector<M>, f64; &Vector<M>, f64; Vector<M>, &f64; &Vector<M>, &f64;
            &[f64], Real<M>; &Vec<f64>, Real<M>; &DVector<f64>, Real<M>;
            &[f64], &Real<M>; &Vec<f64>, &Real<M>; &DVector<f64>, &Real<M>;
            Vec<f64>, Real<M>; DVector<f64>, Real<M>; Vec<f64>, &Real<M>; DVector<f64>, &Real<M>;
            &[Real<M>], Real<M>; &[Real<M>], &Real<M>;
        );
        operator!($trait, $method, |a, b| Vector::from_fn(b.len(), #[inline(always)] |i| a $operator b[i]),
            Real<M>, Vector<M>; Real<M>, &Vector<M>; &Real<M>, Vector<M>; &Real<M>, &Vector<M>;
            f64, Vector<M>; f64, &Vector<M>; &f64, Vector<M>; &f64, &Vector<M>;
            Real<M>, &[f64]; Real<M>, &Vec<f64>; Real<M>, &DVector<f64>;
            &Real<M>, &[f64]; &Real<M>, &Vec<f64>; &Real<M>, &DVector<f64>;
            Real<M>, Vec<f64>; Real<M>, DVector<f64>; &Real<M>, Vec<f64>; &Real<M>, DVector<f64>;
            Real<M>, &[Real<M>]; &Real<M>, &[Real<M>];
        );
    };
}
broadcast!(Add, add, +);
broadcast!(Sub, sub, -);
broadcast!(Mul, mul, *);
broadcast!(Div, div, /);

operator!(
    Mul,
    mul,
    |x, v| matrix_vector(x, v),
    &DMatrix<f64>,
    &Vector<M>
);
operator!(
    Mul,
    mul,
    |x, v| matrix_vector(x, &v),
    &DMatrix<f64>,
    Vector<M>
);
operator!(
    Mul,
    mul,
    |x, v| matrix_vector(&x, v),
    DMatrix<f64>,
    &Vector<M>
);
operator!(
    Mul,
    mul,
    |x, v| matrix_vector(&x, &v),
    DMatrix<f64>,
    Vector<M>
);

/// A data matrix times a vector, by the mode's own bulk operation.
#[inline(always)]
fn matrix_vector<M: Mode>(matrix: &DMatrix<f64>, vector: &Vector<M>) -> Vector<M> {
    if matrix.ncols() != vector.len() {
        raise(Fault::Shape {
            operation: format!(
                "matrix {} x {} times vector of length {}",
                matrix.nrows(),
                matrix.ncols(),
                vector.len()
            ),
        });
    }
    M::matrix_vector(matrix, vector)
}

impl<M: Mode> Neg for Vector<M> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(
            #[inline(always)]
            |x| -x,
        )
    }
}

impl<M: Mode> Neg for &Vector<M> {
    type Output = Vector<M>;
    #[inline(always)]
    fn neg(self) -> Vector<M> {
        self.map(
            #[inline(always)]
            |x| -x,
        )
    }
}

/// An assigning operator with operands of the same length.
macro_rules! assign_elementwise {
    ($trait:ident, $method:ident, $words:literal, $operator:tt, $($right:ty),+) => {$(
        impl<M: Mode> $trait<$right> for Vector<M> {
            #[track_caller]
            fn $method(&mut self, other: $right) {
                same_length($words, self.len(), other.len());
                for (a, b) in self.iter_mut().zip(other.iter()) {
                    *a $operator *b;
                }
            }
        }
    )+};
}
assign_elementwise!(AddAssign, add_assign, "plus", +=, Vector<M>, &Vector<M>, &[Real<M>]);
assign_elementwise!(AddAssign, add_assign, "plus", +=, &[f64], Vec<f64>, &Vec<f64>, DVector<f64>, &DVector<f64>);
assign_elementwise!(SubAssign, sub_assign, "minus", -=, Vector<M>, &Vector<M>, &[Real<M>]);
assign_elementwise!(SubAssign, sub_assign, "minus", -=, &[f64], Vec<f64>, &Vec<f64>, DVector<f64>, &DVector<f64>);

/// An assigning operator with one number.
macro_rules! assign_broadcast {
    ($trait:ident, $method:ident, $operator:tt, $($right:ty),+) => {$(
        impl<M: Mode> $trait<$right> for Vector<M> {
            fn $method(&mut self, other: $right) {
                for a in self.iter_mut() {
                    *a $operator other;
                }
            }
        }
    )+};
}
assign_broadcast!(AddAssign, add_assign, +=, Real<M>, &Real<M>, f64, &f64);
assign_broadcast!(SubAssign, sub_assign, -=, Real<M>, &Real<M>, f64, &f64);
assign_broadcast!(MulAssign, mul_assign, *=, Real<M>, &Real<M>, f64, &f64);
assign_broadcast!(DivAssign, div_assign, /=, Real<M>, &Real<M>, f64, &f64);

impl<M: Mode, I: SliceIndex<[Real<M>]>> Index<I> for Vector<M> {
    type Output = I::Output;
    #[inline(always)]
    fn index(&self, index: I) -> &I::Output {
        &self.elements()[index]
    }
}

impl<M: Mode, I: SliceIndex<[Real<M>]>> IndexMut<I> for Vector<M> {
    #[inline(always)]
    fn index_mut(&mut self, index: I) -> &mut I::Output {
        &mut (**self)[index]
    }
}

impl<M: Mode> Sum<Vector<M>> for Vector<M> {
    /// The sum of vectors of equal length; a vector of length 0 if there are none.
    fn sum<I: Iterator<Item = Self>>(vectors: I) -> Self {
        vectors
            .reduce(|mut sum, v| {
                sum += v;
                sum
            })
            .unwrap_or_else(|| Self::zeros(0))
    }
}
