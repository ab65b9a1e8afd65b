//! Square roots of covariances, applied to the rows of a block.
//!
//! Sums have a fixed order and products are rounded before they are added, so that the instruction set changes the speed
//! but not the bits.

use super::low_rank::LowRank;
use bayes_autodiff::simd::{InstructionSet, LANES, Simd, Work, dispatch};
use serde::{Deserialize, Serialize};

/// `F` with `F Fᵀ` a covariance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Factor {
    /// The diagonal of a diagonal factor, `[dim]`.
    Diagonal(Vec<f64>),
    /// A lower triangle.
    Lower(Triangle),
    /// A diagonal that is stretched along a few directions.
    LowRank(LowRank),
}

/// A lower triangular matrix and its transpose; every row is padded with zeros to whole lanes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Triangle {
    dim: usize,
    /// Row `i` holds `F[i][..=i]`, `[dim, width]`.
    rows: Vec<f64>,
    /// Row `k` holds `F[k..][k]` at its place, `[dim, width]`.
    columns: Vec<f64>,
}

impl Triangle {
    /// From the lower triangle of a row-major matrix, `[dim, dim]`; the upper triangle is not read.
    #[must_use]
    pub fn new(dim: usize, matrix: &[f64]) -> Self {
        let width = dim.next_multiple_of(LANES);
        let (mut rows, mut columns) = (vec![0.0; dim * width], vec![0.0; dim * width]);
        for i in 0..dim {
            for k in 0..=i {
                rows[i * width + k] = matrix[i * dim + k];
                columns[k * width + i] = matrix[i * dim + k];
            }
        }
        Self { dim, rows, columns }
    }

    /// The entry at row `i` and column `k`.
    #[must_use]
    pub fn at(&self, i: usize, k: usize) -> f64 {
        self.rows[i * self.dim.next_multiple_of(LANES) + k]
    }
}

impl Factor {
    /// `to[i] += scales[i] * F from[i]` for every row of `from` and `to`, `[particles, dim]`.
    pub(super) fn add(&self, from: &[f64], scales: &[f64], to: &mut [f64]) {
        dispatch(InstructionSet::detect(), self.product(from, scales, to));
    }

    /// `to[i] += scale * scales[i] * Fᵀ from[i]` for every row of `from` and `to`, `[particles, dim]`.
    pub(super) fn add_transposed(&self, from: &[f64], scale: f64, scales: &[f64], to: &mut [f64]) {
        let product = Product {
            scale,
            ..self.transposed(from, scales, to)
        };
        dispatch(InstructionSet::detect(), product);
    }

    /// The work of [`Factor::add`].
    pub(super) fn product<'a>(
        &'a self,
        from: &'a [f64],
        scales: &'a [f64],
        to: &'a mut [f64],
    ) -> Product<'a> {
        Product {
            factor: self,
            transposed: false,
            from,
            scales,
            scale: 1.0,
            to,
        }
    }

    /// The work of [`Factor::add_transposed`] with a scale of 1.
    pub(super) fn transposed<'a>(
        &'a self,
        from: &'a [f64],
        scales: &'a [f64],
        to: &'a mut [f64],
    ) -> Product<'a> {
        Product {
            transposed: true,
            ..self.product(from, scales, to)
        }
    }
}

/// A product of a factor with every row of a block, added to another block.
pub(super) struct Product<'a> {
    factor: &'a Factor,
    transposed: bool,
    from: &'a [f64],
    scales: &'a [f64],
    scale: f64,
    to: &'a mut [f64],
}

