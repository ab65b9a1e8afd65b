//! Quantiles by inversion of a tail.

use super::cumulative::{extremes, log_cdf, log_sf};
use super::{Cumulative, Domain};
use crate::transform::Support;
use bayes_autodiff::special::{inverse_mills, ln_norm_cdf, norm_quantile};
use bayes_autodiff::{Dual, Mode, Real, Value};

/// The probability of a tail, on the log scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tail {
    /// `ln P(X ≤ x)`.
    Lower(f64),
    /// `ln P(X > x)`.
    Upper(f64),
}

/// The limit of the search for a bracket in the unconstrained coordinate, where `e^u` overflows.
const FARTHEST: f64 = 800.0;

/// The quantile of a family without a closed form.
pub(super) fn invert<F: Cumulative<K>, const K: usize>(tail: Tail, parameters: [f64; K]) -> f64 {
    if F::Domain::DISCRETE {
        invert_discrete::<F, K>(tail, parameters)
    } else {
        invert_continuous::<F, K>(tail, parameters)
    }
}

/// Maps a coordinate on the real line to a point of any magnitude in the support; increasing.
fn point<M: Mode>(support: Support<M>, u: Real<M>) -> Real<M> {
    match support {
        Support::Real => u.sinh(),
        other => other.constrain(u).0,
    }
}

/// The difference between the log tail and its target, with the sign that makes it increase in `x`, and its
/// slope in the coordinate.
fn excess<F: Cumulative<K>, const K: usize>(
    tail: Tail,
    parameters: [f64; K],
    u: f64,
) -> (f64, f64) {
    let parameters = parameters.map(Real::<Dual<1>>::constant);
    let x = point(F::support(parameters), Dual::variable(u, 0));
    let difference = match tail {
        Tail::Lower(log_p) => log_cdf::<_, F, K>(x, parameters) - log_p,
        Tail::Upper(log_p) => Real::constant(log_p) - log_sf::<_, F, K>(x, parameters),
    };
    (difference.primal(), Dual::gradient(difference)[0])
}

/// Newton's method in the unconstrained coordinate; bisects the bracket if a step leads outside.
fn invert_continuous<F: Cumulative<K>, const K: usize>(tail: Tail, parameters: [f64; K]) -> f64 {
    let excess = |u: f64| excess::<F, K>(tail, parameters, u);
    let reached = |u: f64| {
        let support = F::support::<Value>(parameters.map(Real::constant));
        point(support, Real::constant(u)).primal()
    };
    let (mut low, mut high, mut step) = (-1.0, 1.0, 1.0);
    while excess(low).0 > 0.0 && low > -FARTHEST {
        (low, high, step) = (low - 2.0 * step, low, 2.0 * step);
    }
    while excess(high).0 < 0.0 && high < FARTHEST {
        (low, high, step) = (high, high + 2.0 * step, 2.0 * step);
    }
    let mut u = 0.5 * (low + high);
    for _ in 0..200 {
        let (value, slope) = excess(u);
        if value.is_nan() {
            return f64::NAN;
        }
        if value > 0.0 {
            high = u;
        } else {
            low = u;
        }
        let newton = u - value / slope;
        if value == 0.0 || (newton - u).abs() <= f64::EPSILON * u.abs() {
            break;
        }
        u = if newton > low && newton < high {
            newton
        } else {
            0.5 * (low + high)
        };
    }
    reached(u)
}

/// The smallest whole number that reaches the tail, bracketed by doubling and found by bisection.
fn invert_discrete<F: Cumulative<K>, const K: usize>(tail: Tail, parameters: [f64; K]) -> f64 {
    let parameters = parameters.map(Real::<Value>::constant);
    let [first, last] = extremes(F::support(parameters));
    let reached = |k: f64| match tail {
        Tail::Lower(log_p) => log_cdf::<_, F, K>(Real::constant(k), parameters).primal() >= log_p,
        Tail::Upper(log_p) => log_sf::<_, F, K>(Real::constant(k), parameters).primal() <= log_p,
    };
    if reached(first) {
        return first;
    }
    // `low` does not reach the tail
    let (mut low, mut step) = (first, 1.0);
    while !reached((low + step).min(last)) {
        low += step;
        step *= 2.0;
        if low >= last || step > 1e16 {
            return last;
        }
    }
    let mut high = (low + step).min(last);
    while high - low > 1.0 {
        let middle = (0.5 * (low + high)).floor();
        if reached(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// The standard normal quantile of a tail, also if its probability underflows.
pub(super) fn standard_normal(tail: Tail) -> f64 {
    if !tail.is_below_median() {
        return -lower_normal(tail.log_upper());
    }
    lower_normal(tail.log_lower())
}

/// `z` with `ln Φ(z) = log_p ≤ ln ½`.
fn lower_normal(log_p: f64) -> f64 {
    if log_p > -700.0 {
        return norm_quantile(log_p.exp());
    }
    if log_p == f64::NEG_INFINITY {
        return log_p;
    }
    // ln Φ(z) is concave and close to -z²/2, so Newton's method doubles the digits from the first step on
    let mut z = -(-2.0 * log_p).sqrt();
    for _ in 0..6 {
        z -= (ln_norm_cdf(z) - log_p) / inverse_mills(z).0;
    }
    z
}
