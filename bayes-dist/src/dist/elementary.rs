//! Elementary functions used only by the distributions, with their derivatives.
//!
//! Log densities are assembled from [`Rest`] and deviances (Loader 2000, "Fast and accurate computation of binomial probabilities"): sums
//! of small terms, where the textbook form subtracts numbers of size `n ln n`. The branches here are on plain numbers inside a lifted
//! function, so the densities themselves stay branch-free.

use bayes_autodiff::function::{Binary, Deviance, Exp, Function, Ln, Ln1p};
use bayes_autodiff::simd::{LANES, Simd};
use bayes_autodiff::special::{
    deviance, digamma, erfcx, inverse_mills, ln_factorial, ln_norm_cdf, stirling_error,
    stirling_error_derivatives, trigamma,
};
use bayes_autodiff::{Mask, Mode, Real};
use std::f64::consts::{FRAC_1_SQRT_2, LN_2};

pub(super) use bayes_autodiff::special::HALF_LN_TAU;

/// The largest count for which the textbook form of the Poisson density, `k η - e^η - ln k!`, is exact to 1e-11: its terms are of order
/// `k ln k`.
pub(super) const SMALL: f64 = 4096.0;

/// From here on the derivatives of Stirling's error are a series (NIST DLMF 5.11), without a step up or a logarithm.
const ASYMPTOTIC: f64 = 10.0;

/// Largest whole number up to `x`; a step function, so its derivatives are 0.
pub struct Floor;
impl Function for Floor {
    const NAME: &'static str = "floor";
    bayes_autodiff::operation!(unary Floor);
    #[inline(always)]
    fn value(x: f64) -> f64 {
        x.floor()
    }
    #[inline(always)]
    fn first(x: f64) -> (f64, f64) {
        (x.floor(), 0.0)
    }
    #[inline(always)]
    fn second(x: f64) -> (f64, f64, f64) {
        (x.floor(), 0.0, 0.0)
    }
}

/// `ln(1 + x²)`, also where `x²` overflows.
pub struct LogOnePlusSquare;
impl Function for LogOnePlusSquare {
    const NAME: &'static str = "ln(1 + x²)";
    bayes_autodiff::operation!(unary LogOnePlusSquare);
    #[inline(always)]
    fn value(x: f64) -> f64 {
        // beyond 1e8 the 1 is below the last digit of x²
        if x.abs() < 1e8 {
            (x * x).ln_1p()
        } else {
            2.0 * x.abs().ln()
        }
    }
    #[inline(always)]
    fn first(x: f64) -> (f64, f64) {
        let slope = if x.abs() < 1e8 {
            2.0 * x / (1.0 + x * x)
        } else {
            2.0 / x
        };
        (Self::value(x), slope)
    }
    #[inline(always)]
    fn second(x: f64) -> (f64, f64, f64) {
        let (value, slope) = Self::first(x);
        let curvature = if x.abs() < 1e8 {
            2.0 / (1.0 + x * x)
        } else {
            2.0 / x / x
        };
        (value, slope, curvature - slope * slope)
    }
    #[inline(always)]
    fn lanes_first<S: Simd>(x: S::Float) -> (S::Float, S::Float) {
        let (one, size) = (S::splat(1.0), S::abs(x));
        let large = S::le(S::splat(1e8), size);
        let square = S::select(large, one, S::mul(x, x));
        let value = Ln1p::lanes::<S>(square);
        let slope = S::div(S::add(x, x), S::add(one, square));
        if !S::any(large) {
            return (value, slope);
        }
        let logarithm = Ln::lanes::<S>(size);
        let far = (S::add(logarithm, logarithm), S::div(S::splat(2.0), x));
        (
            S::select(large, far.0, value),
            S::select(large, far.1, slope),
        )
    }
    #[inline(always)]
    fn lanes<S: Simd>(x: S::Float) -> S::Float {
        Self::lanes_first::<S>(x).0
    }
}

