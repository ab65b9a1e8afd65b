//! The exponentially modified normal distribution.

use super::elementary::ln_norm_cdf_scaled;
use super::lifted::{LiftedFunction, integral, lifted_operation, of_two};
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real, SingleParticle};
use rand_distr::{Distribution as _, Exp1, StandardNormal};
use std::f64::consts::LN_2;

/// Exponentially modified normal (ex-Gaussian) distribution: the sum of a normal and an exponential variable, used for
/// reaction times.
///
/// ```text
/// ln p(x) = ln rate - k z + ½ k² + ln Φ(z - k),    z = (x - mean)/sd,    k = rate sd
/// ```
///
/// For `z < k` the two squares would cancel: there the density is `ln rate - ½ z² + (ln Φ(t) + ½ t²)` at `t = z - k`. The
/// mean is `mean + 1/rate`. Elsewhere: `exp_mod_normal` in Stan, `ExGaussian` in PyMC (whose `nu` is `1/rate`); NumPyro
/// has none.
#[derive(Clone, Copy, Debug)]
pub struct ExponentiallyModifiedNormal;

impl ExponentiallyModifiedNormal {
    /// `mean` of the normal variable: finite; its `sd` and the `rate` of the exponential variable: finite and above zero.
    pub fn new<A, B, C>(mean: A, sd: B, rate: C) -> Univariate<Self, (A, B, C), 3> {
        Univariate::from_parameters((mean, sd, rate))
    }
}

/// The log density divided by the rate.
#[inline(always)]
fn log_scaled<M: Mode>(z: Real<M>, k: Real<M>) -> Real<M> {
    let t = z - k;
    let above = -k * (z - k * 0.5) + t.ln_norm_cdf();
    Real::select(t.lt(0.0), log_below(z, t), above)
}

/// The same at `t = z - k` below 0.
#[inline(always)]
fn log_below<M: Mode>(z: Real<M>, t: Real<M>) -> Real<M> {
    z * z * -0.5 + ln_norm_cdf_scaled(t)
}

impl Family<3> for ExponentiallyModifiedNormal {
    const NAME: &'static str = "ExponentiallyModifiedNormal";
    const PARAMETERS: [ParameterInfo; 3] = [
        ParameterInfo::new("mean", Constraint::Finite),
        ParameterInfo::new("sd", Constraint::Positive),
        ParameterInfo::new("rate", Constraint::Positive),
    ];
    const NORMALISED_BY: [bool; 3] = [false, false, true];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([_, _, rate]: [Real<M>; 3]) -> Real<M> {
        rate.ln()
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [mean, sd, rate]: [Real<M>; 3]) -> Real<M> {
        let (gap, k) = (x - mean, rate * sd);
        let (z, t) = (gap / sd, gap / sd - k);
        // far above, the parts of the slope in `sd` would cancel if they went through `z`
        let above = -rate * (gap - sd * k * 0.5) + t.ln_norm_cdf();
        Real::select(t.lt(0.0), log_below(z, t), above)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 3]) -> Support<M> {
        Support::Real
    }

    fn draw([mean, sd, rate]: [f64; 3], stream: &mut Stream) -> f64 {
        let (z, e): (f64, f64) = (StandardNormal.sample(stream), Exp1.sample(stream));
        mean + sd * z + e / rate
    }
}

impl Cumulative<3> for ExponentiallyModifiedNormal {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [mean, sd, rate]: [Real<M>; 3]) -> Real<M> {
        of_two::<M, LogBelow>([(x - mean) / sd, rate * sd])
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [mean, sd, rate]: [Real<M>; 3]) -> Real<M> {
        of_two::<M, LogAbove>([(x - mean) / sd, rate * sd])
    }
}

/// `ln P(X ≤ x)` at `z` and `k`.
struct LogBelow;

impl LiftedFunction<2> for LogBelow {
    const NAME: &'static str = "ln F of the exponentially modified normal";
    lifted_operation!(binary LogBelow);
    fn evaluate<M: SingleParticle>([z, k]: [Real<M>; 2]) -> Real<M> {
        let upper = log_upper(z, k);
        if upper.primal() < -LN_2 {
            upper.log1m_exp()
        } else {
            log_lower(z, k)
        }
    }
}

/// `ln P(X > x)` at `z` and `k`.
struct LogAbove;

impl LiftedFunction<2> for LogAbove {
    const NAME: &'static str = "ln S of the exponentially modified normal";
    lifted_operation!(binary LogAbove);
    fn evaluate<M: SingleParticle>([z, k]: [Real<M>; 2]) -> Real<M> {
        let upper = log_upper(z, k);
        if upper.primal() < -LN_2 {
            upper
        } else {
            log_lower(z, k).log1m_exp()
        }
    }
}

/// `P(X > x)` is the sum of `Φ(-z)` and the density divided by the rate.
fn log_upper<M: SingleParticle>(z: Real<M>, k: Real<M>) -> Real<M> {
    (-z).ln_norm_cdf().log_add_exp(log_scaled(z, k))
}

/// For `z` above 0, `P(X ≤ x)` is `Φ(z)` minus the density divided by the rate. Below 0 the two would cancel, so there it
/// is an integral over the exponential variable: `Φ(z) ∫ k e^(-ks) Φ(z-s)/Φ(z) ds`.
fn log_lower<M: SingleParticle>(z: Real<M>, k: Real<M>) -> Real<M> {
    let whole = z.ln_norm_cdf();
    if z.primal() > 0.0 {
        return whole.log_diff_exp(log_scaled(z, k));
    }
    let at = z.primal().abs();
    let scale = 1.0 / (1.0 + at + k.primal());
    // beyond this span the normal probability has fallen by e⁴⁵
    let span = 90.0 / (at + (at * at + 90.0).sqrt());
    let start = ln_norm_cdf_scaled(z);
    let mass = integral(scale, Real::constant(span), |s| {
        let fall = s * (z - s * 0.5) + ln_norm_cdf_scaled(z - s) - start;
        (fall - k * s).exp()
    });
    whole + k.ln() + mass.ln()
}
