//! The incomplete beta function for two large parameters near the mean, where the number of levels of the continued fraction grows as
//! their root, and the roundings of its slopes with them.

use crate::SingleParticle;
use crate::real::Real;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, SQRT_2};

/// From this smaller parameter on the expansion is used near the mean.
const LARGE: f64 = 1e6;

/// The largest relative distance from the mean.
const NEAR: f64 = 0.01;

/// The orders of the expansion: each leaves at most [`NEAR`] of the one before.
const ORDERS: usize = 11;

/// Whether the expansion applies below the mean at a distance `apart = a (1-x) - b x ≥ 0`.
pub(super) fn applies(a: f64, b: f64, apart: f64) -> bool {
    let smaller = a.min(b);
    smaller >= LARGE && apart <= NEAR * smaller
}

/// `ln I_x(a, b)` for `a (1-x) - b x = apart ≥ 0`: the uniform expansion of Didonato and Morris (1992), TOMS algorithm 708, subroutine
/// BASYM.
pub(super) fn ln_lower<M: SingleParticle>(a: Real<M>, b: Real<M>, apart: Real<M>) -> Real<M> {
    // half the square of the distance in standard deviations; its root is smooth at the mean
    let root = apart * (rest(-apart / a) / a + rest(apart / b) / b).sqrt();
    let square = root.square();
    let log_scaled = (root * -SQRT_2).ln_norm_cdf() + square;
    let first = log_scaled.exp() / FRAC_2_SQRT_PI;
    let sum = later_terms(a, b, root, first);
    let stirling = a.stirling_error() + b.stirling_error() - (a + b).stirling_error();
    log_scaled - square - stirling + (sum / first).ln_1p()
}

/// `(u - ln(1+u))/u²` for a small `u`.
fn rest<M: SingleParticle>(u: Real<M>) -> Real<M> {
    (2..=12).rev().fold(Real::constant(0.0), |sum, k| {
        Real::constant(1.0 / f64::from(k)) - u * sum
    })
}

/// All terms but the first, which is `first`. The names come from the paper, from 0.
fn later_terms<M: SingleParticle>(
    a: Real<M>,
    b: Real<M>,
    root: Real<M>,
    first: Real<M>,
) -> Real<M> {
    let (h, r1, w0) = if a.primal() < b.primal() {
        let h = a / b;
        (h, (b - a) / b, (a * (h + 1.0)).sqrt().recip())
    } else {
        let h = b / a;
        (h, (b - a) / a, (b * (h + 1.0)).sqrt().recip())
    };
    let (r0, h2, z2) = ((h + 1.0).recip(), h.square(), root.square() * 2.0);
    let e1 = 0.5 * FRAC_1_SQRT_2;
    let mut coefficients = Coefficients::new(r1 * (2.0 / 3.0));
    let [mut j0, mut j1] = [first, Real::constant(e1)];
    let [mut before, mut at] = [root * SQRT_2, z2];
    let (mut w, mut hn, mut s) = (w0, Real::constant(1.0), Real::constant(1.0));
    let mut sum = coefficients.d[0] * w0 * e1;
    for n in (2..ORDERS).step_by(2) {
        let order = n as f64;
        hn *= h2;
        coefficients
            .a
            .push(r0 * (h * hn + 1.0) * (2.0 / (order + 2.0)));
        s += hn;
        coefficients.a.push(r1 * s * (2.0 / (order + 3.0)));
        coefficients.extend(n);
        coefficients.extend(n + 1);
        j0 = before * e1 + j0 * (order - 1.0);
        j1 = at * e1 + j1 * order;
        before *= z2;
        at *= z2;
        w *= w0;
        sum += coefficients.d[n - 1] * w * j0;
        w *= w0;
        sum += coefficients.d[n] * w * j1;
    }
    sum
}

/// The coefficients of the expansion, which depend on the ratio of the parameters alone.
struct Coefficients<M: SingleParticle> {
    a: Vec<Real<M>>,
    c: Vec<Real<M>>,
    d: Vec<Real<M>>,
}

impl<M: SingleParticle> Coefficients<M> {
    fn new(first: Real<M>) -> Self {
        let c = first * -0.5;
        Self {
            a: vec![first],
            c: vec![c],
            d: vec![-c],
        }
    }

    /// Adds `c` and `d` number `i`, counted from 1.
    fn extend(&mut self, i: usize) {
        let r = -0.5 * (i as f64 + 1.0);
        let mut b = vec![self.a[0] * r];
        for m in 2..=i {
            let mut sum = Real::constant(0.0);
            for j in 1..m {
                sum += self.a[j - 1] * b[m - j - 1] * (j as f64 * r - (m - j) as f64);
            }
            b.push(self.a[m - 1] * r + sum / m as f64);
        }
        self.c.push(b[i - 1] / (i as f64 + 1.0));
        let mut sum = self.c[i - 1];
        for j in 1..i {
            sum += self.d[i - j - 1] * self.c[j - 1];
        }
        self.d.push(-sum);
    }
}
