//! Vectors whose elements sum to 0, by orthonormal contrasts.

use bayes_autodiff::{Mode, Real, Vector};

/// The scale of contrast `i`, which compares element `i` with the elements before it, `i` from 1.
fn scale(i: usize) -> f64 {
    let i = i as f64;
    1.0 / (i * (i + 1.0)).sqrt()
}

/// The vector `x` of `n + 1` elements from `n` coordinates `z`.
///
/// ```text
/// w_i = z_i / √(i (i + 1))        x_k = Σ_{i > k} w_i - k w_k,    k = 0..n, w_0 = 0        |x| = |z|
/// ```
///
/// The map is an isometry onto the plane `Σ x = 0` (the contrasts of Helmert), so the log Jacobian is
/// 0.
#[must_use]
#[inline(always)]
pub fn constrain<M: Mode>(coordinates: &[Real<M>]) -> Vector<M> {
    let mut x = Vector::zeros(coordinates.len() + 1);
    let mut later = Real::constant(0.0);
    for (before, z) in coordinates.iter().enumerate().rev() {
        let i = before + 1;
        let w = *z * scale(i);
        x[i] = later - w * i as f64;
        later += w;
    }
    x[0] = later;
    x
}

/// The coordinates of a vector whose elements sum to 0. The first element is not read.
#[must_use]
pub fn unconstrain(x: &[f64]) -> Vec<f64> {
    let mut z = vec![0.0; x.len().saturating_sub(1)];
    let mut later = 0.0;
    for (before, z) in z.iter_mut().enumerate().rev() {
        let i = before + 1;
        let w = (later - x[i]) / i as f64;
        *z = w / scale(i);
        later += w;
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;
    use bayes_autodiff::Value;

    #[test]
    fn it_is_an_isometry_onto_the_plane() {
        for n in [1, 2, 7, 300] {
            let z: Vec<f64> = (0..n)
                .map(|i| 3.0 * (f64::from(i) * 1.7 + 0.5).sin())
                .collect();
            let lifted: Vec<Real<Value>> = z.iter().map(|z| Real::constant(*z)).collect();
            let x: Vec<f64> = constrain(&lifted).iter().map(|x| x.primal()).collect();
            let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
            assert!(x.iter().sum::<f64>().abs() < 1e-12 * square(&x).sqrt());
            assert!((square(&x) / square(&z) - 1.0).abs() < 1e-13);
            for (back, z) in unconstrain(&x).iter().zip(&z) {
                assert!((back - z).abs() < 1e-12, "{back} instead of {z}");
            }
        }
    }
}