/// `ln Φ(t) + ½ t²`: the log ratio of the normal distribution function to the density, up to a constant.
///
/// In the lower tail it is of order `ln |t|`, where `ln Φ(t)` itself is of order `t²`: sums of such terms with squares do not cancel.
pub struct LnNormCdfScaled;
impl Function for LnNormCdfScaled {
    const NAME: &'static str = "ln Φ(t) + t²/2";
    bayes_autodiff::operation!(unary LnNormCdfScaled);
    fn value(t: f64) -> f64 {
        if t > -1.0 {
            ln_norm_cdf(t) + 0.5 * t * t
        } else {
            erfcx(-t * FRAC_1_SQRT_2).ln() - LN_2
        }
    }
    fn first(t: f64) -> (f64, f64) {
        let (mills, curvature) = inverse_mills(t);
        // far out the two terms of `mills + t` agree to most digits
        let slope = if t > -1.0 {
            mills + t
        } else {
            -curvature / mills
        };
        (Self::value(t), slope)
    }
    fn second(t: f64) -> (f64, f64, f64) {
        let (value, slope) = Self::first(t);
        (value, slope, 1.0 + inverse_mills(t).1)
    }
}

/// `G(a) = ln Γ(a + 1) - a ln a + a`: `ln a!` without its main terms `a ln a - a`.
///
/// It equals Stirling's error plus `½ ln 2πa`. It is of order `ln a`, where `ln a!` is of order `a ln a`.
pub struct Rest;
impl Function for Rest {
    const NAME: &'static str = "ln Γ(a+1) - a ln a + a";
    bayes_autodiff::operation!(unary Rest);
    fn value(a: f64) -> f64 {
        if a == 0.0 {
            0.0
        } else if a < 1.0 {
            ln_factorial(a) - a * a.ln() + a
        } else {
            stirling_error(a) + 0.5 * a.ln() + HALF_LN_TAU
        }
    }
    fn first(a: f64) -> (f64, f64) {
        // the difference of digamma and logarithm, which agree to more and more digits
        let slope = if a < ASYMPTOTIC {
            digamma(a + 1.0) - a.ln()
        } else {
            stirling_error_derivatives(a).0 + 0.5 / a
        };
        (Self::value(a), slope)
    }
    fn second(a: f64) -> (f64, f64, f64) {
        let (value, slope) = Self::first(a);
        let curvature = if a < ASYMPTOTIC {
            trigamma(a + 1.0) - 1.0 / a
        } else {
            stirling_error_derivatives(a).1 - 0.5 / a / a
        };
        (value, slope, curvature)
    }
}

/// `(a-1) ln(z/a) - z + a`: the gamma log density of shape `a` at `z`, up to a function of `a`.
///
/// It equals `-ln(z/a) - deviance(a, z)`. At `z = 0` it is the limit: infinite, or 1 for `a = 1`; at infinity minus
/// infinity.
pub struct GammaKernel;
impl Binary for GammaKernel {
    const NAME: &'static str = "(a-1) ln(z/a) - z + a";
    bayes_autodiff::operation!(binary GammaKernel);
    fn value(a: f64, z: f64) -> f64 {
        if z == f64::INFINITY {
            f64::NEG_INFINITY
        } else if z > 0.0 {
            -(z / a).ln() - deviance(a, z)
        } else if a == 1.0 {
            1.0
        } else {
            (1.0 - a) * f64::INFINITY
        }
    }
    fn first(a: f64, z: f64) -> (f64, [f64; 2]) {
        let along_z = if a == 1.0 { -1.0 } else { (a - 1.0) / z - 1.0 };
        // at z = 0 the value jumps in a, so there is no slope
        let along_a = if z > 0.0 { (z / a).ln() + 1.0 / a } else { 0.0 };
        (Self::value(a, z), [along_a, along_z])
    }
    fn second(a: f64, z: f64) -> (f64, [f64; 2], [f64; 3]) {
        let (value, gradient) = Self::first(a, z);
        let curvature = [-(1.0 + 1.0 / a) / a, 1.0 / z, -(a - 1.0) / (z * z)];
        (value, gradient, curvature)
    }
    #[inline(always)]
    fn lanes_first<S: Simd>(a: S::Float, z: S::Float) -> (S::Float, [S::Float; 2]) {
        let inside = S::lt(S::splat(0.0), z).and(S::lt(z, S::splat(f64::INFINITY)));
        if S::any(inside.not()) {
            return by_lane::<S, Self>(a, z);
        }
        // the slope of the deviance in a is ln(a/z)
        let (deviance, [log, _]) = Deviance::lanes_first::<S>(a, z);
        let one = S::splat(1.0);
        let along_a = S::sub(S::div(one, a), log);
        let along_z = S::sub(S::div(S::sub(a, one), z), one);
        (S::sub(log, deviance), [along_a, along_z])
    }
    #[inline(always)]
    fn lanes<S: Simd>(a: S::Float, z: S::Float) -> S::Float {
        Self::lanes_first::<S>(a, z).0
    }
}

