//! Vectors of positive numbers that sum to one: stick breaking.

use crate::numeric::log_sum_exp;
use bayes_autodiff::{Buffer, Mode, Real, Vector};

/// Breaks a stick of length one, as in the Stan Reference Manual, section "Unit simplex".
///
/// ```text
/// v_k = u_k - ln(K - k)        x_k = r_k σ(v_k)        r_1 = 1,  r_{k+1} = r_k σ(-v_k)        x_K = r_K
/// ln |dx/du| = Σ_k ln r_k + ln σ(v_k) + ln σ(-v_k)        k = 1..K-1
/// ```
///
/// The offset makes `u = 0` the centre of the simplex. `coordinates` has `K - 1` elements, the result `K`.
#[must_use]
#[inline(always)]
pub fn constrain<M: Mode>(coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
    let last = coordinates.len();
    let mut x = Buffer::with_capacity(last + 1);
    // The rest of the stick is kept as its logarithm: a product of many small σ would underflow first.
    let mut log_rest = Real::constant(0.0);
    let mut log_jacobian = Real::constant(0.0);
    for (k, u) in coordinates.iter().enumerate() {
        let v = *u - ((last - k) as f64).ln();
        let log_piece = log_rest + v.ln_logistic();
        let log_left = (-v).ln_logistic();
        log_jacobian += log_piece + log_left;
        x.push(log_piece.exp());
        log_rest += log_left;
    }
    x.push(log_rest.exp());
    (Vector::from(x), log_jacobian)
}

/// [`unconstrain`] of a point given by the logarithms of its elements, which need not sum to one: elements may underflow.
#[must_use]
pub fn coordinates_of_logs(logs: &[f64]) -> Vec<f64> {
    let last = logs.len() - 1;
    let mut coordinates = vec![0.0; last];
    let mut log_rest = logs[last];
    for k in (0..last).rev() {
        coordinates[k] = logs[k] - log_rest + ((last - k) as f64).ln();
        log_rest = log_sum_exp(&[log_rest, logs[k]]);
    }
    coordinates
}

/// `u_k = ln x_k - ln(x_{k+1} + ... + x_K) + ln(K - k)`.
#[must_use]
pub fn unconstrain(x: &[f64]) -> Vec<f64> {
    let last = x.len() - 1;
    let mut coordinates = vec![0.0; last];
    // Summed from the end: the rest is exact where subtracting from 1 would cancel.
    let mut rest = x[last];
    for k in (0..last).rev() {
        coordinates[k] = x[k].ln() - rest.ln() + ((last - k) as f64).ln();
        rest += x[k];
    }
    coordinates
}
