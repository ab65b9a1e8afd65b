//! The Gumbel distribution.

use super::cloglog::ln_inv_cloglog;
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, Exp1};

/// Gumbel distribution of largest values: `P(X ≤ x) = e^(-e⁻ᶻ)` with `z = (x - location)/scale`.
///
/// ```text
/// ln p(x) = -ln scale - z - e⁻ᶻ
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Gumbel;

impl Gumbel {
    /// `location`: the mode, finite; `scale`: finite and above zero.
    pub fn new<A, B>(location: A, scale: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((location, scale))
    }
}

impl Family<2> for Gumbel {
    const NAME: &'static str = "Gumbel";
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
        -z - (-z).exp()
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::Real
    }

    fn draw([location, scale]: [f64; 2], stream: &mut Stream) -> f64 {
        let exponential: f64 = Exp1.sample(stream);
        location - scale * exponential.ln()
    }
}

impl Cumulative<2> for Gumbel {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [location, scale]: [Real<M>; 2]) -> Real<M> {
        -((location - x) / scale).exp()
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [location, scale]: [Real<M>; 2]) -> Real<M> {
        ln_inv_cloglog((location - x) / scale)
    }

    fn quantile(tail: Tail, [location, scale]: [f64; 2]) -> f64 {
        location - scale * (-tail.log_lower()).ln()
    }
}
