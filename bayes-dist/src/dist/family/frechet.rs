//! The Fréchet distribution.

use super::cloglog::ln_inv_cloglog;
use super::sampler::FLAT_SHAPE;
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, Exp1};

/// Fréchet distribution of maxima with heavy tails: the inverse of a Weibull variable.
///
/// ```text
/// ln p(x) = ln shape - ln scale - (shape+1) ln z - z^-shape,    z = x/scale,    x > 0
/// ```
///
/// Elsewhere: `frechet` in Stan; PyMC and NumPyro have none.
#[derive(Clone, Copy, Debug)]
pub struct Frechet;

impl Frechet {
    /// `shape` and `scale`: finite and above zero.
    pub fn new<A, B>(shape: A, scale: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((shape, scale))
    }
}

impl Family<2> for Frechet {
    const NAME: &'static str = "Frechet";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("shape", Constraint::Positive),
        ParameterInfo::new("scale", Constraint::Positive),
    ];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([shape, scale]: [Real<M>; 2]) -> Real<M> {
        shape.ln() - scale.ln()
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [shape, scale]: [Real<M>; 2]) -> Real<M> {
        let log_z = (x / scale).ln();
        let log_density = -(shape + 1.0) * log_z - (-shape * log_z).exp();
        // at 0 the two infinite terms would cancel to NaN; the limit is minus infinity
        Real::select(log_z.gt(f64::MIN), log_density, f64::NEG_INFINITY)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::positive()
    }

    fn draw([shape, scale]: [f64; 2], stream: &mut Stream) -> f64 {
        let exponential: f64 = Exp1.sample(stream);
        scale * exponential.powf(-shape.recip())
    }

    fn draw_coordinate([shape, scale]: [f64; 2], stream: &mut Stream) -> Option<f64> {
        (shape < FLAT_SHAPE).then(|| {
            let exponential: f64 = Exp1.sample(stream);
            scale.ln() - exponential.ln() / shape
        })
    }
}

impl Cumulative<2> for Frechet {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [shape, scale]: [Real<M>; 2]) -> Real<M> {
        -(-shape * (x / scale).ln()).exp()
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [shape, scale]: [Real<M>; 2]) -> Real<M> {
        ln_inv_cloglog(-shape * (x / scale).ln())
    }

    fn quantile(tail: Tail, [shape, scale]: [f64; 2]) -> f64 {
        scale * (-tail.log_lower()).powf(-shape.recip())
    }
}
