//! The logistic function's relatives: links of regressions and of constrained parameters.

use super::function;
use crate::simd::math;

function! {
    /// `ln(1 + eˣ)`, also called softplus.
    Log1pExp, "log1p_exp", |x|
    value: {
        let t = Tail::of(x);
        x.max(0.0) + t.ln_1p()
    },
    first: {
        let t = Tail::of(x);
        (x.max(0.0) + t.ln_1p(), t.logistic(x))
    },
    second: {
        let t = Tail::of(x);
        (x.max(0.0) + t.ln_1p(), t.logistic(x), t.slope())
    },
    lanes: math::log1p_exp(x)
}

function! {
    /// `1 / (1 + e⁻ˣ)`.
    Logistic, "logistic", |x|
    value: Tail::of(x).logistic(x),
    first: {
        let t = Tail::of(x);
        (t.logistic(x), t.slope())
    },
    second: {
        let t = Tail::of(x);
        // 1 - 2 logistic(x) = -tanh(x/2), without the cancellation at 0
        (t.logistic(x), t.slope(), -t.slope() * (0.5 * x).tanh())
    },
    lanes: math::logistic(x)
}

function! {
    /// `ln(1 / (1 + e⁻ˣ))`.
    LnLogistic, "ln_logistic", |x|
    value: {
        let t = Tail::of(x);
        x.min(0.0) - t.ln_1p()
    },
    first: {
        let t = Tail::of(x);
        (x.min(0.0) - t.ln_1p(), t.logistic(-x))
    },
    second: {
        let t = Tail::of(x);
        (x.min(0.0) - t.ln_1p(), t.logistic(-x), -t.slope())
    },
    lanes: math::ln_logistic(x)
}

function! {
    /// `ln(p / (1 - p))`.
    Logit, "logit", |p|
    value: logit(p),
    first: (logit(p), 1.0 / (p * (1.0 - p))),
    second: {
        let d = 1.0 / (p * (1.0 - p));
        (logit(p), d, (2.0 * p - 1.0) * d * d)
    },
    lanes: math::logit(p)
}

function! {
    /// `ln(1 - eˣ)` for `x < 0`.
    Log1mExp, "log1m_exp", |x|
    value: log1m_exp(x),
    first: (log1m_exp(x), log1m_exp_slope(x)),
    second: {
        // with q = 1/(1 - e⁻ˣ): f' = q and f'' = q(1 - q) = -q²e⁻ˣ = 1/((1 - e⁻ˣ)(1 - eˣ))
        let q = log1m_exp_slope(x);
        (log1m_exp(x), q, q / -x.exp_m1())
    },
    lanes: math::log1m_exp(x)
}

/// The common part of the logistic functions: one exponential and one division.
pub(super) struct Tail {
    /// `e^-|x|`.
    pub(super) exp: f64,
    /// `1 / (1 + e^-|x|)`.
    pub(super) inverse: f64,
}

impl Tail {
    #[inline(always)]
    pub(super) fn of(x: f64) -> Self {
        let exp = (-x.abs()).exp();
        Self {
            exp,
            inverse: 1.0 / (1.0 + exp),
        }
    }
    /// `ln(1 + e^-|x|)`.
    #[inline(always)]
    pub(super) fn ln_1p(&self) -> f64 {
        self.exp.ln_1p()
    }
    /// `1/(1 + e⁻ˣ)` for `±x`.
    #[inline(always)]
    fn logistic(&self, x: f64) -> f64 {
        (if x < 0.0 { self.exp } else { 1.0 }) * self.inverse
    }
    /// The slope of the logistic function, which is even.
    #[inline(always)]
    pub(super) fn slope(&self) -> f64 {
        self.exp * self.inverse * self.inverse
    }
}

/// Near ½ the quotient is near 1, where `ln` loses digits: there `p/(1-p) = 1 + (2p-1)/(1-p)`.
#[inline(always)]
fn logit(p: f64) -> f64 {
    if (0.3..0.65).contains(&p) {
        ((2.0 * p - 1.0) / (1.0 - p)).ln_1p()
    } else {
        (p / (1.0 - p)).ln()
    }
}

/// Mächler (2012), "Accurately computing log(1 - exp(-|a|))": the switch at ln 2.
#[inline(always)]
fn log1m_exp(x: f64) -> f64 {
    if x > -std::f64::consts::LN_2 {
        (-x.exp_m1()).ln()
    } else {
        (-x.exp()).ln_1p()
    }
}

/// `eˣ/(eˣ - 1)`: where `e⁻ˣ` overflows, `1/(1 - e⁻ˣ)` would be 0. From the left at `x = 0` it is minus infinity.
#[inline(always)]
pub(super) fn log1m_exp_slope(x: f64) -> f64 {
    let x = -x.abs();
    x.exp() / x.exp_m1()
}
