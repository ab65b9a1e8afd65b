//! Wasserstein distances: exact by an assignment, or sliced.
//!
//! The assignment solver is our own: crates with a solver take whole numbers as costs, or are unmaintained.

use crate::order;
use crate::rng::{Key, Purpose, RngExt, Stream};
use crate::run::Draws;
use rand_distr::StandardNormal;

/// The largest number of draws with an exact solution of the assignment.
const EXACT: usize = 2000;
/// Directions of the sliced distances.
const SLICES: usize = 200;

/// 1- and 2-Wasserstein distances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transport {
    pub w1: f64,
    pub w2: f64,
    pub is_sliced: bool,
}

/// The distances between two sets of draws, which are resampled to equal weights and to the size of the smaller one.
pub(super) fn distances(a: &Draws, b: &Draws) -> Transport {
    let size = a.weights.len().min(b.weights.len());
    let mut stream = Key::new(0, Purpose::Distance).stream();
    let (a, b) = (points(a, size, &mut stream), points(b, size, &mut stream));
    if a[0].len() == 1 {
        let [w1, w2] = along(&a, &b, &[1.0]);
        return Transport {
            w1,
            w2: w2.sqrt(),
            is_sliced: false,
        };
    }
    if size > EXACT {
        return sliced(&a, &b, &mut stream);
    }
    let square = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
    let mean = |cost: &dyn Fn(usize, usize) -> f64| assignment(size, cost) / size as f64;
    Transport {
        w1: mean(&|i, j| square(&a[i], &b[j]).sqrt()),
        w2: mean(&|i, j| square(&a[i], &b[j])).sqrt(),
        is_sliced: false,
    }
}

/// Equally weighted points: all draws, or a systematic resample of them.
fn points(draws: &Draws, size: usize, stream: &mut Stream) -> Vec<Vec<f64>> {
    let rows: Vec<&[f64]> = draws.rows().collect();
    let equal = 1.0 / rows.len() as f64;
    let is_equal = |w: &f64| (w - equal).abs() <= 1e-9 * equal;
    if rows.len() == size && draws.weights.iter().all(is_equal) {
        return rows.into_iter().map(<[f64]>::to_vec).collect();
    }
    let (mut points, mut sum, mut next) = (Vec::with_capacity(size), 0.0, stream.random::<f64>());
    for (row, weight) in rows.iter().zip(&draws.weights) {
        sum += weight * size as f64;
        while next < sum && points.len() < size {
            points.push(row.to_vec());
            next += 1.0;
        }
    }
    // rounding may leave the last one out
    points.resize(size, rows[rows.len() - 1].to_vec());
    points
}

/// Mean distance and mean squared distance of the projections on a direction, sorted.
fn along(a: &[Vec<f64>], b: &[Vec<f64>], direction: &[f64]) -> [f64; 2] {
    let project = |points: &[Vec<f64>]| {
        let dot = |x: &Vec<f64>| x.iter().zip(direction).map(|(x, d)| x * d).sum::<f64>();
        let mut values: Vec<f64> = points.iter().map(dot).collect();
        order::sort(&mut values);
        values
    };
    let pairs = project(a).into_iter().zip(project(b));
    let mut sums = [0.0; 2];
    for (x, y) in pairs {
        let d = (x - y).abs();
        sums[0] += d;
        sums[1] += d * d;
    }
    sums.map(|sum| sum / a.len() as f64)
}

/// Means over random directions (Bonneel et al. 2015).
fn sliced(a: &[Vec<f64>], b: &[Vec<f64>], stream: &mut Stream) -> Transport {
    let mut sums = [0.0; 2];
    for _ in 0..SLICES {
        let z: Vec<f64> = a[0].iter().map(|_| stream.sample(StandardNormal)).collect();
        let norm = z.iter().map(|z| z * z).sum::<f64>().sqrt();
        let direction: Vec<f64> = z.iter().map(|z| z / norm).collect();
        let [w1, w2] = along(a, b, &direction);
        sums[0] += w1 / SLICES as f64;
        sums[1] += w2 / SLICES as f64;
    }
    Transport {
        w1: sums[0],
        w2: sums[1].sqrt(),
        is_sliced: true,
    }
}

/// The least total cost of an assignment of n rows to n columns, by shortest augmenting paths (Jonker and Volgenant 1987; the Hungarian
/// method with potentials), in at most n³ steps.
fn assignment(n: usize, cost: &dyn Fn(usize, usize) -> f64) -> f64 {
    let costs: Vec<f64> = (0..n * n).map(|k| cost(k / n, k % n)).collect();
    // potentials of rows and columns; column n is where each path starts
    let (mut of_row, mut of_column) = (vec![0.0; n], vec![0.0; n + 1]);
    let mut row_of: Vec<Option<usize>> = vec![None; n + 1];
    for start in 0..n {
        row_of[n] = Some(start);
        let mut column = n;
        let (mut least, mut before) = (vec![f64::INFINITY; n], vec![n; n]);
        let mut done = vec![false; n + 1];
        while let Some(row) = row_of[column] {
            done[column] = true;
            let (mut step, mut next) = (f64::INFINITY, n);
            for j in (0..n).filter(|j| !done[*j]) {
                let reduced = costs[row * n + j] - of_row[row] - of_column[j];
                if reduced < least[j] {
                    (least[j], before[j]) = (reduced, column);
                }
                if least[j] < step {
                    (step, next) = (least[j], j);
                }
            }
            for j in 0..=n {
                match (done[j], row_of[j]) {
                    (true, Some(row)) => {
                        of_row[row] += step;
                        of_column[j] -= step;
                    }
                    _ if j < n => least[j] -= step,
                    _ => (),
                }
            }
            column = next;
        }
        while column != n {
            let from = before[column];
            row_of[column] = row_of[from];
            column = from;
        }
    }
    let pairs = row_of.iter().take(n).enumerate();
    pairs
        .filter_map(|(j, row)| Some(costs[(*row)? * n + j]))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::assignment;
    use crate::rng::{RngExt, stream};

    /// The least cost over all permutations.
    fn by_trial(costs: &[Vec<f64>], row: usize, taken: &mut Vec<bool>) -> f64 {
        if row == costs.len() {
            return 0.0;
        }
        let mut least = f64::INFINITY;
        for j in 0..costs.len() {
            if !taken[j] {
                taken[j] = true;
                least = least.min(costs[row][j] + by_trial(costs, row + 1, taken));
                taken[j] = false;
            }
        }
        least
    }

    #[test]
    fn the_assignment_is_the_cheapest_of_all() {
        let mut stream = stream(5);
        for n in 1..=7 {
            for _ in 0..20 {
                let costs: Vec<Vec<f64>> = (0..n)
                    .map(|_| (0..n).map(|_| stream.random::<f64>()).collect())
                    .collect();
                let found = assignment(n, &|i, j| costs[i][j]);
                let exact = by_trial(&costs, 0, &mut vec![false; n]);
                assert!((found - exact).abs() < 1e-12, "{n}: {found} and {exact}");
            }
        }
    }
}
