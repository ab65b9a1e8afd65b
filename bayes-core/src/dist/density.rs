//! `distribution.log_density(&value)` for users, inside model code.

use super::{Distribution, Random};
use bayes_autodiff::Real;

/// The log density as a method that needs no type annotation: the mode follows from the value.
pub trait ScoreValue {
    /// Log density at a random value (log mass for discrete values), fully normalised.
    ///
    /// In a model it can be a term of its own: `factor(Normal::new(0.0, 1.0).log_density(&residual))`.
    #[inline(always)]
    fn log_density<Q: Random>(&self, value: &Q) -> Real<Q::Mode>
    where
        Self: Distribution<Q::Mode, Value = Q>,
    {
        self.log_density_at(value)
    }
}

impl<D: ?Sized> ScoreValue for D {}
