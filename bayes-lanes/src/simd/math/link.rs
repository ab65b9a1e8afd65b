//! The logistic function's relatives, from one exponential of `-|x|`.

use super::double::Double;
use super::exponential::{TINY, exp, exp_m1};
use super::logarithm::{edges, ln_1p_unit, ln_of_ratio, ln_of_sum};
use super::pack::{Pack, select};
use crate::simd::Simd;
use std::f64::consts::LN_2;

/// The common part of the logistic functions, as in [`link`](crate::function).
#[derive(Clone, Copy, Debug)]
pub struct Tail<S: Simd> {
    /// The argument.
    x: Pack<S>,
    /// `e^-|x|`.
    pub exp: Pack<S>,
    /// `1 / (1 + e^-|x|)`.
    pub inverse: Pack<S>,
}

impl<S: Simd> Tail<S> {
    #[inline(always)]
    pub fn of(x: Pack<S>) -> Self {
        let exp = exp(-x.abs());
        Self {
            x,
            exp,
            inverse: 1.0 / (1.0 + exp),
        }
    }
    /// `ln(1 + e^-|x|)`.
    #[inline(always)]
    pub fn ln_1p(&self) -> Pack<S> {
        ln_1p_unit(self.exp)
    }
    /// `1/(1 + e⁻ˣ)`.
    #[inline(always)]
    pub fn logistic(&self) -> Pack<S> {
        select(self.x.lt(0.0), self.exp, 1.0) * self.inverse
    }
    /// `1/(1 + eˣ)`.
    #[inline(always)]
    pub fn opposite(&self) -> Pack<S> {
        select(self.x.gt(0.0), self.exp, 1.0) * self.inverse
    }
    /// The slope of the logistic function, which is even.
    #[inline(always)]
    pub fn slope(&self) -> Pack<S> {
        self.exp * self.inverse * self.inverse
    }
}

/// `ln(1 + eˣ)` and its slope.
#[inline(always)]
pub fn log1p_exp<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    let t = Tail::of(x);
    (x.max(0.0) + t.ln_1p(), t.logistic())
}

/// `ln(1/(1 + e⁻ˣ))` and its slope.
#[inline(always)]
pub fn ln_logistic<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    let t = Tail::of(x);
    (x.min(0.0) - t.ln_1p(), t.opposite())
}

/// `1/(1 + e⁻ˣ)` and its slope.
#[inline(always)]
pub fn logistic<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    let t = Tail::of(x);
    (t.logistic(), t.slope())
}

apart! {
    /// `ln(eˣ + eʸ)` and the shares of the two in the sum.
    pub fn log_add_exp<S: Simd>(x: Pack<S>, y: Pack<S>) -> (Pack<S>, [Pack<S>; 2]) {
        // equal infinities would give ∞ - ∞
        let t = Tail::of(select(x.eq(y), 0.0, x - y));
        (x.max(y) + t.ln_1p(), [t.logistic(), t.opposite()])
    }
}

/// `ln(p/(1 - p))` and its slope.
#[inline(always)]
pub fn logit<S: Simd>(p: Pack<S>) -> (Pack<S>, Pack<S>) {
    let rest = 1.0 - p;
    // p/(1 - p) = 1 + (2p - 1)/(1 - p)
    let value = ln_of_ratio(p, rest, p.mul_add(2.0, -1.0) / rest);
    (value, 1.0 / (p * rest))
}

apart! {
    /// `ln(1 - eˣ)` and its slope, for `x < 0`: Mächler (2012), like the scalar function.
    pub fn log1m_exp<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
        let (m, e) = exp_m1(-x.abs());
        let close = x.gt(-LN_2);
        let sum = Double::ordered_sum(1.0, -e);
        let u = Double {
            high: select(close, -m, sum.high),
            low: select(close, 0.0, sum.low),
        };
        let value = edges(u.high, ln_of_sum(-e, u));
        let value = select(e.lt(TINY), -e, value);
        (select(x.gt(0.0), f64::NAN, value), e / m)
    }
}

apart! {
    /// `ln(eˣ - eʸ)` and its slopes.
    pub fn log_diff_exp<S: Simd>(x: Pack<S>, y: Pack<S>) -> (Pack<S>, [Pack<S>; 2]) {
        let alone = y.eq(f64::NEG_INFINITY);
        let (value, in_y) = log1m_exp(y - x);
        // 1/(1 - e^(y - x)) and its opposite minus 1
        let (m, _) = exp_m1(y - x);
        (
            select(alone, x, x + value),
            [select(alone, 1.0, -1.0 / m), select(alone, 0.0, in_y)],
        )
    }
}

apart! {
    /// `y x - ln(1 + eˣ)` and its slopes, in the forms of the scalar function.
    pub fn ln_bernoulli_logit<S: Simd>(x: Pack<S>, y: Pack<S>) -> (Pack<S>, [Pack<S>; 2]) {
        let t = Tail::of(x);
        let negative = x.lt(0.0);
        let other = 1.0 - y;
        let unlikely = select(negative, y, other);
        let value = -(x.abs() * unlikely + t.ln_1p());
        // (y - 1) + y e or y + (y - 1) e, over 1 + e
        let (high, low) = (select(negative, y, -other), select(negative, -other, y));
        (value, [low.mul_add(t.exp, high) * t.inverse, x])
    }
}
