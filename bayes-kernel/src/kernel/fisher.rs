//! Mass from draws and gradients: the linear map after which a population is closest to a standard normal one in Fisher
//! divergence (Seyboldt, Carlson and Carpenter 2026).
//!
//! A standard normal density has the gradient `-x` at `x`. Of a population with covariances C of the positions and G of the gradients,
//! the divergence of the population after the map `x = F y` from a standard normal one is least where `M⁻¹ = F Fᵀ` solves
//!
//! ```text
//! M⁻¹ G M⁻¹ = C
//! ```
//!
//! the geometric mean of C and G⁻¹. For a Gaussian this is its covariance whatever the population, since `G = Σ⁻¹ C Σ⁻¹`, so that as many
//! states as coordinates determine it exactly; the covariance of the positions alone has a Monte Carlo error.

use super::low_rank::LowRank;
use super::metric::Metric;
use super::{Moments, Population};
use crate::order;
use nalgebra::{Cholesky, DMatrix, Dyn, SymmetricEigen};

/// Number of coordinates up to which all directions are looked at, and of directions that are in more coordinates: those of a few
/// draws and gradients.
const MOST_DIRECTIONS: usize = 128;

/// Directions whose variance after scaling by the diagonal is within this factor of the median are left as they are.
const CUTOFF: f64 = 2.0;

/// Added to the sums of squares along each direction, so that those along which the population does not vary have a variance of 1.
const RIDGE: f64 = 1e-5;

/// A standard deviation that is less than this part of the mean is rounding: the population stayed where it was.
const ROUNDING: f64 = 1e-13;

/// The diagonal of M⁻¹, `√(C_kk / G_kk)`, `[dim]`; that of `known` where the population does not say.
pub(super) fn diagonal(population: Population<'_>, known: &[f64]) -> Vec<f64> {
    let dim = known.len();
    let spread = |states| {
        let Moments { mean, variance } = Moments::of(states, dim);
        let known = |(mean, variance): (f64, f64)| {
            let moves = variance.sqrt() > ROUNDING * mean.abs();
            if moves { variance } else { f64::NAN }
        };
        mean.into_iter().zip(variance).map(known)
    };
    let each = spread(population.positions).zip(spread(population.gradients));
    each.zip(known)
        .map(|((c, g), known)| {
            let variance = (c / g).sqrt();
            let is_usable = variance > 0.0 && variance.is_finite();
            if is_usable { variance } else { *known }
        })
        .collect()
}

/// M⁻¹ as a diagonal with the directions in which it differs from that.
pub(super) fn low_rank(population: Population<'_>, known: &[f64]) -> Metric {
    let variance = diagonal(population, known);
    let scales: Vec<f64> = variance.iter().map(|v| v.sqrt()).collect();
    let reciprocals: Vec<f64> = scales.iter().map(|scale| 1.0 / scale).collect();
    let positions = scaled(population.positions, &reciprocals);
    let gradients = scaled(population.gradients, &scales);
    let basis = basis(&positions, &gradients);
    let inside = |states: &DMatrix<f64>| match &basis {
        Some(basis) => basis.tr_mul(states),
        None => states.clone(),
    };
    let Some(eigen) = along_axes(&inside(&positions), &inside(&gradients)) else {
        return Metric::diagonal(variance);
    };
    let median = median(eigen.eigenvalues.as_slice());
    let ratio = |j: usize| eigen.eigenvalues[j] / median;
    let differs = |j: &usize| ratio(*j).ln().abs() > CUTOFF.ln();
    let kept: Vec<usize> = (0..eigen.eigenvalues.len()).filter(differs).collect();
    let ratios: Vec<f64> = kept.iter().map(|j| ratio(*j)).collect();
    let vectors = eigen.eigenvectors.select_columns(&kept);
    let directions = match basis {
        Some(basis) => basis * vectors,
        None => vectors,
    };
    // the other directions have the median
    let scales = scales.iter().map(|scale| scale * median.sqrt()).collect();
    Metric::low_rank(LowRank::new(
        scales,
        &ratios,
        directions.as_slice().to_vec(),
    ))
}

/// The states `[states, dim]` as columns, centred and multiplied by `scales`.
fn scaled(states: &[f64], scales: &[f64]) -> DMatrix<f64> {
    let dim = scales.len();
    let mean = Moments::of(states, dim).mean;
    let entry = |k: usize, i: usize| (states[i * dim + k] - mean[k]) * scales[k];
    DMatrix::from_fn(dim, states.len() / dim, entry)
}

