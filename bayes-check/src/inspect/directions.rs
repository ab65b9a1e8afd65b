//! Directions in which a posterior is constant or does not decrease.

use super::slopes::along;
use crate::density::{LogDensity, Particles};
use nalgebra::DMatrix;

/// Singular values below this, relative to the largest, are rounding.
const NOTHING: f64 = 1e-10;
/// Coordinates with a smaller component in a direction of length 1 are not named.
const PART: f64 = 0.1;
/// Distances at which a density is evaluated. At one of them it must have decreased by [`FALL`].
const DISTANCES: [f64; 4] = [1e2, 1e4, 1e6, 1e8];
const FALL: f64 = 10.0;
/// Number of times that rows and columns are scaled.
const BALANCINGS: usize = 5;

/// The directions that are orthogonal to all gradients, each as the list of its coordinates.
pub(super) fn flat(
    density: &dyn LogDensity,
    particles: &Particles,
    finite: &[usize],
) -> Vec<Vec<usize>> {
    let dim = particles.dim;
    if finite.is_empty() {
        return Vec::new();
    }
    let slope = |i: usize, k: usize| particles.gradient[i * dim + k];
    let discrete = density.describe().discrete;
    let (still, moving): (Vec<usize>, Vec<usize>) = (0..dim)
        .filter(|k| !discrete[*k])
        .partition(|k| finite.iter().all(|i| slope(*i, *k) == 0.0));
    let mut directions: Vec<Vec<usize>> = still.into_iter().map(|k| vec![k]).collect();
    if finite.len() <= moving.len() || moving.is_empty() {
        return directions;
    }
    let mut slopes = DMatrix::from_fn(finite.len(), moving.len(), |i, k| {
        slope(finite[i], moving[k])
    });
    let scales = balance(&mut slopes);
    let Some(decomposition) = slopes.try_svd(false, true, f64::EPSILON, 0) else {
        return directions;
    };
    let Some(rows) = decomposition.v_t else {
        return directions;
    };
    let largest = decomposition.singular_values.max();
    for (row, size) in rows.row_iter().zip(&decomposition.singular_values) {
        if *size <= NOTHING * largest {
            // in the model's own coordinates
            let parts: Vec<f64> = row.iter().zip(&scales).map(|(v, s)| v / s).collect();
            let length = parts.iter().fold(0.0f64, |sum, x| sum.hypot(*x));
            let named = (0..parts.len()).filter(|k| parts[*k].abs() > PART * length);
            directions.push(named.map(|k| moving[k]).collect());
        }
    }
    directions
}

/// Scales rows and columns in turn until the largest entry of each is about 1. Returns the divisors of the columns.
///
/// Without scaling, coordinates of small slopes would count as directions without any slope. One draw at which the density
/// explodes would make the slopes at all others look like rounding. A scaled row is orthogonal to the same directions.
fn balance(slopes: &mut DMatrix<f64>) -> Vec<f64> {
    let mut scales = vec![1.0; slopes.ncols()];
    for _ in 0..BALANCINGS {
        for mut row in slopes.row_iter_mut() {
            let largest = row.amax();
            if largest > 0.0 {
                row /= largest;
            }
        }
        for (mut column, scale) in slopes.column_iter_mut().zip(&mut scales) {
            let largest = column.amax();
            if largest > 0.0 {
                column /= largest;
                *scale *= largest;
            }
        }
    }
    scales
}

/// The coordinates along which the density, from each of the starts `finite`, does not decrease on one side up to the
/// largest distance.
pub(super) fn unbounded(
    density: &dyn LogDensity,
    particles: &Particles,
    finite: &[usize],
) -> Vec<usize> {
    let stays = |i: usize, k: usize, side: f64| {
        let start = particles.log_prior[i] + particles.log_likelihood[i];
        let offsets = DISTANCES.map(|distance| side * distance);
        let values = along(density, particles.position(i), k, offsets);
        values.iter().all(|value| *value > start - FALL)
    };
    let anywhere = |k: &usize, side: f64| finite.iter().all(|i| stays(*i, *k, side));
    let discrete = density.describe().discrete;
    let coordinates = (0..particles.dim).filter(|k| !discrete[*k]);
    coordinates
        .filter(|k| !finite.is_empty() && (anywhere(k, 1.0) || anywhere(k, -1.0)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::Block;

    /// Only the number of coordinates matters.
    struct Plane;

    impl LogDensity for Plane {
        fn dim(&self) -> usize {
            2
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|_| [0.0, 0.0]);
        }
    }

    fn directions(gradients: [[f64; 2]; 5]) -> Vec<Vec<usize>> {
        let mut particles = Particles::new(5, 2);
        particles.gradient = gradients.concat();
        flat(&Plane, &particles, &[0, 1, 2, 3, 4])
    }

    #[test]
    fn one_draw_with_huge_slopes_hides_no_direction() {
        let slopes = [
            [1.0, 2.0],
            [2.0, -1.0],
            [1e200, 3e199],
            [0.5, 1.0],
            [-1.0, 1.0],
        ];
        assert_eq!(directions(slopes), Vec::<Vec<usize>>::new());
    }

    #[test]
    fn a_direction_without_slopes_is_found_among_huge_ones() {
        let slopes = [1.0, -2.0, 1e200, 0.5, 1e-3].map(|slope| [slope, slope]);
        assert_eq!(directions(slopes), [[0, 1]]);
    }
}
