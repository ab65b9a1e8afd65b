//! Differences of `ln Γ` and `ψ` without cancellation, and the beta function and binomial coefficients from them: the methods of the
//! scalar functions in [`special`](crate::special).

use super::gamma::{DIGAMMA, LARGE, STIRLING, digamma_positive, ln_gamma_positive};
use super::logarithm::{ln_1p, ln_positive};
use super::pack::{Operand, Pack, polynomial, select};
use super::rare::{patch, patch_two};
use crate::simd::Mask;
use crate::simd::Simd;
use crate::special::{self, HALF_LN_TAU, slopes};

/// Arguments between these bounds keep every product below in range; others go to the scalar functions.
const RANGE: [f64; 2] = [1e-100, 1e30];

#[inline(always)]
fn usual<S: Simd>(x: Pack<S>) -> S::Mask {
    x.gt(RANGE[0]).and(x.lt(RANGE[1]))
}

/// `P(s)` and `(P(t) - P(s))/(t - s)` by Horner's rule for both.
#[inline(always)]
fn divided<S: Simd, const K: usize>(
    coefficients: &[f64; K],
    s: Pack<S>,
    t: Pack<S>,
) -> (Pack<S>, Pack<S>) {
    let mut value = coefficients[K - 1].pack();
    let mut difference: Pack<S> = 0.0.pack();
    let mut k = K - 1;
    while k > 0 {
        k -= 1;
        difference = difference.mul_add(t, value);
        value = value.mul_add(s, coefficients[k]);
    }
    (value, difference)
}

apart! {
    /// `ln Γ(x + a) - ln Γ(x)` for large `x` and `a ≥ 0`.
    fn large_ln_gamma_delta<S: Simd>(x: Pack<S>, a: Pack<S>) -> Pack<S> {
        let end = x + a;
        let (u, w) = (1.0 / x, 1.0 / end);
        let (value, difference) = divided(&STIRLING, u * u, w * w);
        let remainder = (w * difference).mul_add(u + w, value) * (-a * u * w);
        (x - 0.5).mul_add(ln_1p(a * u), a.mul_add(ln_positive(end) - 1.0, remainder))
    }
}

apart! {
    /// The same for positive `x`.
    fn ln_gamma_rise<S: Simd>(x: Pack<S>, a: Pack<S>) -> Pack<S> {
        let large = x.ge(LARGE);
        let far = large_ln_gamma_delta(select(large, x, x + 8.0), a);
        if !S::any(large.not()) {
            return far;
        }
        // eight steps up: Π (x + i) and its gain when x gains a
        let (mut product, mut gain) = (x, a);
        for i in 1..8 {
            let term = x + f64::from(i);
            gain = gain.mul_add(term + a, product * a);
            product = product * term;
        }
        let near = far - ln_1p(gain / product);
        let wide = ln_gamma_positive(x + a) - ln_gamma_positive(x);
        select(large, far, select(a.gt(0.5), wide, near))
    }
}

apart! {
    /// `ψ(x + a) - ψ(x)` for positive `x` and `a ≥ 0`: terms of one sign.
    fn digamma_rise<S: Simd>(x: Pack<S>, a: Pack<S>) -> Pack<S> {
        let large = x.ge(LARGE);
        let start = select(large, x, x + 8.0);
        let (u, w) = (1.0 / start, 1.0 / (start + a));
        let (value, difference) = divided(&DIGAMMA, u * u, w * w);
        let even = (w * w).mul_add(difference, value) * (u + w);
        let far = (a * u * w).mul_add(even + 0.5, ln_1p(a * u));
        // Σ a/((x + i)(x + i + a)), scaled so that a large `a` leaves the products in range; the first term separately, for small x
        let unit = 1.0 / a.max(1.0);
        let scaled = a * unit;
        let first = scaled / x.mul_add(unit, scaled) / x;
        let term = x + 1.0;
        let mut denominator = term * term.mul_add(unit, scaled);
        let mut numerator: Pack<S> = 1.0.pack();
        for i in 2..8 {
            let term = x + f64::from(i);
            let next = term * term.mul_add(unit, scaled);
            numerator = numerator.mul_add(next, denominator);
            denominator = denominator * next;
        }
        far + select(large, 0.0, scaled * numerator / denominator + first)
    }
}

