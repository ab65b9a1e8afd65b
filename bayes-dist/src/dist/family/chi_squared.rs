//! The chi-squared distribution.

use super::elementary::{gamma_kernel, rest};
use super::sampler::sample;
use super::{Constraint, Continuous, Cumulative, Family, Gamma, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::ChiSquared as Sampler;
use std::f64::consts::LN_2;

/// Chi-squared distribution with degrees of freedom: a gamma distribution of shape `nu/2` and rate 1/2.
///
/// ```text
/// ln p(x) = (ν/2 - 1) ln x - x/2 - ν/2 ln 2 - ln Γ(ν/2),    x ≥ 0
/// ```
///
/// Computed as a deviance and a Stirling remainder, so it is accurate for many degrees of freedom too.
#[derive(Clone, Copy, Debug)]
pub struct ChiSquared;

impl ChiSquared {
    /// `nu`: degrees of freedom, finite and above zero.
    pub fn new<A>(nu: A) -> Univariate<Self, (A,), 1> {
        Univariate::from_parameters((nu,))
    }
}

impl Family<1> for ChiSquared {
    const NAME: &'static str = "ChiSquared";
    const PARAMETERS: [ParameterInfo; 1] = [ParameterInfo::new("nu", Constraint::Positive)];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([nu]: [Real<M>; 1]) -> Real<M> {
        -rest(nu * 0.5) - LN_2
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [nu]: [Real<M>; 1]) -> Real<M> {
        gamma_kernel(nu * 0.5, x * 0.5)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 1]) -> Support<M> {
        Support::positive()
    }

    fn draw([nu]: [f64; 1], stream: &mut Stream) -> f64 {
        sample(Sampler::new(nu), stream)
    }

    fn draw_coordinate([nu]: [f64; 1], stream: &mut Stream) -> Option<f64> {
        Gamma::draw_coordinate([0.5 * nu, 0.5], stream)
    }
}

impl Cumulative<1> for ChiSquared {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [nu]: [Real<M>; 1]) -> Real<M> {
        (nu * 0.5).ln_gamma_cdf(x * 0.5)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [nu]: [Real<M>; 1]) -> Real<M> {
        (nu * 0.5).ln_gamma_sf(x * 0.5)
    }
}