/// Orthonormal columns that span a few of the positions and gradients; `None` if they span everything.
fn basis(positions: &DMatrix<f64>, gradients: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let (dim, states) = positions.shape();
    let few = states.min(MOST_DIRECTIONS / 2);
    if dim <= 2 * few {
        return None;
    }
    let column = |j: usize| {
        let from = if j < few { positions } else { gradients };
        let column = from.column(j % few * states / few);
        column / column.norm().max(f64::MIN_POSITIVE)
    };
    let columns: Vec<_> = (0..2 * few).map(column).collect();
    Some(DMatrix::from_columns(&columns).qr().q())
}

/// The variances of the geometric mean along its axes; `None` if the population is not finite.
fn along_axes(
    positions: &DMatrix<f64>,
    gradients: &DMatrix<f64>,
) -> Option<SymmetricEigen<f64, Dyn>> {
    let mean = geometric_mean(&covariance(positions), covariance(gradients))?;
    let eigen = eigen(mean)?;
    let usable = |value: &f64| *value > 0.0 && value.is_finite();
    eigen.eigenvalues.iter().all(usable).then_some(eigen)
}

/// The lower median.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    order::sort(&mut sorted);
    sorted[(sorted.len() - 1) / 2]
}

/// The covariance of columns, with a little variance in every direction.
fn covariance(columns: &DMatrix<f64>) -> DMatrix<f64> {
    let (dim, states) = columns.shape();
    let sum = columns * columns.transpose() + DMatrix::identity(dim, dim) * RIDGE;
    sum / states as f64
}

/// X with `X G X = C`.
///
/// With `G = L Lᵀ` the matrix `Y = Lᵀ X L` is the square root of `Lᵀ C L`.
fn geometric_mean(c: &DMatrix<f64>, g: DMatrix<f64>) -> Option<DMatrix<f64>> {
    let lower = Cholesky::new(g)?.l();
    let inner = lower.tr_mul(&(c * &lower));
    let eigen = eigen((&inner + inner.transpose()) * 0.5)?;
    // X = A Aᵀ with A = L⁻ᵀ Q S^¼
    let roots = eigen.eigenvalues.map(|s| s.max(0.0).powf(0.25));
    let columns = eigen.eigenvectors * DMatrix::from_diagonal(&roots);
    let a = lower.tr_solve_lower_triangular(&columns)?;
    Some(&a * a.transpose())
}

