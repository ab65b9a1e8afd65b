//! An entry of a matrix of a state space model.

use super::super::Parameter;
use bayes_autodiff::{Mode, PlainValue, Real};

/// A number that is data, or a random one. Most entries of a transition are 0 or 1, and what is multiplied by them is not computed.
#[derive(Clone, Copy, Debug)]
pub enum Coefficient<M: Mode> {
    /// Data.
    Known(f64),
    /// A number that may depend on random values.
    Random(Real<M>),
}

impl<M: Mode> Coefficient<M> {
    /// 0.
    pub const ZERO: Self = Self::Known(0.0);
    /// 1.
    pub const ONE: Self = Self::Known(1.0);

    /// Element `i` of a parameter.
    #[inline(always)]
    pub fn of<P: Parameter<M>>(parameter: &P, i: usize) -> Self {
        if P::DATA {
            Self::Known(parameter.at(i).plain_value())
        } else {
            Self::Random(parameter.at(i))
        }
    }

    /// As a random number.
    #[inline(always)]
    #[must_use]
    pub fn real(self) -> Real<M> {
        match self {
            Self::Known(x) => Real::constant(x),
            Self::Random(x) => x,
        }
    }

    /// Whether it is a zero of the structure.
    #[inline(always)]
    #[must_use]
    pub fn is_zero(self) -> bool {
        matches!(self, Self::Known(0.0))
    }

    /// `self * other`; 0 if one of them is, whatever the other.
    #[inline(always)]
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        match (self, other) {
            (Self::Known(0.0), _) | (_, Self::Known(0.0)) => Self::ZERO,
            (Self::Known(1.0), x) | (x, Self::Known(1.0)) => x,
            (Self::Known(a), Self::Known(b)) => Self::Known(a * b),
            (Self::Known(a), Self::Random(b)) | (Self::Random(b), Self::Known(a)) => {
                Self::Random(b * a)
            }
            (Self::Random(a), Self::Random(b)) => Self::Random(a * b),
        }
    }

    /// `self + other`.
    #[inline(always)]
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Known(0.0), x) | (x, Self::Known(0.0)) => x,
            (Self::Known(a), Self::Known(b)) => Self::Known(a + b),
            (Self::Known(a), Self::Random(b)) | (Self::Random(b), Self::Known(a)) => {
                Self::Random(b + a)
            }
            (Self::Random(a), Self::Random(b)) => Self::Random(a + b),
        }
    }

    /// `self - other`.
    #[inline(always)]
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        match (self, other) {
            (x, Self::Known(0.0)) => x,
            (Self::Known(a), Self::Known(b)) => Self::Known(a - b),
            (Self::Random(a), Self::Random(b)) => Self::Random(a - b),
            (a, b) => a.plus(b.negated()),
        }
    }

    /// `-self`.
    #[inline(always)]
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Known(x) => Self::Known(-x),
            Self::Random(x) => Self::Random(-x),
        }
    }

    /// Its square.
    #[inline(always)]
    #[must_use]
    pub fn square(self) -> Self {
        match self {
            Self::Known(x) => Self::Known(x * x),
            Self::Random(x) => Self::Random(x.square()),
        }
    }
}

/// `Σ left[k] right[k]`.
#[inline(always)]
pub(super) fn dot<M: Mode>(left: &[Coefficient<M>], right: &[Coefficient<M>]) -> Coefficient<M> {
    let mut sum = Coefficient::ZERO;
    for (a, b) in left.iter().zip(right) {
        sum = sum.plus(a.times(*b));
    }
    sum
}
