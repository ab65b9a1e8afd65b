//! The complementary log-log transform of a probability on the log scale, and its inverse.
//!
//! A distribution function `1 - e⁻ᴴ` with cumulative hazard `H` equals `H` where `H` is small. `H` may be smaller
//! than the smallest double while its logarithm is an ordinary number.

use bayes_autodiff::function::{Exp, ExpM1, Function, Log1mExp};
use bayes_autodiff::simd::Simd;
use bayes_autodiff::{Mask, Mode, Real};

/// Below this hazard `1 - e⁻ᴴ` and `H` are the same double.
const SMALL: f64 = 1e-17;

/// From this hazard on neither `e⁻ᴴ` nor `e⁺ᴴ` is a double.
const LARGE: f64 = 700.0;

/// `ln(1 - e^(-eᵗ))`: the log of the inverse complementary log-log link, `ln P(X ≤ x)` for the log `t` of a cumulative
/// hazard.
struct LnInvCloglog;

impl Function for LnInvCloglog {
    const NAME: &'static str = "ln(1 - e^(-e^t))";
    bayes_autodiff::operation!(unary LnInvCloglog);
    fn value(t: f64) -> f64 {
        let hazard = t.exp();
        if hazard < SMALL {
            t
        } else {
            Log1mExp::value(-hazard)
        }
    }
    fn first(t: f64) -> (f64, f64) {
        let hazard = t.exp();
        let slope = if hazard < SMALL {
            1.0
        } else if hazard > LARGE {
            0.0
        } else {
            hazard / hazard.exp_m1()
        };
        (Self::value(t), slope)
    }
    fn second(t: f64) -> (f64, f64, f64) {
        let (value, slope) = Self::first(t);
        let hazard = t.exp();
        // f'' = f' (1 - H/(1 - e⁻ᴴ)); the bracket is -H/2 - H²/12 + H⁴/720 - ...
        let bend = if hazard > LARGE {
            0.0
        } else if hazard < 0.01 {
            -hazard * (0.5 + hazard * (1.0 / 12.0 - hazard * hazard / 720.0))
        } else {
            1.0 + hazard / (-hazard).exp_m1()
        };
        (value, slope, slope * bend)
    }
    #[inline(always)]
    fn lanes_first<S: Simd>(t: S::Float) -> (S::Float, S::Float) {
        let (zero, one) = (S::splat(0.0), S::splat(1.0));
        let hazard = Exp::lanes::<S>(t);
        let small = S::lt(hazard, S::splat(SMALL));
        let large = S::lt(S::splat(LARGE), hazard);
        let value = S::select(small, t, Log1mExp::lanes::<S>(S::neg(hazard)));
        let plain = S::select(small.or(large), one, hazard);
        let slope = S::div(plain, ExpM1::lanes::<S>(plain));
        let slope = S::select(large, zero, slope);
        (value, S::select(small, one, slope))
    }
    #[inline(always)]
    fn lanes<S: Simd>(t: S::Float) -> S::Float {
        Self::lanes_first::<S>(t).0
    }
}

/// `ln(-ln(1 - e^q))` for `q < 0`: the complementary log-log transform of a probability `e^q`; the inverse of
/// [`LnInvCloglog`].
struct CloglogExp;

impl Function for CloglogExp {
    const NAME: &'static str = "ln(-ln(1 - e^q))";
    bayes_autodiff::operation!(unary CloglogExp);
    fn value(q: f64) -> f64 {
        if q.exp() < SMALL {
            q
        } else {
            (-Log1mExp::value(q)).ln()
        }
    }
    fn first(q: f64) -> (f64, f64) {
        let slope = if q.exp() < SMALL {
            1.0
        } else {
            // e^q/(1 - e^q) over the hazard
            let (log_rest, slope) = Log1mExp::first(q);
            slope / log_rest
        };
        (Self::value(q), slope)
    }
    fn second(q: f64) -> (f64, f64, f64) {
        let (value, slope) = Self::first(q);
        let p = q.exp();
        let bend = if p < 1e-4 {
            // 1 + p/(1-p) - f' without the ones
            p * (0.5 + p * (7.0 / 12.0))
        } else {
            1.0 / -q.exp_m1() - slope
        };
        (value, slope, slope * bend)
    }
}

/// [`LnInvCloglog`] of random values.
#[inline(always)]
pub(super) fn ln_inv_cloglog<M: Mode>(t: Real<M>) -> Real<M> {
    Real(M::unary::<LnInvCloglog>(t.0))
}

/// [`CloglogExp`] of random values.
#[inline(always)]
pub(super) fn cloglog_exp<M: Mode>(q: Real<M>) -> Real<M> {
    Real(M::unary::<CloglogExp>(q.0))
}
