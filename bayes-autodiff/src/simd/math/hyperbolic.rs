//! Hyperbolic functions.

use super::exponential::exp_m1;
use super::pack::{Pack, select};
use crate::simd::Simd;

/// Hyperbolic tangent `(1 - e)/(1 + e)` and its slope `4e/(1 + e)²`, for `e = e^(-2|x|)`.
#[inline(always)]
pub(crate) fn tanh<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    let (m, e) = exp_m1(-2.0 * x.abs());
    let sum = 2.0 + m;
    // near 1, where `sum` is 1 and a little, 1 - 2e/(1 + e) hides its rounding
    let far = e.lt(0.125);
    let quotient = select(far, 2.0 * e, m) / sum;
    let size = select(far, 1.0 - quotient, quotient);
    (size.copysign(x), 4.0 * e / (sum * sum))
}
