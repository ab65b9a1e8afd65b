//! The Weibull distribution.

use super::cloglog::ln_inv_cloglog;
use super::elementary::known_ln;
use super::sampler::FLAT_SHAPE;
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::function::{Binary, Exp, Function as _, Ln};
use bayes_autodiff::simd::Simd;
use bayes_autodiff::{Mask, Mode, Real};
use rand_distr::{Distribution as _, Exp1};

/// Weibull distribution of failure times whose hazard is a power of time, increasing for `shape > 1`.
///
/// ```text
/// ln p(x) = ln shape - ln scale + (shape-1) ln z - z^shape,    z = x/scale,    x ≥ 0
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Weibull;

impl Weibull {
    /// `shape` and `scale`: finite and above zero.
    pub fn new<A, B>(shape: A, scale: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((shape, scale))
    }
}

/// `(k-1) ln z - z^k`. At `z = 0` it is the limit: infinite, or 0 for `k = 1`; at infinity minus infinity.
struct WeibullKernel;

impl Binary for WeibullKernel {
    const NAME: &'static str = "(k-1) ln z - z^k";
    bayes_autodiff::operation!(binary WeibullKernel);
    fn value(k: f64, z: f64) -> f64 {
        if z == f64::INFINITY {
            f64::NEG_INFINITY
        } else if z > 0.0 {
            (k - 1.0) * z.ln() - z.powf(k)
        } else if k == 1.0 {
            0.0
        } else {
            (1.0 - k) * f64::INFINITY
        }
    }
    fn first(k: f64, z: f64) -> (f64, [f64; 2]) {
        let along_z = if k == 1.0 {
            -1.0
        } else {
            (k - 1.0) / z - k * z.powf(k - 1.0)
        };
        // at z = 0 the value jumps in k, so there is no slope
        let along_k = if z > 0.0 {
            z.ln() * (1.0 - z.powf(k))
        } else {
            0.0
        };
        (Self::value(k, z), [along_k, along_z])
    }
    fn second(k: f64, z: f64) -> (f64, [f64; 2], [f64; 3]) {
        let (value, gradient) = Self::first(k, z);
        let (ln, power) = (z.ln(), z.powf(k));
        let mixed = (1.0 - power * (1.0 + k * ln)) / z;
        let along_z = -(k - 1.0) * (1.0 + k * power) / (z * z);
        (value, gradient, [-power * ln * ln, mixed, along_z])
    }
    #[inline(always)]
    fn lanes_first<S: Simd>(k: S::Float, z: S::Float) -> (S::Float, [S::Float; 2]) {
        let inside = S::lt(S::splat(0.0), z).and(S::lt(z, S::splat(f64::INFINITY)));
        if S::any(inside.not()) {
            return super::elementary::by_lane::<S, Self>(k, z);
        }
        let (one, ln) = (S::splat(1.0), Ln::lanes::<S>(z));
        let (less, power) = (S::sub(k, one), Exp::lanes::<S>(S::mul(k, ln)));
        let value = S::sub(S::mul(less, ln), power);
        let along_k = S::mul(ln, S::sub(one, power));
        let along_z = S::div(S::sub(less, S::mul(k, power)), z);
        (value, [along_k, along_z])
    }
    #[inline(always)]
    fn lanes<S: Simd>(k: S::Float, z: S::Float) -> S::Float {
        Self::lanes_first::<S>(k, z).0
    }
}

impl Family<2> for Weibull {
    const NAME: &'static str = "Weibull";
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
        let z = x / scale;
        match known_ln(z) {
            Some(ln) => (shape - 1.0) * ln - (shape * ln).exp(),
            None => Real(M::binary::<WeibullKernel>(shape.0, z.0)),
        }
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::positive()
    }

    fn draw([shape, scale]: [f64; 2], stream: &mut Stream) -> f64 {
        let exponential: f64 = Exp1.sample(stream);
        exponential.powf(shape.recip()) * scale
    }

    fn draw_coordinate([shape, scale]: [f64; 2], stream: &mut Stream) -> Option<f64> {
        (shape < FLAT_SHAPE).then(|| {
            let exponential: f64 = Exp1.sample(stream);
            exponential.ln() / shape + scale.ln()
        })
    }
}

impl Cumulative<2> for Weibull {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [shape, scale]: [Real<M>; 2]) -> Real<M> {
        ln_inv_cloglog(shape * (x / scale).ln())
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [shape, scale]: [Real<M>; 2]) -> Real<M> {
        -power(x / scale, shape)
    }

    fn quantile(tail: Tail, [shape, scale]: [f64; 2]) -> f64 {
        scale * (-tail.log_upper()).powf(shape.recip())
    }
}

/// `z^shape`, 0 with its slopes at 0.
///
/// The slope in `z` may be a number where the power underflows.
#[inline(always)]
fn power<M: Mode>(z: Real<M>, shape: Real<M>) -> Real<M> {
    match known_ln(z) {
        Some(ln) => (shape * ln).exp(),
        None => Real::select(z.gt(0.0), z.pow(shape), 0.0),
    }
}
