//! The logit-normal distribution.

use super::elementary::HALF_LN_TAU;
use super::quantile::standard_normal;
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real, Value};
use rand_distr::{Distribution as _, StandardNormal};

/// Logit-normal distribution on the unit interval: `ln(x/(1-x))` is normal.
///
/// ```text
/// ln p(x) = -½ ((logit x - mu)/sigma)² - ln x - ln(1-x) - ln sigma - ½ ln 2π,    0 < x < 1
/// ```
///
/// Elsewhere: `LogitNormal` in PyMC; in Stan and NumPyro a normal variable and a transform.
#[derive(Clone, Copy, Debug)]
pub struct LogitNormal;

impl LogitNormal {
    /// `mu`: finite, the mean of the logit; `sigma`: finite and above zero, its standard deviation.
    pub fn new<A, B>(mu: A, sigma: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((mu, sigma))
    }
}

impl Family<2> for LogitNormal {
    const NAME: &'static str = "LogitNormal";
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
        let logit = x.logit();
        let z = (logit - mu) / sigma;
        let log_density = z * z * -0.5 - x.ln() - (-x).ln_1p();
        // at the ends infinite terms would cancel to NaN; the limit is minus infinity
        let inside = logit.abs().le(f64::MAX);
        Real::select(inside, log_density, f64::NEG_INFINITY)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::unit()
    }

    fn draw([mu, sigma]: [f64; 2], stream: &mut Stream) -> f64 {
        let z: f64 = StandardNormal.sample(stream);
        logistic(mu + sigma * z)
    }

    fn draw_coordinate([mu, sigma]: [f64; 2], stream: &mut Stream) -> Option<f64> {
        let z: f64 = StandardNormal.sample(stream);
        Some(mu + sigma * z)
    }

    fn gaussian([mu, sigma]: [f64; 2]) -> Option<(f64, f64)> {
        Some((mu, sigma))
    }
}

impl Cumulative<2> for LogitNormal {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [mu, sigma]: [Real<M>; 2]) -> Real<M> {
        ((x.logit() - mu) / sigma).ln_norm_cdf()
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [mu, sigma]: [Real<M>; 2]) -> Real<M> {
        ((mu - x.logit()) / sigma).ln_norm_cdf()
    }

    fn quantile(tail: Tail, [mu, sigma]: [f64; 2]) -> f64 {
        logistic(mu + sigma * standard_normal(tail))
    }
}

fn logistic(x: f64) -> f64 {
    Real::<Value>::constant(x).logistic().primal()
}