/// `$rise(x, a)`, reversed where `a` is negative.
///
/// A macro: a closure that is not compiled into its caller would lose the caller's instruction set.
macro_rules! signed {
    ($rise:ident, $x:expr, $a:expr) => {{
        let (x, a): (Pack<S>, Pack<S>) = ($x, $a);
        let negative = a.lt(0.0);
        let value = $rise(select(negative, x + a, x), a.abs());
        select(negative, -value, value)
    }};
}

apart! {
    /// `ln Γ(x + a) - ln Γ(x)` and its slopes.
    pub fn ln_gamma_delta<S: Simd>(x: Pack<S>, a: Pack<S>) -> (Pack<S>, [Pack<S>; 2]) {
        let end = x + a;
        let value = signed!(ln_gamma_rise, x, a);
        let slope = signed!(digamma_rise, x, a);
        patch_two(
            usual(x).and(usual(end)).not(),
            [x, a],
            (value, [slope, digamma_positive(end)]),
            slopes::gamma_delta,
        )
    }
}

apart! {
    /// `ln B(x, y)` for usual arguments.
    fn ln_beta_usual<S: Simd>(x: Pack<S>, y: Pack<S>) -> Pack<S> {
        let (small, large) = (x.min(y), x.max(y));
        let sum = small + large;
        let both = small.ge(LARGE);
        let far = ln_beta_large(small, large);
        if !S::any(both.not()) {
            return far;
        }
        let narrow = ln_gamma_positive(sum) - ln_gamma_positive(large);
        let rise = select(large.ge(LARGE), large_ln_gamma_delta(large, small), narrow);
        select(both, far, ln_gamma_positive(small) - rise)
    }
}

apart! {
    /// `ln B` of two large arguments (Didonato and Morris 1992).
    fn ln_beta_large<S: Simd>(small: Pack<S>, large: Pack<S>) -> Pack<S> {
        let ratio = small / large;
        let ln_share = ln_positive(small / (small + large));
        let remainder = stirling(small) + stirling(large) - stirling(small + large);
        let start = HALF_LN_TAU - 0.5 * ln_positive(large) + remainder;
        start + (small - 0.5) * ln_share - large * ln_1p(ratio)
    }
}

apart! {
    /// The error of Stirling's formula for large `x`.
    fn stirling<S: Simd>(x: Pack<S>) -> Pack<S> {
        let u = 1.0 / x;
        polynomial(&STIRLING, u * u) * u
    }
}

apart! {
    /// `ln B(x, y)` and its slopes.
    pub fn ln_beta<S: Simd>(x: Pack<S>, y: Pack<S>) -> (Pack<S>, [Pack<S>; 2]) {
        patch_two(
            usual(x).and(usual(y)).not(),
            [x, y],
            (
                ln_beta_usual(x, y),
                [-digamma_rise(x, y), -digamma_rise(y, x)],
            ),
            slopes::beta,
        )
    }
}

apart! {
    /// `ln C(n, k)` and its slopes.
    pub fn ln_choose<S: Simd>(n: Pack<S>, k: Pack<S>) -> (Pack<S>, [Pack<S>; 2]) {
        let rest = n - k + 1.0;
        let value = -(ln_1p(n) + ln_beta_usual(rest, k + 1.0));
        let end = k.eq(0.0).or(k.eq(n));
        // close to the ends, but not there, the value is the difference of nearly equal numbers
        let close = k.min(n - k).lt(0.01).and(end.not());
        let proper = n.gt(0.0).and(n.lt(1e15)).and(close.not());
        let slopes = [
            signed!(digamma_rise, rest, k),
            signed!(digamma_rise, k + 1.0, n - 2.0 * k),
        ];
        patch_two(
            usual(rest).and(usual(k + 1.0)).and(proper).not(),
            [n, k],
            (select(end, 0.0, value), slopes),
            slopes::choose,
        )
    }
}

/// The error of Stirling's formula and its slope; where `x` is not large, by the scalar function.
#[inline(always)]
pub fn stirling_error<S: Simd>(x: Pack<S>) -> (Pack<S>, Pack<S>) {
    let u = 1.0 / (x * x);
    let slope = 0.0 - polynomial(&DIGAMMA, u) * u;
    patch(x.ge(LARGE).not(), x, (stirling(x), slope), |x| {
        (
            special::stirling_error(x),
            special::stirling_error_derivatives(x).0,
        )
    })
}
