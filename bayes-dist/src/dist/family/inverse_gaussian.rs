//! The inverse Gaussian distribution.

use super::elementary::{HALF_LN_TAU, ln_norm_cdf_scaled};
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand::RngExt;
use rand_distr::{Distribution as _, StandardNormal};

/// Inverse Gaussian (Wald) distribution: the time that a Brownian motion with drift takes to reach a level.
///
/// ```text
/// ln p(x) = ½ ln shape - ½ ln 2π - 3/2 ln x - shape (x - mean)²/(2 mean² x),    x > 0
/// ```
///
/// The variance is `mean³/shape`. Elsewhere: `Wald` in PyMC; Stan and NumPyro have none.
#[derive(Clone, Copy, Debug)]
pub struct InverseGaussian;

impl InverseGaussian {
    /// `mean` and `shape`: finite and above zero.
    pub fn new<A, B>(mean: A, shape: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((mean, shape))
    }
}

impl Family<2> for InverseGaussian {
    const NAME: &'static str = "InverseGaussian";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("mean", Constraint::Positive),
        ParameterInfo::new("shape", Constraint::Positive),
    ];
    const NORMALISED_BY: [bool; 2] = [false, true];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([_, shape]: [Real<M>; 2]) -> Real<M> {
        shape.ln() * 0.5 - HALF_LN_TAU
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [mean, shape]: [Real<M>; 2]) -> Real<M> {
        // on either side the form whose slopes keep their digits
        let below = shape / x * (x / mean - 1.0).square();
        let above = shape / mean * ((x - mean) / mean) * ((x - mean) / x);
        let distance = Real::select(x.lt(mean * 0.5), below, above);
        let log_density = x.ln() * -1.5 - distance * 0.5;
        // at 0 the two infinite terms would cancel to NaN, at infinity the quotients; the limit is minus infinity
        let inside = log_density.le(f64::MAX);
        Real::select(inside, log_density, f64::NEG_INFINITY)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::positive()
    }

    /// One of the two roots of a quadratic equation in the square of a normal variable (Michael, Schucany and Haas
    /// 1976). The smaller root is written without a difference.
    fn draw([mean, shape]: [f64; 2], stream: &mut Stream) -> f64 {
        let z: f64 = StandardNormal.sample(stream);
        let w = 0.5 * mean / shape * z * z;
        let ratio = 1.0 / (1.0 + w + (w * (2.0 + w)).sqrt());
        if stream.random::<f64>() * (1.0 + ratio) <= 1.0 {
            mean * ratio
        } else {
            mean / ratio
        }
    }
}

impl Cumulative<2> for InverseGaussian {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, parameters: [Real<M>; 2]) -> Real<M> {
        let (near, far) = ends(x, parameters);
        let upper = log_upper(near, far);
        let lower = near.ln_norm_cdf().log_add_exp(second_term(near, far));
        Real::select(near.lt(0.0), lower, upper.log1m_exp())
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, parameters: [Real<M>; 2]) -> Real<M> {
        let (near, far) = ends(x, parameters);
        let lower = near.ln_norm_cdf().log_add_exp(second_term(near, far));
        let upper = Real::select(x.lt(parameters[0] * FAR), log_upper(near, far), {
            log_far_upper(near, root(x, parameters[1]))
        });
        Real::select(near.lt(0.0), lower.log1m_exp(), upper)
    }
}

/// `√(shape/x)`; the slope of the quotient itself would underflow for a large `x`.
#[inline(always)]
fn root<M: Mode>(x: Real<M>, shape: Real<M>) -> Real<M> {
    shape.sqrt() / x.sqrt()
}

/// `√(shape/x) (x/mean ∓ 1)`.
#[inline(always)]
fn ends<M: Mode>(x: Real<M>, [mean, shape]: [Real<M>; 2]) -> (Real<M>, Real<M>) {
    let (root, ratio) = (root(x, shape), x / mean);
    (root * (ratio - 1.0), root * (ratio + 1.0))
}

/// `ln (e^(2 shape/mean) Φ(-far))`: the exponent is half the difference of the squares of `far` and `near`.
#[inline(always)]
fn second_term<M: Mode>(near: Real<M>, far: Real<M>) -> Real<M> {
    near * near * -0.5 + ln_norm_cdf_scaled(-far)
}

/// From this multiple of the mean on, `near` and `far` are nearly equal.
const FAR: f64 = 1e4;

/// [`log_upper`] where `far = near + 2 root` with a small `root`: `φ(near)` times the integral of `1 - t M(t)` from `near` to `far`, where
/// `M = Φ(-t)/φ(t)` and `M' = t M - 1`. Simpson's rule leaves an error of `(root/near)⁴`.
#[inline(always)]
fn log_far_upper<M: Mode>(near: Real<M>, root: Real<M>) -> Real<M> {
    let [low, middle, high] = [0.0, 1.0, 2.0].map(|k| mills_rest(near + root * k));
    let integral = root * (low + middle * 4.0 + high) / 3.0;
    near * near * -0.5 - HALF_LN_TAU + integral.ln()
}

/// `1 - t M(t)` for `t ≥ 0`, from 20 on by its asymptotic series `1/t² - 3/t⁴ + 15/t⁶ - ...`.
#[inline(always)]
fn mills_rest<M: Mode>(t: Real<M>) -> Real<M> {
    let direct = 1.0 - t * (ln_norm_cdf_scaled(-t) + HALF_LN_TAU).exp();
    let inverse = t.max(1.0).recip();
    let square = inverse * inverse;
    let series = (1..12).rev().fold(Real::constant(1.0), |sum, k| {
        1.0 - square * sum * f64::from(2 * k + 1)
    });
    Real::select(t.lt(20.0), direct, square * series)
}

/// `ln (Φ(-near) - e^(2 shape/mean) Φ(-far))`.
#[inline(always)]
fn log_upper<M: Mode>(near: Real<M>, far: Real<M>) -> Real<M> {
    near * near * -0.5 + ln_norm_cdf_scaled(-near).log_diff_exp(ln_norm_cdf_scaled(-far))
}
