//! The form of a parameter, known at compile time: one value, a vector or a matrix of them.

use super::Quantity;
use bayes_autodiff::{Matrix, Mode, Real, Vector};

/// A single value.
#[derive(Clone, Copy, Debug)]
pub struct One;

/// A vector of values.
#[derive(Clone, Copy, Debug)]
pub struct Many;

/// A matrix of values.
#[derive(Clone, Copy, Debug)]
pub struct Grid;

/// [`One`], [`Many`] or [`Grid`]: what a scalar family with such parameters is a distribution of.
pub trait Form {
    /// `Real`, `Vector` or `Matrix`.
    type Value<M: Mode>: Quantity<M>;
    /// Whether it is [`One`].
    const SINGLE: bool = false;
}
impl Form for One {
    const SINGLE: bool = true;
    type Value<M: Mode> = Real<M>;
}
impl Form for Many {
    type Value<M: Mode> = Vector<M>;
}
impl Form for Grid {
    type Value<M: Mode> = Matrix<M>;
}

/// The form of several parameters together: the largest of them.
pub trait Join<B: Form>: Form {
    /// The larger form.
    type Output: Form;
}

macro_rules! join {
    ($($a:ty, $b:ty => $out:ty);* $(;)?) => {$(
        impl Join<$b> for $a {
            type Output = $out;
        }
    )*};
}

join! {
    One, One => One;
    One, Many => Many;
    One, Grid => Grid;
    Many, One => Many;
    Many, Many => Many;
    Many, Grid => Grid;
    Grid, One => Grid;
    Grid, Many => Grid;
    Grid, Grid => Grid;
}