impl Work for Product<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let (from, to) = (self.from, self.to);
        let scale = |i: usize| self.scale * self.scales[i];
        match self.factor {
            Factor::Diagonal(diagonal) => {
                let dim = diagonal.len();
                for i in 0..self.scales.len() {
                    let scale = scale(i);
                    let (from, to) = (&from[i * dim..][..dim], &mut to[i * dim..][..dim]);
                    for k in 0..dim {
                        to[k] += scale * (diagonal[k] * from[k]);
                    }
                }
            }
            Factor::LowRank(low_rank) => {
                let dim = from.len() / self.scales.len();
                for i in 0..self.scales.len() {
                    let (from, to) = (&from[i * dim..][..dim], &mut to[i * dim..][..dim]);
                    low_rank.add_row(self.transposed, from, scale(i), to);
                }
            }
            Factor::Lower(triangle) => {
                let mut first = 0;
                while first + ROWS <= self.scales.len() {
                    multiply::<S, ROWS>(triangle, self.transposed, first, (from, to), scale);
                    first += ROWS;
                }
                while first < self.scales.len() {
                    multiply::<S, 1>(triangle, self.transposed, first, (from, to), scale);
                    first += 1;
                }
            }
        }
    }
}

/// Number of particles multiplied together: enough parallel sums to hide the latency of an addition.
const ROWS: usize = 4;

/// Adds the products of rows `first..first + R`, eight elements at a time.
#[inline(always)]
fn multiply<S: Simd, const R: usize>(
    triangle: &Triangle,
    transposed: bool,
    first: usize,
    (from, to): (&[f64], &mut [f64]),
    scale: impl Fn(usize) -> f64,
) {
    let dim = triangle.dim;
    let width = dim.next_multiple_of(LANES);
    let matrix = if transposed {
        &triangle.rows
    } else {
        &triangle.columns
    };
    let rows: [&[f64]; R] = std::array::from_fn(|r| &from[(first + r) * dim..][..dim]);
    for start in (0..dim).step_by(LANES) {
        // the entries of these eight columns are zero elsewhere
        let terms = if transposed {
            start..dim
        } else {
            0..dim.min(start + LANES)
        };
        let mut sums = [S::splat(0.0); R];
        for j in terms {
            let entries = load::<S>(&matrix[j * width + start..]);
            for r in 0..R {
                sums[r] = S::add(sums[r], S::mul(entries, S::splat(rows[r][j])));
            }
        }
        for r in 0..R {
            let sum = S::mul(sums[r], S::splat(scale(first + r)));
            let row = &mut to[(first + r) * dim..][start..dim];
            if let Some(eight) = row.first_chunk_mut() {
                S::store(S::add(S::load(eight), sum), eight);
            } else {
                row.iter_mut().zip(S::array(sum)).for_each(|(t, x)| *t += x);
            }
        }
    }
}

/// The first eight of `x`.
#[inline(always)]
fn load<S: Simd>(x: &[f64]) -> S::Float {
    S::load(x.first_chunk().expect("rows are padded to whole lanes"))
}

/// `½ |z|²`.
#[inline(always)]
pub(super) fn half_square(z: &[f64]) -> f64 {
    0.5 * sum_of(z.len(), |k| z[k] * z[k])
}

/// Whether both `a` and `b` point along `x + y`, all `[dim]`: neither scalar product is 0, negative or NaN.
pub(super) fn agree([a, b]: [&[f64]; 2], [x, y]: [&[f64]; 2]) -> bool {
    let dim = a.len();
    let (b, x, y) = (&b[..dim], &x[..dim], &y[..dim]);
    sum_of(dim, |k| a[k] * (x[k] + y[k])) > 0.0 && sum_of(dim, |k| b[k] * (x[k] + y[k])) > 0.0
}