/// `(a+1) ln z - z - a ln a + a`: the inverse gamma log density at `1/z`, up to a function of `a`.
///
/// It equals `ln z - deviance(a, z)`; minus infinity at `z = ∞`.
pub struct InverseGammaKernel;
impl Binary for InverseGammaKernel {
    const NAME: &'static str = "(a+1) ln z - z - a ln a + a";
    bayes_autodiff::operation!(binary InverseGammaKernel);
    fn value(a: f64, z: f64) -> f64 {
        if z < f64::INFINITY {
            z.ln() - deviance(a, z)
        } else {
            f64::NEG_INFINITY
        }
    }
    fn first(a: f64, z: f64) -> (f64, [f64; 2]) {
        (Self::value(a, z), [(z / a).ln(), (a + 1.0) / z - 1.0])
    }
    fn second(a: f64, z: f64) -> (f64, [f64; 2], [f64; 3]) {
        let (value, gradient) = Self::first(a, z);
        (value, gradient, [-1.0 / a, 1.0 / z, -(a + 1.0) / (z * z)])
    }
}

/// `deviance(x, e^η) = x ln x - x η + e^η - x`, finite also where `e^η` underflows.
pub struct LogDeviance;
impl Binary for LogDeviance {
    const NAME: &'static str = "x ln x - xη + e^η - x";
    bayes_autodiff::operation!(binary LogDeviance);
    fn value(x: f64, eta: f64) -> f64 {
        let mean = eta.exp();
        if x == 0.0 {
            mean
        } else if (x - mean).abs() < 0.1 * (x + mean) {
            deviance(x, mean)
        } else {
            x * (x.ln() - eta) + (mean - x)
        }
    }
    fn first(x: f64, eta: f64) -> (f64, [f64; 2]) {
        (Self::value(x, eta), [x.ln() - eta, eta.exp() - x])
    }
    fn second(x: f64, eta: f64) -> (f64, [f64; 2], [f64; 3]) {
        let (value, gradient) = Self::first(x, eta);
        (value, gradient, [1.0 / x, -1.0, eta.exp()])
    }
    #[inline(always)]
    fn lanes_first<S: Simd>(x: S::Float, eta: S::Float) -> (S::Float, [S::Float; 2]) {
        let (zero, mean, log) = (S::splat(0.0), Exp::lanes::<S>(eta), Ln::lanes::<S>(x));
        let difference = S::sub(mean, x);
        let above = S::sub(log, eta);
        let near = S::lt(S::abs(difference), S::mul(S::splat(0.1), S::add(x, mean)));
        let plain = S::add(S::mul(x, above), difference);
        let value = S::select(near, Deviance::lanes::<S>(x, mean), plain);
        (S::select(S::eq(x, zero), mean, value), [above, difference])
    }
    #[inline(always)]
    fn lanes<S: Simd>(x: S::Float, eta: S::Float) -> S::Float {
        Self::lanes_first::<S>(x, eta).0
    }
}

