//! The beta distribution.

use super::elementary::{gamma_kernel, rest};
use super::sampler::{FLAT_SHAPE, log_gamma_draw, sample};
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::Beta as Sampler;

/// Beta distribution on the unit interval; its mean is `a/(a+b)`.
///
/// ```text
/// ln p(x) = (a-1) ln x + (b-1) ln(1-x) - ln B(a, b),    0 ≤ x ≤ 1
/// ```
///
/// With `n = a + b` it is a product of two gamma kernels, at `n x` and `n (1-x)`: no large terms cancel.
#[derive(Clone, Copy, Debug)]
pub struct Beta;

impl Beta {
    /// `a` and `b`: finite and above zero.
    pub fn new<A, B>(a: A, b: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((a, b))
    }
}

impl Family<2> for Beta {
    const NAME: &'static str = "Beta";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("a", Constraint::Positive),
        ParameterInfo::new("b", Constraint::Positive),
    ];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([a, b]: [Real<M>; 2]) -> Real<M> {
        let n = a + b;
        n.ln() + rest(n) - rest(a) - rest(b)
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [a, b]: [Real<M>; 2]) -> Real<M> {
        let n = a + b;
        gamma_kernel(a, n * x) + gamma_kernel(b, n * (1.0 - x))
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::unit()
    }

    fn draw([a, b]: [f64; 2], stream: &mut Stream) -> f64 {
        sample(Sampler::new(a, b), stream)
    }

    fn draw_coordinate([a, b]: [f64; 2], stream: &mut Stream) -> Option<f64> {
        // 1 - x rounds to 0 where it is below 1e-16
        (a < FLAT_SHAPE || b < 1.0).then(|| log_gamma_draw(a, stream) - log_gamma_draw(b, stream))
    }
}

impl Cumulative<2> for Beta {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [a, b]: [Real<M>; 2]) -> Real<M> {
        x.logit().ln_beta_cdf(a, b)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [a, b]: [Real<M>; 2]) -> Real<M> {
        (-x.logit()).ln_beta_cdf(b, a)
    }
}
