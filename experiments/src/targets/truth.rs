//! Log evidences by closed forms and by quadrature.

use std::f64::consts::{PI, TAU};

/// The log of a sum of two exponentials.
fn log_add_exp(a: f64, b: f64) -> f64 {
    a.max(b) + (-(a - b).abs()).exp().ln_1p()
}

/// The integral of `f` from `low` to `high` by the trapezoid rule, which is exact up to rounding for smooth functions that are flat
/// at both ends.
fn integral(low: f64, high: f64, points: usize, f: impl Fn(f64) -> f64) -> f64 {
    let step = (high - low) / points as f64;
    let inner: f64 = (1..points).map(|k| f(low + k as f64 * step)).sum();
    step * (inner + 0.5 * (f(low) + f(high)))
}

/// The log masses of the wide and of the narrow mode of `two_phases`; the mass outside of the box is at most 1e-5 of them.
#[must_use]
pub fn phases(dim: usize, height: f64, width: f64) -> [f64; 2] {
    let dim = dim as f64;
    let wide = dim * (0.5 * TAU.ln() - 10f64.ln());
    [wide, wide + height + dim * width.ln()]
}

/// The log evidence of `two_phases`.
#[must_use]
pub fn two_phases(dim: usize, height: f64, width: f64) -> f64 {
    let [wide, narrow] = phases(dim, height, width);
    log_add_exp(wide, narrow)
}

/// The log evidence of `shells`: the area of a sphere times an integral along its radius. The shells end five widths within the box.
pub(super) fn shells(dim: usize) -> f64 {
    let along = integral(0.0, 4.0, 4000, |r| {
        let z = (r - 2.0) / 0.1;
        r.powi(dim as i32 - 1) * (-0.5 * z * z).exp() / (0.1 * TAU.sqrt())
    });
    // 2 π^(d/2) / Γ(d/2), for even d
    let half = dim / 2;
    let gamma: f64 = (1..half).map(|k| k as f64).product();
    let area = 2.0 * PI.powi(half as i32) / gamma;
    (2.0 * area * along).ln() - dim as f64 * 12f64.ln()
}

/// The log evidence of `egg_box`: the mean over two angles, because the cosine has the same values up to sign in each half period.
pub(super) fn egg_box() -> f64 {
    // scaled by the peak value e²⁴³, so that the integrands are at most 1
    let peak = 243.0;
    let mean = |f: &dyn Fn(f64) -> f64| integral(0.0, PI, 2000, f) / PI;
    let inner = |u: f64| mean(&|v: f64| ((2.0 + u.cos() * v.cos()).powi(5) - peak).exp());
    mean(&inner).ln() + peak
}

/// The log evidence of `rosenbrock`: one integral after the other, from the last coordinate to the first, on one grid.
pub(super) fn rosenbrock(dim: usize) -> f64 {
    const POINTS: usize = 8000;
    /// Twelve standard deviations across the valley.
    const REACH: f64 = 0.85;
    let step = 10.0 / POINTS as f64;
    // the middles of the cells
    let at = |k: usize| -5.0 + (k as f64 + 0.5) * step;
    let mut ahead = vec![1.0; POINTS];
    for _ in 1..dim {
        let next = |k: usize| {
            let (x, bend) = (at(k), at(k) * at(k));
            let first = ((bend - REACH + 5.0) / step).max(0.0) as usize;
            let last = (((bend + REACH + 5.0) / step) as usize).min(POINTS);
            let across = (first..last.max(first)).map(|m| {
                let off = at(m) - bend;
                (-100.0 * off * off).exp() * ahead[m]
            });
            step * across.sum::<f64>() * (-(1.0 - x) * (1.0 - x)).exp()
        };
        ahead = (0..POINTS).map(next).collect();
    }
    (step * ahead.iter().sum::<f64>()).ln() - dim as f64 * 10f64.ln()
}

/// The log evidence of `many_well`: each pair is an integral times a normal.
pub(super) fn many_well(pairs: usize) -> f64 {
    let well = integral(-6.0, 6.0, 4000, |x| {
        (6.0 * x * x - x.powi(4) + 0.5 * x).exp()
    });
    pairs as f64 * (well.ln() + 0.5 * TAU.ln())
}
