//! Hyperbolic functions.

use super::exponential::{TINY, exp_m1, half_exp};
use super::pack::{Pack, select};
use crate::simd::Simd;

apart! {
    /// Hyperbolic tangent `(1 - e)/(1 + e)` and its slope `4e/(1 + e)²`, for `e = e^(-2|x|)`.
    pub fn tanh<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
        let (m, e) = exp_m1(-2.0 * x.abs());
        let sum = 2.0 + m;
        // near 1, where `sum` is slightly above 1, 1 - 2e/(1 + e) hides its rounding
        let far = e.lt(0.125);
        let quotient = select(far, 2.0 * e, m) / sum;
        let size = select(far, 1.0 - quotient, quotient);
        (size.copysign(x), 4.0 * e / (sum * sum))
    }
}

apart! {
    /// Hyperbolic sine and cosine: with `m = e^|x| - 1`, `(m + m/(1 + m))/2` and `(1 + m + 1/(1 + m))/2`.
    fn sinh_cosh<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
        let size = x.abs();
        // beyond this, e^-|x| vanishes
        let (far, large) = (size.gt(40.0), half_exp(size));
        let (m, e) = exp_m1(size.min(40.0));
        let sinh = select(far, large, 0.5 * (m + m / e)).copysign(x);
        let cosh = select(far, large, 0.5 * (e + 1.0 / e));
        (select(size.lt(TINY), x, sinh), cosh)
    }
}

/// Hyperbolic sine and its slope.
#[inline(always)]
pub fn sinh<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    sinh_cosh(x)
}

/// Hyperbolic cosine and its slope.
#[inline(always)]
pub fn cosh<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    let (sinh, cosh) = sinh_cosh(x);
    (cosh, sinh)
}
