//! Increasing vectors of positive numbers.

use bayes_autodiff::{Buffer, Mode, Real, Vector};

/// `x_1 = e^{u_1}`, `x_k = x_{k-1} + e^{u_k}`; log Jacobian `Σ_k u_k`.
#[must_use]
#[inline(always)]
pub fn constrain<M: Mode>(coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
    let mut x = Buffer::with_capacity(coordinates.len());
    let mut previous = Real::constant(0.0);
    for u in coordinates {
        previous = u.exp() + previous;
        x.push(previous);
    }
    (Vector::from(x), M::sum(coordinates))
}

/// `u_1 = ln x_1`, `u_k = ln(x_k - x_{k-1})`.
#[must_use]
pub fn unconstrain(x: &[f64]) -> Vec<f64> {
    let mut previous = 0.0;
    let mut gap = |x: &f64| {
        let gap = x - previous;
        previous = *x;
        gap.ln()
    };
    x.iter().map(&mut gap).collect()
}
