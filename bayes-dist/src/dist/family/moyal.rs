//! The Moyal distribution.

use super::elementary::HALF_LN_TAU;
use super::quantile::{invert, standard_normal};
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, StandardNormal};
use std::f64::consts::{FRAC_1_SQRT_2, LN_2};

/// Moyal distribution: the energy that a fast particle loses in thin matter, an approximation of Landau's distribution.
///
/// ```text
/// ln p(x) = -½ (z + e⁻ᶻ) - ln scale - ½ ln 2π,    z = (x - location)/scale
/// ```
///
/// `e⁻ᶻ` is the square of a standard normal variable. Moyal (1955). Elsewhere: `Moyal` in PyMC; Stan and NumPyro have none.
#[derive(Clone, Copy, Debug)]
pub struct Moyal;

impl Moyal {
    /// `location`: finite; `scale`: finite and above zero.
    pub fn new<A, B>(location: A, scale: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((location, scale))
    }
}

impl Family<2> for Moyal {
    const NAME: &'static str = "Moyal";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("location", Constraint::Finite),
        ParameterInfo::new("scale", Constraint::Positive),
    ];
    const NORMALISED_BY: [bool; 2] = [false, true];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([_, scale]: [Real<M>; 2]) -> Real<M> {
        -scale.ln() - HALF_LN_TAU
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [location, scale]: [Real<M>; 2]) -> Real<M> {
        let z = (x - location) / scale;
        (z + (-z).exp()) * -0.5
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::Real
    }

    fn draw([location, scale]: [f64; 2], stream: &mut Stream) -> f64 {
        let root: f64 = StandardNormal.sample(stream);
        location - 2.0 * scale * root.abs().ln()
    }
}

/// `e^(-z/2)`, the size of the normal variable.
#[inline(always)]
fn root<M: Mode>(x: Real<M>, [location, scale]: [Real<M>; 2]) -> Real<M> {
    ((x - location) / scale * -0.5).exp()
}

impl Cumulative<2> for Moyal {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, parameters: [Real<M>; 2]) -> Real<M> {
        let root = root(x, parameters);
        let near = (-(root * FRAC_1_SQRT_2).erf()).ln_1p();
        Real::select(root.lt(1.0), near, (-root).ln_norm_cdf() + LN_2)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, parameters: [Real<M>; 2]) -> Real<M> {
        let root = root(x, parameters);
        let far = ((-root).ln_norm_cdf() + LN_2).log1m_exp();
        // near 0 the error function keeps the digits, and further out it is proportional to the root, which underflows
        let near = (root * FRAC_1_SQRT_2).erf().ln();
        let [location, scale] = parameters;
        let beyond = (x - location) / scale * -0.5 - (HALF_LN_TAU - LN_2);
        Real::select(root.lt(1e-9), beyond, Real::select(root.lt(1.0), near, far))
    }

    fn quantile(tail: Tail, [location, scale]: [f64; 2]) -> f64 {
        let lower = tail.log_lower();
        if lower > -0.1 {
            // near 0 the quantile of the normal distribution has no digits left
            return invert::<Self, 2>(tail, [location, scale]);
        }
        location - 2.0 * scale * (-standard_normal(Tail::Lower(lower - LN_2))).ln()
    }
}
