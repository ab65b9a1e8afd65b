//! The logistic function as the transform of numbers between 0 and 1.

use super::link::Tail;
use super::{Function, Logistic};
use crate::simd::Simd;

/// `1 / (1 + e⁻ˣ)`, kept one rounding below 1.
///
/// Beyond `x = 36` the logistic function rounds to 1, where a density may have a pole. There the value stays at `1 - ε`, and its
/// slope is 0. The trace knows the coordinate: it computes `ln p`, `ln(1 - p)`, `1 - p` and `logit p` from `x`, without rounding.
#[derive(Clone, Copy, Debug)]
pub struct UnitLogistic;

/// The largest value.
const HIGHEST: f64 = 1.0 - f64::EPSILON;

impl Function for UnitLogistic {
    const NAME: &'static str = "logistic, below 1";
    crate::operation!(unary UnitLogistic);
    #[inline(always)]
    fn value(x: f64) -> f64 {
        // the distance from the nearer end: the distance from 1 keeps its digits
        if x < 0.0 {
            Logistic::value(x)
        } else {
            1.0 - Logistic::value(-x).max(f64::EPSILON)
        }
    }
    #[inline(always)]
    fn first(x: f64) -> (f64, f64) {
        let (value, slope) = (Self::value(x), Tail::of(x).slope());
        (value, if value < HIGHEST { slope } else { 0.0 })
    }
    #[inline(always)]
    fn second(x: f64) -> (f64, f64, f64) {
        let (value, slope) = Self::first(x);
        (value, slope, -slope * (0.5 * x).tanh())
    }
    #[inline(always)]
    fn lanes<S: Simd>(x: S::Float) -> S::Float {
        Self::lanes_first::<S>(x).0
    }
    #[inline(always)]
    fn lanes_first<S: Simd>(x: S::Float) -> (S::Float, S::Float) {
        let (zero, highest) = (S::splat(0.0), S::splat(HIGHEST));
        let left = S::lt(x, zero);
        let (tail, slope) = Logistic::lanes_first::<S>(S::select(left, x, S::neg(x)));
        let above = S::sub(S::splat(1.0), tail);
        let far = S::lt(highest, above);
        let above = S::select(far, highest, above);
        let slope = S::select(far, zero, slope);
        (S::select(left, tail, above), slope)
    }
}

#[cfg(test)]
mod tests {
    use super::{HIGHEST, UnitLogistic};
    use crate::function::{Function, Logistic};

    #[test]
    fn it_is_the_logistic_function_but_for_its_upper_end() {
        for x in [-800.0, -40.0, -1.5, 0.0, 0.3, 20.0, 35.0] {
            let (value, slope, curvature) = UnitLogistic::second(x);
            let (wanted, wanted_slope, wanted_curvature) = Logistic::second(x);
            assert!((value - wanted).abs() <= f64::EPSILON, "{x}");
            assert!((slope - wanted_slope).abs() <= 1e-15 * wanted_slope, "{x}");
            let gap = (curvature - wanted_curvature).abs();
            assert!(gap <= 1e-14 * wanted_curvature.abs(), "{x}");
        }
        for x in [37.0, 800.0, f64::INFINITY] {
            assert_eq!(UnitLogistic::first(x), (HIGHEST, 0.0), "{x}");
        }
    }
}
