//! The logistic distribution.

use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, Open01};

/// Logistic distribution; its standard deviation is `scale π/√3`.
///
/// ```text
/// ln p(x) = ln σ(z) + ln σ(-z) - ln scale,    z = (x - location)/scale,    σ(z) = 1/(1 + e⁻ᶻ)
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Logistic;

impl Logistic {
    /// `location`: finite; `scale`: finite and above zero.
    pub fn new<A, B>(location: A, scale: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((location, scale))
    }
}

impl Family<2> for Logistic {
    const NAME: &'static str = "Logistic";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("location", Constraint::Finite),
        ParameterInfo::new("scale", Constraint::Positive),
    ];
    const NORMALISED_BY: [bool; 2] = [false, true];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([_, scale]: [Real<M>; 2]) -> Real<M> {
        -scale.ln()
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [location, scale]: [Real<M>; 2]) -> Real<M> {
        let z = (x - location) / scale;
        z.ln_logistic() + (-z).ln_logistic()
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::Real
    }

    fn draw([location, scale]: [f64; 2], stream: &mut Stream) -> f64 {
        let u: f64 = Open01.sample(stream);
        location + scale * (u.ln() - (-u).ln_1p())
    }
}

impl Cumulative<2> for Logistic {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [location, scale]: [Real<M>; 2]) -> Real<M> {
        ((x - location) / scale).ln_logistic()
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [location, scale]: [Real<M>; 2]) -> Real<M> {
        ((location - x) / scale).ln_logistic()
    }

    fn quantile(tail: Tail, [location, scale]: [f64; 2]) -> f64 {
        location + scale * (tail.log_lower() - tail.log_upper())
    }
}
