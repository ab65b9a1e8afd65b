//! Points on the unit sphere: stereographic projection.
//!
//! Normalised Gaussian coordinates, as in the Stan Reference Manual, have one coordinate more than the sphere has
//! dimensions. So a point does not determine its coordinates, and a prior draw could not be mapped to them. The
//! projection is a bijection between `R^(d-1)` and the sphere without one point.

use bayes_autodiff::{Mode, Real, Vector};

/// The sphere in `d = n + 1` dimensions from `n` coordinates.
///
/// ```text
/// w = u / √n        t = 2 / (1 + |w|²)        x = (t w, 1 - t)        ln |dx/du| = n ln t - n/2 ln n
/// ```
///
/// The Jacobian is for the surface measure. Under the uniform distribution the coordinates are jointly standard
/// Student t with `n` degrees of freedom, which is close to Gaussian unless `d` is small.
#[must_use]
#[inline(always)]
pub fn constrain<M: Mode>(coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
    let n = coordinates.len() as f64;
    let length_squared = M::dot_random(coordinates, coordinates) / n;
    let t = 2.0 / (length_squared + 1.0);
    let mut x = Vector::zeros(coordinates.len() + 1);
    for (x, u) in x.iter_mut().zip(coordinates) {
        *x = *u * (t / n.sqrt());
    }
    x[coordinates.len()] = 1.0 - t;
    let log_t = 2.0_f64.ln() - length_squared.ln_1p();
    (x, (log_t - 0.5 * n.ln()) * n)
}

/// `u_k = √n x_k / (1 - x_d)`; the pole `x_d = 1` has no coordinates.
#[must_use]
pub fn unconstrain(x: &[f64]) -> Vec<f64> {
    let (last, others) = (x[x.len() - 1], &x[..x.len() - 1]);
    // near the pole 1 - x_d would cancel: there it is |x_1..|²/(1 + x_d)
    let distance = if last > 0.0 {
        others.iter().map(|x| x * x).sum::<f64>() / (1.0 + last)
    } else {
        1.0 - last
    };
    let scale = (others.len() as f64).sqrt() / distance;
    others.iter().map(|x| x * scale).collect()
}