/// The sum of `n` terms in a fixed order that allows eight at a time.
#[inline(always)]
pub(super) fn sum_of(n: usize, term: impl Fn(usize) -> f64) -> f64 {
    let whole = n - n % LANES;
    let mut sums = [0.0; LANES];
    for start in (0..whole).step_by(LANES) {
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum += term(start + k);
        }
    }
    for k in whole..n {
        sums[k - whole] += term(k);
    }
    ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A made-up lower triangle in `dim` coordinates; the entries above the diagonal must not be read.
    fn lower(dim: usize) -> Vec<f64> {
        let entry = |i: usize, k: usize| ((3 * i + 5 * k) % 7) as f64 - 2.5;
        (0..dim * dim)
            .map(|at| (at / dim, at % dim))
            .map(|(i, k)| if k <= i { entry(i, k) } else { f64::NAN })
            .collect()
    }

    fn rows(n: usize, dim: usize) -> Vec<f64> {
        (0..n * dim).map(|i| (i as f64 * 0.7).sin()).collect()
    }

    #[test]
    fn both_products_are_those_of_the_matrix() {
        for (n, dim) in [(1, 1), (3, 3), (6, 8), (9, 13), (5, 16), (4, 21)] {
            let matrix = lower(dim);
            let factor = Factor::Lower(Triangle::new(dim, &matrix));
            let from = rows(n, dim);
            let scales: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
            let (mut product, mut transposed) = (rows(n, dim), rows(n, dim));
            let start = product.clone();
            factor.add(&from, &scales, &mut product);
            factor.add_transposed(&from, 0.5, &scales, &mut transposed);
            for i in 0..n {
                for k in 0..dim {
                    let entry = |i: usize, k: usize| if k <= i { matrix[i * dim + k] } else { 0.0 };
                    let sum = |entry: &dyn Fn(usize) -> f64| {
                        (0..dim).map(|j| entry(j) * from[i * dim + j]).sum::<f64>()
                    };
                    let wanted = start[i * dim + k] + scales[i] * sum(&|j| entry(k, j));
                    assert!((product[i * dim + k] - wanted).abs() < 1e-12);
                    let wanted = start[i * dim + k] + 0.5 * scales[i] * sum(&|j| entry(j, k));
                    assert!((transposed[i * dim + k] - wanted).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn a_row_has_the_same_bits_in_any_block() {
        let dim = 11;
        let factor = Factor::Lower(Triangle::new(dim, &lower(dim)));
        let (from, scales) = (rows(9, dim), [0.3; 9]);
        let mut together = vec![0.0; 9 * dim];
        factor.add(&from, &scales, &mut together);
        for i in 0..9 {
            let mut alone = vec![0.0; dim];
            factor.add(&from[i * dim..(i + 1) * dim], &scales[..1], &mut alone);
            assert_eq!(alone, together[i * dim..(i + 1) * dim]);
        }
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let dim = 13;
        let factor = Factor::Lower(Triangle::new(dim, &lower(dim)));
        let from = rows(7, dim);
        let product = |level| {
            let mut to = vec![0.0; 7 * dim];
            let product = Product {
                factor: &factor,
                transposed: true,
                from: &from,
                scales: &[0.7; 7],
                scale: 0.5,
                to: &mut to,
            };
            dispatch(level, product);
            to
        };
        let first = InstructionSet::available()
            .next()
            .expect("a level is available");
        for level in InstructionSet::available() {
            assert_eq!(product(level), product(first), "{level}");
        }
    }

    #[test]
    fn a_diagonal_triangle_moves_as_the_diagonal_does() {
        let lower = [2.0, 0.0, 0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 0.25];
        let dense = Factor::Lower(Triangle::new(3, &lower));
        let diagonal = Factor::Diagonal(vec![2.0, 1.5, 0.25]);
        let from = [0.3, -1.2, 4.0];
        for factor in [dense, diagonal] {
            let (mut by, mut by_transposed) = ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]);
            factor.add(&from, &[0.5], &mut by);
            factor.add_transposed(&from, 0.5, &[1.0], &mut by_transposed);
            assert_eq!(by, [1.3, 1.1, 3.5]);
            assert_eq!(by_transposed, by);
        }
    }

    #[test]
    fn the_kinetic_energy_counts_every_momentum() {
        for dim in [0, 1, 7, 8, 9, 20] {
            let z: Vec<f64> = (0..dim).map(f64::from).collect();
            let squares: f64 = z.iter().map(|z| z * z).sum();
            assert_eq!(half_square(&z), 0.5 * squares);
        }
    }
}
