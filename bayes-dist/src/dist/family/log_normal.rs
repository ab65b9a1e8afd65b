//! The log-normal distribution.

use super::elementary::HALF_LN_TAU;
use super::quantile::standard_normal;
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, StandardNormal};

/// Log-normal distribution: the exponential of a normal variable.
///
/// ```text
/// ln p(x) = -½ ((ln x - mu)/sigma)² - ln x - ln sigma - ½ ln 2π,    x > 0
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LogNormal;

impl LogNormal {
    /// `mu`: finite, the mean of `ln x`; `sigma`: finite and above zero, its standard deviation.
    pub fn new<A, B>(mu: A, sigma: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((mu, sigma))
    }
}

impl Family<2> for LogNormal {
    const NAME: &'static str = "LogNormal";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("mu", Constraint::Finite),
        ParameterInfo::new("sigma", Constraint::Positive),
    ];
    const NORMALISED_BY: [bool; 2] = [false, true];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([_, sigma]: [Real<M>; 2]) -> Real<M> {
        -sigma.ln() - HALF_LN_TAU
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [mu, sigma]: [Real<M>; 2]) -> Real<M> {
        let log_x = x.ln();
        let z = (log_x - mu) / sigma;
        // at 0 the two infinite terms would cancel to NaN; the limit is minus infinity
        let above_zero = log_x.ge(f64::MIN);
        Real::select(above_zero, z * z * -0.5 - log_x, f64::NEG_INFINITY)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::positive()
    }

    fn draw([mu, sigma]: [f64; 2], stream: &mut Stream) -> f64 {
        let z: f64 = StandardNormal.sample(stream);
        (mu + sigma * z).exp()
    }

    fn draw_coordinate([mu, sigma]: [f64; 2], stream: &mut Stream) -> Option<f64> {
        let z: f64 = StandardNormal.sample(stream);
        Some(mu + sigma * z)
    }

    fn gaussian([mu, sigma]: [f64; 2]) -> Option<(f64, f64)> {
        Some((mu, sigma))
    }
}

impl Cumulative<2> for LogNormal {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [mu, sigma]: [Real<M>; 2]) -> Real<M> {
        ((x.ln() - mu) / sigma).ln_norm_cdf()
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [mu, sigma]: [Real<M>; 2]) -> Real<M> {
        ((mu - x.ln()) / sigma).ln_norm_cdf()
    }

    fn quantile(tail: Tail, [mu, sigma]: [f64; 2]) -> f64 {
        (mu + sigma * standard_normal(tail)).exp()
    }
}
