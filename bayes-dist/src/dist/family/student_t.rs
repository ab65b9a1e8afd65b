//! Student's t distribution.

use super::elementary::log_one_plus_square;
use super::quantile::invert;
use super::sampler::sample;
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::StudentT as Sampler;
use std::f64::consts::PI;

/// Student's t distribution with degrees of freedom, location and scale.
///
/// ```text
/// ln p(x) = ln Γ((ν+1)/2) - ln Γ(ν/2) - ½ ln νπ - ln scale - (ν+1)/2 ln(1 + z²/ν),    z = (x - location)/scale
/// ```
#[derive(Clone, Copy, Debug)]
pub struct StudentT;

impl StudentT {
    /// `nu`: degrees of freedom, finite and above zero; `location`: finite; `scale`: finite and above zero (it is not
    /// the standard deviation, which is `scale √(ν/(ν-2))` and exists for `ν > 2` only).
    pub fn new<A, B, C>(nu: A, location: B, scale: C) -> Univariate<Self, (A, B, C), 3> {
        Univariate::from_parameters((nu, location, scale))
    }
}

impl Family<3> for StudentT {
    const NAME: &'static str = "StudentT";
    const PARAMETERS: [ParameterInfo; 3] = [
        ParameterInfo::new("nu", Constraint::Positive),
        ParameterInfo::new("location", Constraint::Finite),
        ParameterInfo::new("scale", Constraint::Positive),
    ];
    const NORMALISED_BY: [bool; 3] = [true, false, true];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([nu, _, scale]: [Real<M>; 3]) -> Real<M> {
        let half = nu * 0.5;
        half.ln_gamma_delta(Real::constant(0.5)) - (nu * PI).ln() * 0.5 - scale.ln()
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [nu, location, scale]: [Real<M>; 3]) -> Real<M> {
        let z = (x - location) / scale;
        -(nu + 1.0) * 0.5 * log_one_plus_square(z / nu.sqrt())
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 3]) -> Support<M> {
        Support::Real
    }

    fn draw([nu, location, scale]: [f64; 3], stream: &mut Stream) -> f64 {
        sample(Sampler::new(nu), stream) * scale + location
    }
}

impl Cumulative<3> for StudentT {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [nu, location, scale]: [Real<M>; 3]) -> Real<M> {
        nu.ln_student_cdf((x - location) / scale)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [nu, location, scale]: [Real<M>; 3]) -> Real<M> {
        nu.ln_student_cdf((location - x) / scale)
    }

    fn quantile(tail: Tail, [nu, location, scale]: [f64; 3]) -> f64 {
        if [location, scale] == [0.0, 1.0] {
            return invert::<Self, 3>(tail, [nu, 0.0, 1.0]);
        }
        location + scale * Self::quantile(tail, [nu, 0.0, 1.0])
    }
}
