//! The ordered logistic distribution: ordered categories, defined by cutpoints of a logistic variable.

use super::ordinal::{Ordinal, OrdinalLink};
use crate::rng::Stream;
use bayes_autodiff::{Mode, Real};
use rand::RngExt;

/// Ordered logistic distribution: the interval, out of `K` numbered from 0, that contains a logistic variable about
/// `eta`.
///
/// ```text
/// p(k) = σ(c_{k+1} - η) - σ(c_k - η),    c_0 = -∞,  c_K = ∞,    k = 0..K-1
/// ln p(k) = ln σ(η - c_k) + ln σ(c_{k+1} - η) + ln(1 - e^(c_k - c_{k+1}))
/// ```
///
/// The second form avoids the cancellation in the first. `η` is a number, or a vector with
/// one for each observation; the `K - 1` finite cutpoints are shared by all. McCullagh (1980).
#[derive(Clone, Copy, Debug)]
pub struct OrderedLogistic;

impl OrderedLogistic {
    /// `eta`: a finite number, or a vector of them; `cutpoints`: a vector of increasing finite numbers, one fewer than
    /// the categories.
    pub fn new<A, C>(eta: A, cutpoints: C) -> Ordinal<Self, A, C> {
        Ordinal::of(eta, cutpoints)
    }
}

impl OrdinalLink for OrderedLogistic {
    const NAME: &'static str = "OrderedLogistic";

    #[inline(always)]
    fn log_below<M: Mode>(z: Real<M>) -> Real<M> {
        z.ln_logistic()
    }

    #[inline(always)]
    fn log_between<M: Mode>(eta: Real<M>, low: Real<M>, high: Real<M>) -> Real<M> {
        (eta - low).ln_logistic() + (high - eta).ln_logistic() + (low - high).log1m_exp()
    }

    fn draw(stream: &mut Stream) -> f64 {
        let u: f64 = stream.random();
        (u / (1.0 - u)).ln()
    }
}