/// The eigenvalues and eigenvectors of a symmetric matrix; `None` if it is not finite.
fn eigen(matrix: DMatrix<f64>) -> Option<SymmetricEigen<f64, Dyn>> {
    let finite = matrix.iter().all(|x| x.is_finite());
    // three sweeps an eigenvalue are usual
    let sweeps = 100 * matrix.nrows();
    finite.then(|| SymmetricEigen::try_new(matrix, f64::EPSILON, sweeps))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Factor;

    /// Made-up positions `[states, dim]` that vary in every direction.
    fn positions(states: usize, dim: usize) -> Vec<f64> {
        (0..states * dim)
            .map(|at| ((at * at % 101) as f64 * 0.37 + at as f64).sin())
            .collect()
    }

    /// The gradients of a Gaussian with this precision around 3.
    fn gradients(positions: &[f64], precision: &DMatrix<f64>) -> Vec<f64> {
        let rows = positions.chunks_exact(precision.nrows());
        rows.flat_map(|x| {
            let x = nalgebra::DVector::from_fn(x.len(), |k, _| 3.0 - x[k]);
            (precision * x).as_slice().to_vec()
        })
        .collect()
    }

    /// A covariance with these variances along made-up axes.
    fn covariance_along_axes(variances: &[f64]) -> DMatrix<f64> {
        let dim = variances.len();
        let axes = DMatrix::from_vec(dim, dim, positions(dim, dim)).qr().q();
        &axes * DMatrix::from_diagonal(&variances.to_vec().into()) * axes.transpose()
    }

    fn fitted(states: usize, covariance: &DMatrix<f64>) -> Metric {
        let dim = covariance.nrows();
        let precision = Cholesky::new(covariance.clone()).expect("positive definite");
        let positions = drawn(states, &precision.l());
        let population = Population {
            positions: &positions,
            gradients: &gradients(&positions, &precision.inverse()),
            chains: &[],
        };
        low_rank(population, &vec![1.0; dim])
    }

    /// Made-up positions `[states, dim]` of a Gaussian with this root of the covariance.
    fn drawn(states: usize, root: &DMatrix<f64>) -> Vec<f64> {
        let dim = root.nrows();
        let columns = root * DMatrix::from_vec(dim, states, positions(states, dim));
        columns.as_slice().to_vec()
    }

    /// The variances along its axes of a Gaussian after the map by which a metric makes it standard normal.
    fn variances_after(metric: &Metric, covariance: &DMatrix<f64>) -> Vec<f64> {
        let dim = covariance.nrows();
        let mut rows = vec![0.0; dim * dim];
        let unit = DMatrix::<f64>::identity(dim, dim);
        metric
            .factor
            .add(unit.as_slice(), &vec![1.0; dim], &mut rows);
        // row k is F e_k, a column of F
        let factor = DMatrix::from_vec(dim, dim, rows);
        let inverse = factor.try_inverse().expect("a factor has an inverse");
        let after = &inverse * covariance * inverse.transpose();
        let mut variances = after.symmetric_eigenvalues().as_slice().to_vec();
        order::sort(&mut variances);
        variances
    }

    /// Seen to fail with the ratio in place of its root.
    #[test]
    fn three_states_determine_the_scales_of_independent_coordinates() {
        let variances = [1e-8, 0.3, 2.0, 1e6];
        let precision = DMatrix::from_diagonal(&variances.map(|v| 1.0 / v).to_vec().into());
        let positions = positions(3, 4);
        let population = Population {
            positions: &positions,
            gradients: &gradients(&positions, &precision),
            chains: &[],
        };
        let found = diagonal(population, &[1.0; 4]);
        for (found, want) in found.iter().zip(variances) {
            assert!((found / want - 1.0).abs() < 1e-9, "{found}, want {want}");
        }
    }

    /// Seen to fail with positions and gradients exchanged, and with `S^½` in place of `S^¼`.
    #[test]
    fn few_more_states_than_coordinates_determine_a_covariance() {
        let covariance = covariance_along_axes(&[1e-4, 1e-2, 0.3, 1.0, 4.0, 9.0, 1e4]);
        let metric = fitted(9, &covariance);
        let after = variances_after(&metric, &covariance);
        assert!(after[6] / after[0] < 4.0, "{after:?}");
        let exact = covariance.diagonal();
        for (found, want) in metric.variance.iter().zip(exact.iter()) {
            assert!((0.5..2.0).contains(&(found / want)), "{found}, want {want}");
        }
    }

    #[test]
    fn the_covariance_of_the_positions_alone_is_far_off_with_as_many_states() {
        let covariance = covariance_along_axes(&[1e-4, 1e-2, 0.3, 1.0, 4.0, 9.0, 1e4]);
        let root = Cholesky::new(covariance.clone())
            .expect("positive definite")
            .l();
        let found = super::covariance(&scaled(&drawn(9, &root), &[1.0; 7]));
        let whitened = Cholesky::new(found).expect("positive definite").l();
        let inverse = whitened.try_inverse().expect("positive definite");
        let after = &inverse * covariance * inverse.transpose();
        let variances = after.symmetric_eigenvalues();
        assert!(variances.max() / variances.min() > 10.0, "{variances}");
    }

    #[test]
    fn a_few_directions_are_found_among_many_coordinates() {
        let dim = 200;
        let mut variances = vec![1.0; dim];
        variances[..3].copy_from_slice(&[1e-4, 1e4, 1e3]);
        let covariance = covariance_along_axes(&variances);
        let metric = fitted(300, &covariance);
        let Factor::LowRank(factor) = &metric.factor else {
            panic!("there are directions");
        };
        assert!(factor.rank() <= MOST_DIRECTIONS, "rank {}", factor.rank());
        let known = variances_after(&Metric::diagonal(vec![1.0; dim]), &covariance);
        let after = variances_after(&metric, &covariance);
        let ratio = |variances: &[f64]| variances[dim - 1] / variances[0];
        assert!(ratio(&known) > 1e7 && ratio(&after) < 30.0, "{after:?}");
    }

    #[test]
    fn what_a_population_does_not_say_stays_as_it_is() {
        let known = [0.5, 7.0];
        let stuck = Population {
            positions: &[1.0, 2.0].repeat(30),
            gradients: &[0.1, 0.2].repeat(30),
            chains: &[],
        };
        let infinite = Population {
            positions: &positions(30, 2),
            gradients: &[f64::NAN, f64::INFINITY].repeat(30),
            chains: &[],
        };
        for population in [stuck, infinite] {
            assert_eq!(diagonal(population, &known), known);
            for (found, known) in low_rank(population, &known).variance.iter().zip(known) {
                assert!((found / known - 1.0).abs() < 1e-12, "{found}, want {known}");
            }
        }
    }

    #[test]
    fn a_standard_normal_needs_no_directions() {
        let metric = fitted(100, &DMatrix::identity(5, 5));
        let Factor::LowRank(factor) = &metric.factor else {
            panic!("the population is finite");
        };
        assert_eq!(factor.rank(), 0, "{metric:?}");
    }
}
