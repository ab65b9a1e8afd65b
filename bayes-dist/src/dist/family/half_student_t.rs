//! The half-Student-t distribution.

use super::elementary::log_one_plus_square;
use super::quantile::invert;
use super::sampler::{FLAT_SHAPE, log_gamma_draw, sample};
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, StandardNormal, StudentT as Sampler};
use std::f64::consts::{LN_2, PI};

/// Half-Student-t distribution: the absolute value of a Student's t variable centred at 0.
///
/// ```text
/// ln p(x) = ln 2 + ln Γ((ν+1)/2) - ln Γ(ν/2) - ½ ln νπ - ln scale - (ν+1)/2 ln(1 + (x/scale)²/ν),    x ≥ 0
/// ```
#[derive(Clone, Copy, Debug)]
pub struct HalfStudentT;

impl HalfStudentT {
    /// `nu`: degrees of freedom, `scale`: both finite and above zero.
    pub fn new<A, B>(nu: A, scale: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((nu, scale))
    }
}

impl Family<2> for HalfStudentT {
    const NAME: &'static str = "HalfStudentT";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("nu", Constraint::Positive),
        ParameterInfo::new("scale", Constraint::Positive),
    ];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([nu, scale]: [Real<M>; 2]) -> Real<M> {
        let half = nu * 0.5;
        half.ln_gamma_delta(Real::constant(0.5)) - (nu * PI).ln() * 0.5 - scale.ln() + LN_2
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [nu, scale]: [Real<M>; 2]) -> Real<M> {
        -(nu + 1.0) * 0.5 * log_one_plus_square(x / scale / nu.sqrt())
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::positive()
    }

    fn draw([nu, scale]: [f64; 2], stream: &mut Stream) -> f64 {
        sample(Sampler::new(nu), stream).abs() * scale
    }

    fn draw_coordinate([nu, scale]: [f64; 2], stream: &mut Stream) -> Option<f64> {
        (nu < FLAT_SHAPE).then(|| {
            // a normal variable divided by the root of a gamma variable over its shape
            let z: f64 = StandardNormal.sample(stream);
            let log_chi_squared = log_gamma_draw(0.5 * nu, stream) + LN_2;
            z.abs().ln() - 0.5 * (log_chi_squared - nu.ln()) + scale.ln()
        })
    }
}

impl Cumulative<2> for HalfStudentT {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [nu, scale]: [Real<M>; 2]) -> Real<M> {
        log_odds(nu, x / scale).ln_beta_cdf(Real::constant(0.5), nu * 0.5)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [nu, scale]: [Real<M>; 2]) -> Real<M> {
        (-log_odds(nu, x / scale)).ln_beta_cdf(nu * 0.5, Real::constant(0.5))
    }

    fn quantile(tail: Tail, [nu, scale]: [f64; 2]) -> f64 {
        if scale == 1.0 {
            return invert::<Self, 2>(tail, [nu, 1.0]);
        }
        scale * Self::quantile(tail, [nu, 1.0])
    }
}

/// The logit of `z²/(ν + z²)`, which has a beta distribution.
#[inline(always)]
fn log_odds<M: Mode>(nu: Real<M>, z: Real<M>) -> Real<M> {
    z.ln() * 2.0 - nu.ln()
}
