//! Hurdle distributions.

use super::with_zeros::{Inflatable, ZeroModel};
use bayes_autodiff::{Mode, Real};

/// Hurdle distribution of counts (Mullahy 1986): 0 with probability `pi`, otherwise a count of another distribution
/// given that it is not 0.
///
/// ```text
/// ln p(0) = ln π,    ln p(k) = ln(1-π) + ln f(k) - ln(1 - f(0)) for k ≠ 0
/// ```
///
/// If nearly all mass of the counts is at 0, `1 - f(0)` is only as accurate as `ln f(0)`.
#[derive(Clone, Copy, Debug)]
pub struct Hurdle;

impl Hurdle {
    /// `pi`: the probability of a zero, from 0 to 1; `counts`: a discrete distribution of scalars with one or two
    /// parameters, for example `Poisson::new(rate)`. If `pi` or a parameter is a vector, the values are vectors.
    pub fn new<W, D: Inflatable<Self, W>>(pi: W, counts: D) -> D::Output {
        counts.with_zeros(pi)
    }
}

impl ZeroModel for Hurdle {
    const NAME: &'static str = "Hurdle";

    #[inline(always)]
    fn at_zero<M: Mode>(pi: Real<M>, _: Real<M>) -> Real<M> {
        pi.ln()
    }

    #[inline(always)]
    fn elsewhere<M: Mode>(pi: Real<M>, log_zero: Real<M>) -> Real<M> {
        (-pi).ln_1p() - log_zero.log1m_exp()
    }

    fn keeps(x: f64) -> bool {
        x != 0.0
    }
}
