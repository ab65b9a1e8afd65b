//! The form of a parameter, known at compile time: one value, a vector or a matrix of them.

use super::Quantity;
use bayes_autodiff::{Matrix, Mode, Real, Vector};

/// A single value.
#[derive(Clone, Copy, Debug)]
pub struct ScalarForm;

/// A vector of values.
#[derive(Clone, Copy, Debug)]
pub struct VectorForm;

/// A matrix of values.
#[derive(Clone, Copy, Debug)]
pub struct MatrixForm;

/// [`ScalarForm`], [`VectorForm`] or [`MatrixForm`]: the type of value of a scalar family with such parameters.
pub trait Form {
    /// `Real`, `Vector` or `Matrix`.
    type Value<M: Mode>: Quantity<M>;
    /// Whether the form is [`ScalarForm`].
    const SINGLE: bool = false;
}
impl Form for ScalarForm {
    const SINGLE: bool = true;
    type Value<M: Mode> = Real<M>;
}
impl Form for VectorForm {
    type Value<M: Mode> = Vector<M>;
}
impl Form for MatrixForm {
    type Value<M: Mode> = Matrix<M>;
}

/// The form of several parameters together: the largest of them.
pub trait Broadcast<B: Form>: Form {
    /// The larger form.
    type Output: Form;
}

macro_rules! broadcast {
    ($($a:ty, $b:ty => $out:ty);* $(;)?) => {$(
        impl Broadcast<$b> for $a {
            type Output = $out;
        }
    )*};
}

broadcast! {
    ScalarForm, ScalarForm => ScalarForm;
    ScalarForm, VectorForm => VectorForm;
    ScalarForm, MatrixForm => MatrixForm;
    VectorForm, ScalarForm => VectorForm;
    VectorForm, VectorForm => VectorForm;
    VectorForm, MatrixForm => MatrixForm;
    MatrixForm, ScalarForm => MatrixForm;
    MatrixForm, VectorForm => MatrixForm;
    MatrixForm, MatrixForm => MatrixForm;
}
