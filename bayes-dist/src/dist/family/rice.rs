//! The Rice distribution.

use super::{Constraint, Continuous, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mask, Mode, Real};
use rand_distr::{Distribution as _, StandardNormal};

/// Rice distribution: the length of a vector of two normal variables with standard deviation `sigma`, whose mean
/// vector has length `nu`.
///
/// ```text
/// ln p(x) = ln x - 2 ln sigma - ½ ((x - nu)/sigma)² + ln(e⁻ᵗ I₀(t)),    t = x nu/sigma²,    x ≥ 0
/// ```
///
/// Rice (1945). Elsewhere: `Rice` in PyMC; Stan and NumPyro have none.
#[derive(Clone, Copy, Debug)]
pub struct Rice;

impl Rice {
    /// `nu`: finite, at least 0 (at 0 it is [`Rayleigh`](super::Rayleigh)); `sigma`: finite and above zero.
    pub fn new<A, B>(nu: A, sigma: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((nu, sigma))
    }
}

impl Family<2> for Rice {
    const NAME: &'static str = "Rice";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("nu", Constraint::NonNegative),
        ParameterInfo::new("sigma", Constraint::Positive),
    ];
    const NORMALISED_BY: [bool; 2] = [false, true];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([_, sigma]: [Real<M>; 2]) -> Real<M> {
        sigma.ln() * -2.0
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [nu, sigma]: [Real<M>; 2]) -> Real<M> {
        let (z, centre) = (x / sigma, nu / sigma);
        let off = z - centre;
        let bessel = (z * centre).ln_bessel_i0_scaled();
        let log_density = x.ln() - off * off * 0.5 + bessel;
        // at infinity the infinite terms would cancel to NaN; the limit is minus infinity
        let inside = x.gt(0.0).and(off.lt(1e150));
        Real::select(inside, log_density, f64::NEG_INFINITY)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::positive()
    }

    fn draw([nu, sigma]: [f64; 2], stream: &mut Stream) -> f64 {
        let (a, b): (f64, f64) = (StandardNormal.sample(stream), StandardNormal.sample(stream));
        (nu + sigma * a).hypot(sigma * b)
    }
}