/// `e^η - x η`: [`LogDeviance`] up to a function of `x`, in the textbook form. The two terms cancel, by up to `x ln x` for the likeliest
/// `η`, so the form is only for small counts.
pub struct RateLessLog;
impl Binary for RateLessLog {
    const NAME: &'static str = "e^η - xη";
    bayes_autodiff::operation!(binary RateLessLog);
    fn value(x: f64, eta: f64) -> f64 {
        eta.exp() - x * eta
    }
    fn first(x: f64, eta: f64) -> (f64, [f64; 2]) {
        let rate = eta.exp();
        (rate - x * eta, [-eta, rate - x])
    }
    fn second(x: f64, eta: f64) -> (f64, [f64; 2], [f64; 3]) {
        let (value, gradient) = Self::first(x, eta);
        (value, gradient, [0.0, -1.0, eta.exp()])
    }
    #[inline(always)]
    fn lanes_first<S: Simd>(x: S::Float, eta: S::Float) -> (S::Float, [S::Float; 2]) {
        let rate = Exp::lanes::<S>(eta);
        let value = S::sub(rate, S::mul(x, eta));
        (value, [S::neg(eta), S::sub(rate, x)])
    }
    #[inline(always)]
    fn lanes<S: Simd>(x: S::Float, eta: S::Float) -> S::Float {
        Self::lanes_first::<S>(x, eta).0
    }
}

/// The log density of a count, or its limit, minus infinity, if the rate is infinite: there infinite terms would cancel to NaN.
#[inline(always)]
pub(super) fn none_at_infinity<M: Mode>(rate: Real<M>, log_density: Real<M>) -> Real<M> {
    Real::select(rate.gt(f64::MAX), f64::NEG_INFINITY, log_density)
}

/// `ln x` if it is known without computing `x`: then it is finite even if `x` rounds to 0 or to infinity.
#[inline(always)]
pub(super) fn known_ln<M: Mode>(x: Real<M>) -> Option<Real<M>> {
    M::known_ln(x.0).map(Real)
}

/// The logarithms of `len` random values, if all are known because the values are rates computed from them.
#[inline(always)]
pub(super) fn known_logs<M: Mode>(
    len: usize,
    value: impl Fn(usize) -> Real<M>,
) -> Option<Vec<Real<M>>> {
    (0..len).map(|i| known_ln(value(i))).collect()
}

/// `F` lane by lane.
#[inline(always)]
pub(super) fn by_lane<S: Simd, F: Binary>(x: S::Float, y: S::Float) -> (S::Float, [S::Float; 2]) {
    let (x, y) = (S::array(x), S::array(y));
    let (mut value, mut slopes) = ([0.0; LANES], [[0.0; LANES]; 2]);
    for i in 0..LANES {
        (value[i], [slopes[0][i], slopes[1][i]]) = F::first(x[i], y[i]);
    }
    (S::load(&value), [S::load(&slopes[0]), S::load(&slopes[1])])
}

/// [`LogOnePlusSquare`] of a random value.
#[inline(always)]
pub(super) fn log_one_plus_square<M: Mode>(x: Real<M>) -> Real<M> {
    match known_ln(x) {
        Some(ln) => (ln * 2.0).log1p_exp(),
        None => Real(M::unary::<LogOnePlusSquare>(x.0)),
    }
}

/// [`Rest`] of a random value.
#[inline(always)]
pub(super) fn rest<M: Mode>(a: Real<M>) -> Real<M> {
    Real(M::unary::<Rest>(a.0))
}

/// [`LnNormCdfScaled`] of a random value.
#[inline(always)]
#[must_use]
pub fn ln_norm_cdf_scaled<M: Mode>(t: Real<M>) -> Real<M> {
    Real(M::unary::<LnNormCdfScaled>(t.0))
}

/// [`GammaKernel`] of random values.
#[inline(always)]
pub(super) fn gamma_kernel<M: Mode>(a: Real<M>, z: Real<M>) -> Real<M> {
    match known_ln(z) {
        Some(ln) => a.ln() - ln - log_deviance(a, ln),
        None => Real(M::binary::<GammaKernel>(a.0, z.0)),
    }
}

/// [`InverseGammaKernel`] of random values.
#[inline(always)]
pub(super) fn inverse_gamma_kernel<M: Mode>(a: Real<M>, z: Real<M>) -> Real<M> {
    match known_ln(z) {
        Some(ln) => ln - log_deviance(a, ln),
        None => Real(M::binary::<InverseGammaKernel>(a.0, z.0)),
    }
}

/// [`LogDeviance`] of random values.
#[inline(always)]
pub(super) fn log_deviance<M: Mode>(x: Real<M>, eta: Real<M>) -> Real<M> {
    Real(M::binary::<LogDeviance>(x.0, eta.0))
}
