//! Functions of two variables.

use super::Binary;
use super::link::{Tail, log1m_exp_slope};
use crate::simd::Simd;
use crate::simd::math::{self, Pack};
use crate::special::slopes::{self, ln_or_zero, power_slope};
use crate::special::{self, log_add_exp};

/// Declares a [`Binary`]: its name, three expressions in the arguments, and optionally a fourth, the value and
/// gradient of eight lanes at once.
macro_rules! binary {
    ($(#[$doc:meta])* $type:ident, $name:literal, |$x:ident, $y:ident|
        value: $value:expr, first: $first:expr, second: $second:expr
        $(, lanes: $lanes:expr)? $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $type;
        impl Binary for $type {
            const NAME: &'static str = $name;
            $crate::operation!(binary $type);
            #[inline(always)]
            fn value($x: f64, $y: f64) -> f64 {
                $value
            }
            #[inline(always)]
            fn first($x: f64, $y: f64) -> (f64, [f64; 2]) {
                $first
            }
            #[inline(always)]
            fn second($x: f64, $y: f64) -> (f64, [f64; 2], [f64; 3]) {
                $second
            }
            $(
                #[inline(always)]
                fn lanes<S: Simd>(x: S::Float, y: S::Float) -> S::Float {
                    Self::lanes_first::<S>(x, y).0
                }
                #[inline(always)]
                fn lanes_first<S: Simd>(x: S::Float, y: S::Float) -> (S::Float, [S::Float; 2]) {
                    let ($x, $y) = (Pack::<S>(x), Pack::<S>(y));
                    let (value, slopes) = $lanes;
                    (value.0, [slopes[0].0, slopes[1].0])
                }
            )?
        }
    };
}

binary! {
    /// `xʸ`. For `x ≤ 0` the derivatives in `y` do not exist and are returned as 0; there `y` must be data.
    Pow, "pow", |x, y|
    value: x.powf(y),
    first: slopes::pow(x, y),
    second: {
        let f = x.powf(y);
        let (slope, ln) = (power_slope(x, y), ln_or_zero(x));
        let mixed = if x > 0.0 { x.powf(y - 1.0) + slope * ln } else { 0.0 };
        let curvature = if y == 0.0 { 0.0 } else { y * power_slope(x, y - 1.0) };
        (f, [slope, f * ln], [curvature, mixed, f * ln * ln])
    },
    lanes: math::pow(x, y)
}

binary! {
    /// `x ln y`, which is 0 at `x = 0` for every `y ≥ 0`.
    XLnY, "x_ln_y", |x, y|
    value: if x == 0.0 { 0.0 } else { x * y.ln() },
    first: if x == 0.0 { (0.0, [ln_or_zero(y), 0.0]) } else { (x * y.ln(), [y.ln(), x / y]) },
    second: if x == 0.0 {
        (0.0, [ln_or_zero(y), 0.0], [0.0, if y > 0.0 { 1.0 / y } else { 0.0 }, 0.0])
    } else {
        (x * y.ln(), [y.ln(), x / y], [0.0, 1.0 / y, -x / (y * y)])
    },
    lanes: math::x_ln_y(x, y)
}

binary! {
    /// `ln(eˣ + eʸ)`; minus infinity is the neutral element.
    LogAddExp, "log_add_exp", |x, y|
    value: log_add_exp(x, y),
    first: {
        let (p, q) = shares(x, y);
        (log_add_exp(x, y), [p, q])
    },
    second: {
        let (p, q) = shares(x, y);
        (log_add_exp(x, y), [p, q], [p * q, -p * q, p * q])
    },
    lanes: math::log_add_exp(x, y)
}

/// The shares of `eˣ` and `eʸ` in their sum.
#[inline(always)]
fn shares(x: f64, y: f64) -> (f64, f64) {
    let gap = if x == y { 0.0 } else { (x - y).abs() };
    let e = (-gap).exp();
    let (small, large) = (e / (1.0 + e), 1.0 / (1.0 + e));
    if x < y {
        (small, large)
    } else {
        (large, small)
    }
}

binary! {
    /// `ln(eˣ - eʸ)` for `x > y`.
    LogDiffExp, "log_diff_exp", |x, y|
    value: log_diff_exp(x, y),
    first: {
        let (p, q) = difference_shares(x, y);
        (log_diff_exp(x, y), [p, q])
    },
    second: {
        let (p, q) = difference_shares(x, y);
        (log_diff_exp(x, y), [p, q], [p * q, -p * q, p * q])
    },
    lanes: math::log_diff_exp(x, y)
}

#[inline(always)]
fn log_diff_exp(x: f64, y: f64) -> f64 {
    if y == f64::NEG_INFINITY {
        return x;
    }
    x + <super::Log1mExp as super::Function>::value(y - x)
}

/// `eˣ/(eˣ - eʸ)` and `-eʸ/(eˣ - eʸ)`.
#[inline(always)]
fn difference_shares(x: f64, y: f64) -> (f64, f64) {
    if y == f64::NEG_INFINITY {
        return (1.0, 0.0);
    }
    (-1.0 / (y - x).exp_m1(), log1m_exp_slope(y - x))
}

binary! {
    /// `y x - ln(1 + eˣ)`: the log mass of a Bernoulli variable `y` with log odds `x`, linear in `y`.
    ///
    /// For `y = 1` and large `x` the two terms of that formula cancel; this function has no cancellation.
    LnBernoulliLogit, "ln_bernoulli_logit", |x, y|
    value: ln_bernoulli_logit(x, y, &Tail::of(x)),
    first: {
        let t = Tail::of(x);
        (ln_bernoulli_logit(x, y, &t), [residual(x, y, &t), x])
    },
    second: {
        let t = Tail::of(x);
        (ln_bernoulli_logit(x, y, &t), [residual(x, y, &t), x], [-t.slope(), 1.0, 0.0])
    },
    lanes: math::ln_bernoulli_logit(x, y)
}

/// `-ln(1 + e^-|x|)`, less `|x|` times the weight of the less likely outcome.
#[inline(always)]
fn ln_bernoulli_logit(x: f64, y: f64, t: &Tail) -> f64 {
    let unlikely = if x < 0.0 { y } else { 1.0 - y };
    -(x.abs() * unlikely + t.ln_1p())
}

/// `y - logistic(x)`, over the common denominator.
#[inline(always)]
fn residual(x: f64, y: f64, t: &Tail) -> f64 {
    let (high, low) = if x < 0.0 { (y, y - 1.0) } else { (y - 1.0, y) };
    (high + low * t.exp) * t.inverse
}

binary! {
    /// `ln B(x, y)` for positive arguments.
    LnBeta, "ln_beta", |x, y|
    value: special::ln_beta(x, y),
    first: slopes::beta(x, y),
    second: {
        let (value, gradient) = slopes::beta(x, y);
        let mixed = -special::trigamma(x + y);
        let curvature = [-special::trigamma_delta(x, y), mixed, -special::trigamma_delta(y, x)];
        (value, gradient, curvature)
    },
    lanes: math::ln_beta(x, y)
}

binary! {
    /// `ln C(n, k)` for `0 ≤ k ≤ n`.
    LnChoose, "ln_choose", |n, k|
    value: special::ln_choose(n, k),
    first: slopes::choose(n, k),
    second: {
        let (value, gradient) = slopes::choose(n, k);
        let rest = special::trigamma(n - k + 1.0);
        let curvature = [
            special::trigamma_delta(n - k + 1.0, k),
            rest,
            -rest - special::trigamma(k + 1.0),
        ];
        (value, gradient, curvature)
    },
    lanes: math::ln_choose(n, k)
}

binary! {
    /// `ln Γ(x + a) - ln Γ(x)` without cancellation, for `x > 0` and `x + a > 0`.
    LnGammaDelta, "ln_gamma_delta", |x, a|
    value: special::ln_gamma_delta(x, a),
    first: slopes::gamma_delta(x, a),
    second: {
        let (value, gradient) = slopes::gamma_delta(x, a);
        let end = special::trigamma(x + a);
        (value, gradient, [special::trigamma_delta(x, a), end, end])
    },
    lanes: math::ln_gamma_delta(x, a)
}

binary! {
    /// `x ln(x/m) + m - x`: Loader's deviance, the Poisson loss of a mean `m` at `x`.
    Deviance, "deviance", |x, m|
    value: special::deviance(x, m),
    first: (special::deviance(x, m), deviance_slopes(x, m)),
    second: {
        let in_mean = if x == 0.0 { 0.0 } else { x / m / m };
        let curvature = [1.0 / x, -1.0 / m, in_mean];
        (special::deviance(x, m), deviance_slopes(x, m), curvature)
    },
    lanes: math::deviance(x, m)
}

/// `[ln(x/m), 1 - x/m]`; near `x = m` the quotient is near 1.
#[inline(always)]
fn deviance_slopes(x: f64, m: f64) -> [f64; 2] {
    // at x = 0 the slope in m is 1 down to m = 0, where the quotient is 0/0
    let relative = if x == 0.0 { -1.0 } else { (x - m) / m };
    let ln = if relative.abs() < 0.5 {
        relative.ln_1p()
    } else {
        (x / m).ln()
    };
    [ln, -relative]
}

binary! {
    /// `√(x² + y²)`.
    Hypot, "hypot", |x, y|
    value: x.hypot(y),
    first: {
        let f = x.hypot(y);
        (f, [x / f, y / f])
    },
    second: {
        let f = x.hypot(y);
        let (p, q) = (x / f, y / f);
        (f, [p, q], [q * q / f, -p * q / f, p * p / f])
    }
}

binary! {
    /// The angle of the point with abscissa `y` and ordinate `x`, as `f64::atan2`.
    Atan2, "atan2", |x, y|
    value: x.atan2(y),
    first: {
        let r = 1.0 / (x * x + y * y);
        (x.atan2(y), [y * r, -x * r])
    },
    second: {
        let r = 1.0 / (x * x + y * y);
        let (p, q) = (x * r, y * r);
        (x.atan2(y), [q, -p], [-2.0 * p * q, p * p - q * q, 2.0 * p * q])
    }
}
