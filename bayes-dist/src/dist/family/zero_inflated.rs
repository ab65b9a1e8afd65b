//! Zero inflation.

use super::with_zeros::{Inflatable, ZeroModel};
use super::zero_mass::zero_mass;
use bayes_autodiff::{Mode, Real};

/// Counts with extra zeros: 0 with probability `pi`, otherwise a count of another distribution, which may be 0 too.
///
/// ```text
/// ln p(0) = ln(π + (1-π) f(0)),    ln p(k) = ln(1-π) + ln f(k) for k ≠ 0
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ZeroInflated;

impl ZeroInflated {
    /// `pi`: the probability of an extra zero, from 0 to 1; `counts`: a discrete distribution of scalars with one or two
    /// parameters, for example `Poisson::new(rate)`. If `pi` or a parameter is a vector, the values are vectors.
    pub fn new<W, D: Inflatable<Self, W>>(pi: W, counts: D) -> D::Output {
        counts.with_zeros(pi)
    }
}

impl ZeroModel for ZeroInflated {
    const NAME: &'static str = "ZeroInflated";

    #[inline(always)]
    fn at_zero<M: Mode>(pi: Real<M>, log_zero: Real<M>) -> Real<M> {
        zero_mass(pi, log_zero)
    }

    #[inline(always)]
    fn elsewhere<M: Mode>(pi: Real<M>, _: Real<M>) -> Real<M> {
        (-pi).ln_1p()
    }

    fn keeps(_: f64) -> bool {
        true
    }
}
