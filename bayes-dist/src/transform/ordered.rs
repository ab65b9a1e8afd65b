//! Increasing vectors.

use bayes_autodiff::{Buffer, Mode, Real, Vector};

/// `x_1 = u_1`, `x_k = x_{k-1} + e^{u_k}`; log Jacobian `Σ_{k>1} u_k`.
#[must_use]
#[inline(always)]
pub fn constrain<M: Mode>(coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
    let mut x = Buffer::with_capacity(coordinates.len());
    let mut log_jacobian = Real::constant(0.0);
    let mut previous = None;
    for u in coordinates {
        let next = match previous {
            None => *u,
            Some(previous) => {
                log_jacobian += *u;
                u.exp() + previous
            }
        };
        x.push(next);
        previous = Some(next);
    }
    (Vector::from(x), log_jacobian)
}

/// `u_1 = x_1`, `u_k = ln(x_k - x_{k-1})`.
#[must_use]
pub fn unconstrain(x: &[f64]) -> Vec<f64> {
    let gaps = x.windows(2).map(|pair| (pair[1] - pair[0]).ln());
    x.first().copied().into_iter().chain(gaps).collect()
}
