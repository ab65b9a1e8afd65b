//! The zero-inflated Poisson distribution.

use super::{Poisson, Univariate, WithZeros, ZeroInflated};

/// Zero-inflated Poisson distribution (Lambert 1992): [`ZeroInflated`] of a [`Poisson`].
#[derive(Clone, Copy, Debug)]
pub struct ZeroInflatedPoisson;

impl ZeroInflatedPoisson {
    /// `pi`: the probability of an extra zero, from 0 to 1; `rate`: finite, at least 0.
    pub fn new<A, B>(pi: A, rate: B) -> Univariate<WithZeros<ZeroInflated, Poisson>, (A, B), 2> {
        ZeroInflated::new(pi, Poisson::new(rate))
    }
}
