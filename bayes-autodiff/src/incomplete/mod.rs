//! Incomplete gamma and beta functions on the log scale, accurate in both tails.
//!
//! The algorithms branch on values and loop until terms no longer count, so they run in modes with a single number: plain numbers, and
//! duals for the derivatives in every argument.

pub(crate) mod beta;
mod beta_large;
pub(crate) mod gamma;
pub(crate) mod student;

use crate::SingleParticle;
use crate::real::Real;

/// The maximum number of terms of a series or continued fraction. Arguments of 1e10 near their mean need the most.
const LIMIT: usize = 2_000_000;

/// The rule that stops a sum.
struct Terms {
    least: usize,
    end: usize,
}

impl Terms {
    /// At least `least` terms.
    fn new(least: usize) -> Self {
        Self { least, end: LIMIT }
    }

    /// Whether to continue after term `n`; `negligible` states that this term no longer changes the sum.
    ///
    /// The derivative of a term that shrinks as `rⁿ` shrinks as `n rⁿ`, so the sum continues half as long again.
    fn more(&mut self, n: usize, negligible: bool) -> bool {
        if negligible && self.end == LIMIT {
            self.end = (n + n / 2 + 10).max(self.least);
        }
        n < self.end
    }

    /// `sum`, or NaN if it had no end.
    fn settled<M: SingleParticle>(&self, sum: Real<M>) -> Real<M> {
        if self.end == LIMIT {
            Real::constant(f64::NAN)
        } else {
            sum
        }
    }
}

/// `first + Σ cₙ` for `n = 1, 2, ...`, where `factor(n)` is `cₙ/cₙ₋₁` and `c₀ = start`; the sum takes `weight(n) cₙ` of each term.
fn series<M: SingleParticle>(
    [first, start]: [Real<M>; 2],
    factor: impl Fn(f64) -> Real<M>,
    weight: impl Fn(f64) -> Real<M>,
) -> Real<M> {
    let (mut sum, mut product, mut terms) = (first, start, Terms::new(0));
    for n in 1..=LIMIT {
        product *= factor(n as f64);
        let term = product * weight(n as f64);
        sum += term;
        let negligible = term.primal().abs() <= 0.1 * f64::EPSILON * sum.primal().abs();
        if !terms.more(n, negligible) || sum.primal().is_nan() {
            break;
        }
    }
    terms.settled(sum)
}

/// `b₀ + a₁/(b₁ + a₂/(b₂ + ...))` with `level(n) = [aₙ, bₙ]`, by the algorithm of Lentz (1976), with at least
/// `least` levels.
fn continued_fraction<M: SingleParticle>(
    first: Real<M>,
    level: impl Fn(f64) -> [Real<M>; 2],
    least: usize,
) -> Real<M> {
    let (mut fraction, mut above, mut terms) = (first, first, Terms::new(least));
    let mut below = Real::constant(0.0);
    for n in 1..=LIMIT {
        let [a, b] = level(n as f64);
        below = (b + a * below).recip();
        above = b + a / above;
        let ratio = above * below;
        fraction *= ratio;
        let negligible = (ratio.primal() - 1.0).abs() <= f64::EPSILON;
        if !terms.more(n, negligible) || fraction.primal().is_nan() {
            break;
        }
    }
    terms.settled(fraction)
}

/// `levels`, if `parameter` is nearly a whole number: the fraction ends there, but its derivatives do not.
fn least_levels(parameter: f64, levels: f64) -> usize {
    if (parameter - parameter.round()).abs() < 1e-6 {
        levels as usize
    } else {
        0
    }
}

/// `[ln 0, ln 1]`.
fn nothing<M: SingleParticle>() -> [Real<M>; 2] {
    [Real::constant(f64::NEG_INFINITY), Real::constant(0.0)]
}

/// `[ln 1, ln 0]`.
fn everything<M: SingleParticle>() -> [Real<M>; 2] {
    [Real::constant(0.0), Real::constant(f64::NEG_INFINITY)]
}
