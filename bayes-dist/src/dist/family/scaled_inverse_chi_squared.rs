//! The scaled inverse chi-squared distribution.

use super::elementary::{known_ln, none_at_infinity};
use super::gamma_kernel_apart::LARGE;
use super::inverse_gamma::is_far;
use super::{
    Constraint, Continuous, Cumulative, Family, InverseGamma, ParameterInfo, Tail, Univariate,
};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::function::deviance_apart;
use bayes_autodiff::{Mode, Real};

/// Scaled inverse chi-squared distribution, the conjugate prior of a normal variance: `nu scale²/x` is chi-squared.
///
/// ```text
/// ln p(x) = ½ν ln(½ν) - ln Γ(½ν) + ν ln scale - (½ν+1) ln x - ½ν scale²/x,    x > 0
/// ```
///
/// It is [`InverseGamma`] at `(½ν, ½ν scale²)`. Elsewhere: `scaled_inv_chi_square` in Stan; PyMC and NumPyro have none.
#[derive(Clone, Copy, Debug)]
pub struct ScaledInverseChiSquared;

impl ScaledInverseChiSquared {
    /// `nu`: degrees of freedom, `scale`: in the units of the standard deviation; finite and above zero.
    pub fn new<A, B>(nu: A, scale: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((nu, scale))
    }
}

/// The parameters of the inverse gamma distribution.
#[inline(always)]
fn inverse_gamma<M: Mode>([nu, scale]: [Real<M>; 2]) -> [Real<M>; 2] {
    let half = nu * 0.5;
    [half, half * scale * scale]
}

impl Family<2> for ScaledInverseChiSquared {
    const NAME: &'static str = "ScaledInverseChiSquared";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("nu", Constraint::Positive),
        ParameterInfo::new("scale", Constraint::Positive),
    ];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>(parameters: [Real<M>; 2]) -> Real<M> {
        InverseGamma::log_normaliser(inverse_gamma(parameters))
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, parameters: [Real<M>; 2]) -> Real<M> {
        let [half, scale] = inverse_gamma(parameters);
        let variance = parameters[1].square();
        let kernel = |x: Real<M>| {
            let z = scale / x;
            // z - ½ν, a difference that a large ν would swallow
            let apart = half * ((variance - x) / x);
            let near = none_at_infinity(z, z.ln() - deviance_apart(half, z, apart));
            let far = -(half + 1.0) * (x / scale).ln() - half * (half.ln() - 1.0);
            Real::select(is_far(x, scale), far, near)
        };
        if known_ln(x).is_none() {
            return kernel(x);
        }
        // `x` may round to 0 or to infinity, but its logarithm does not
        let is_large = half.gt(LARGE);
        let of_large = kernel(Real::select(is_large, x, variance));
        let by_logarithm = InverseGamma::log_kernel(x, [half, scale]);
        Real::select(is_large, of_large, by_logarithm)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::positive()
    }

    fn draw([nu, scale]: [f64; 2], stream: &mut Stream) -> f64 {
        InverseGamma::draw([0.5 * nu, 0.5 * nu * scale * scale], stream)
    }

    fn draw_coordinate([nu, scale]: [f64; 2], stream: &mut Stream) -> Option<f64> {
        InverseGamma::draw_coordinate([0.5 * nu, 0.5 * nu * scale * scale], stream)
    }
}

impl Cumulative<2> for ScaledInverseChiSquared {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, parameters: [Real<M>; 2]) -> Real<M> {
        InverseGamma::log_cdf(x, inverse_gamma(parameters))
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, parameters: [Real<M>; 2]) -> Real<M> {
        InverseGamma::log_sf(x, inverse_gamma(parameters))
    }

    fn quantile(tail: Tail, [nu, scale]: [f64; 2]) -> f64 {
        InverseGamma::quantile(tail, [0.5 * nu, 0.5 * nu * scale * scale])
    }
}
