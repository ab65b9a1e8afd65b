//! Square roots of a population's covariance, regularised for small populations.

use super::Moments;
use super::factor::{Factor, Triangle};
use nalgebra::{Cholesky, DMatrix};

/// Minimum number of particles per coordinate for the use of correlations.
///
/// The eigenvalues of a sample covariance spread by the factor `((1 + √(d/n)) / (1 - √(d/n)))²` around the true ones, 4.4 for n = 8 d.
/// Resampling leaves about half as many distinct particles; with fewer particles a diagonal is safer.
const PARTICLES_PER_COORDINATE: usize = 8;

/// Minimum number of particles for the use of correlations in any dimension. With two modes most of the covariance is the distance
/// between them; with half of 256 particles the log evidence of such a problem was 0.3 too low.
const MIN_PARTICLES: usize = 256;

/// Maximum number of coordinates for a dense factor; above it the cost exceeds the benefit.
const MAX_DENSE: usize = 256;

/// Whether a population of `particles` is large enough for a dense covariance in `dim` coordinates.
pub(super) fn supports_dense(particles: usize, dim: usize) -> bool {
    dim <= MAX_DENSE && particles >= MIN_PARTICLES.max(PARTICLES_PER_COORDINATE * dim)
}

/// Factor of the covariance of `positions`, `[particles, dim]`.
///
/// If the population is too small for a dense factor, a diagonal with the square roots of [`Moments::shrunk_variance`].
pub(super) fn covariance_factor(positions: &[f64], dim: usize) -> Factor {
    let n = positions.len() / dim;
    let moments = Moments::of(positions, dim);
    let variance = moments.shrunk_variance(n);
    let dense = supports_dense(n, dim)
        .then(|| dense_factor(positions, &moments, &variance))
        .flatten();
    dense.unwrap_or_else(|| Factor::Diagonal(variance.iter().map(|v| v.sqrt()).collect()))
}

/// The factor of the sample covariance; `None` if the covariance is not positive definite (copies of few particles).
///
/// Shrinking the diagonal would destroy strong correlations, so it is only increased, by a millionth, against rounding.
fn dense_factor(positions: &[f64], moments: &Moments, floor: &[f64]) -> Option<Factor> {
    let dim = floor.len();
    let n = positions.len() / dim;
    let centred = DMatrix::from_fn(n, dim, |i, k| positions[i * dim + k] - moments.mean[k]);
    let mut covariance = centred.tr_mul(&centred) / n as f64;
    for k in 0..dim {
        let variance = moments.variance[k];
        covariance[(k, k)] = if variance > 0.0 {
            variance * (1.0 + 1e-6)
        } else {
            floor[k]
        };
    }
    // nalgebra stores columns: the transpose's columns are the factor's rows.
    let lower = Cholesky::new(covariance)?.l().transpose();
    Some(Factor::Lower(Triangle::new(dim, lower.as_slice())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_reproduces_the_covariance_of_a_large_population() {
        let positions: Vec<f64> = (0..1000)
            .flat_map(|i| {
                let (a, b) = ((f64::from(i) * 0.7).sin(), (f64::from(i) * 1.3).cos());
                [a, 0.8 * a + 0.01 * b]
            })
            .collect();
        let Factor::Lower(factor) = covariance_factor(&positions, 2) else {
            panic!("a thousand particles support a dense factor");
        };
        let correlation = factor.at(1, 0) / factor.at(1, 0).hypot(factor.at(1, 1));
        assert!(correlation > 0.999, "correlation {correlation}");
    }

    #[test]
    fn a_population_of_copies_still_has_a_factor() {
        let Factor::Diagonal(roots) = covariance_factor(&[1.0, 2.0, 3.0].repeat(50), 3) else {
            panic!("150 particles are too few for a dense factor");
        };
        assert!(roots.iter().all(|x| x.is_finite() && *x > 0.0));
    }

    #[test]
    fn few_particles_give_a_diagonal() {
        let positions: Vec<f64> = (0..6)
            .flat_map(|i| [f64::from(i), 2.0 * f64::from(i)])
            .collect();
        let factor = covariance_factor(&positions, 2);
        assert!(matches!(factor, Factor::Diagonal(_)), "{factor:?}");
    }
}
