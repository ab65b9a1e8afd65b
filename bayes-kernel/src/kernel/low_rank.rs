//! A diagonal matrix that is stretched along a few directions, applied to the rows of a block.

use super::factor::sum_of;
use serde::{Deserialize, Serialize};

/// `F = D (I + U (Λ^½ - I) Uᵀ)` with a diagonal D, orthonormal columns U and a diagonal Λ, so that
/// `F Fᵀ = D (I + U (Λ - I) Uᵀ) D`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LowRank {
    /// The diagonal of D, `[dim]`.
    scales: Vec<f64>,
    /// `√λ - 1` of each direction, `[rank]`.
    stretches: Vec<f64>,
    /// The columns of U, `[rank, dim]`.
    directions: Vec<f64>,
    /// The columns of D U, `[rank, dim]`: with them a product needs no memory for `D x`.
    scaled: Vec<f64>,
}

impl LowRank {
    /// From the diagonal of D, `[dim]`, that of Λ, `[rank]`, and the columns of U, `[rank, dim]`.
    #[must_use]
    pub fn new(scales: Vec<f64>, eigenvalues: &[f64], directions: Vec<f64>) -> Self {
        let stretches = eigenvalues.iter().map(|value| value.sqrt() - 1.0).collect();
        let rows = directions.chunks_exact(scales.len());
        let scaled = rows
            .flat_map(|row| row.iter().zip(&scales).map(|(u, scale)| scale * u))
            .collect();
        Self {
            scales,
            stretches,
            directions,
            scaled,
        }
    }

    /// Number of directions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.stretches.len()
    }

    /// The diagonal of `F Fᵀ`, `[dim]`.
    #[must_use]
    pub fn variance(&self) -> Vec<f64> {
        let dim = self.scales.len();
        let mut variance: Vec<f64> = self.scales.iter().map(|scale| scale * scale).collect();
        for (stretch, row) in self.stretches.iter().zip(self.scaled.chunks_exact(dim)) {
            let excess = (1.0 + stretch).powi(2) - 1.0;
            variance
                .iter_mut()
                .zip(row)
                .for_each(|(v, u)| *v += excess * u * u);
        }
        variance
    }

    /// `to += scale * F from`, or with `Fᵀ`, for one row.
    #[inline(always)]
    pub(super) fn add_row(&self, transposed: bool, from: &[f64], scale: f64, to: &mut [f64]) {
        let dim = self.scales.len();
        let (from, to, scales) = (&from[..dim], &mut to[..dim], &self.scales[..dim]);
        // F = D + (D U) (Λ^½ - I) Uᵀ
        let (inner, outer) = if transposed {
            (&self.scaled, &self.directions)
        } else {
            (&self.directions, &self.scaled)
        };
        for k in 0..dim {
            to[k] += scale * (scales[k] * from[k]);
        }
        for (j, stretch) in self.stretches.iter().enumerate() {
            let (inner, outer) = (&inner[j * dim..][..dim], &outer[j * dim..][..dim]);
            let part = scale * (stretch * sum_of(dim, |k| inner[k] * from[k]));
            for k in 0..dim {
                to[k] += part * outer[k];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Factor, Metric, Tuning};

    const SCALES: [f64; 11] = [1.0, 0.5, 2.0, 3.0, 0.1, 1.5, 1.0, 4.0, 0.7, 0.3, 2.5];
    const EIGENVALUES: [f64; 2] = [0.01, 25.0];

    /// Two orthonormal directions that mix all coordinates.
    fn directions() -> Vec<f64> {
        let first = [1.0 / 11f64.sqrt(); 11];
        let second: Vec<f64> = (0..11)
            .map(|k| (f64::from(k) - 5.0) / 110f64.sqrt())
            .collect();
        [&first[..], &second].concat()
    }

    fn factor() -> Factor {
        Factor::LowRank(LowRank::new(SCALES.to_vec(), &EIGENVALUES, directions()))
    }

    /// `D (I + U (Λ^½ - I) Uᵀ)`.
    fn entry(i: usize, k: usize) -> f64 {
        let u = directions();
        let stretched =
            (0..2).map(|j| (EIGENVALUES[j].sqrt() - 1.0) * u[11 * j + i] * u[11 * j + k]);
        SCALES[i] * (f64::from(u8::from(i == k)) + stretched.sum::<f64>())
    }

    fn rows(n: usize) -> Vec<f64> {
        (0..n * 11).map(|i| (i as f64 * 0.7).sin()).collect()
    }

    /// Seen to fail with the plain directions in place of the scaled ones where gradients are whitened, and with `λ - 1` in place of `√λ - 1`.
    #[test]
    fn both_products_are_those_of_the_matrix() {
        let (from, scales) = (rows(5), [0.3, 1.0, 2.0, 0.1, 1.7]);
        let (mut product, mut transposed) = (rows(5), rows(5));
        factor().add(&from, &scales, &mut product);
        factor().add_transposed(&from, 0.5, &scales, &mut transposed);
        for i in 0..5 {
            for k in 0..11 {
                let sum = |entry: &dyn Fn(usize) -> f64| {
                    (0..11).map(|j| entry(j) * from[11 * i + j]).sum::<f64>()
                };
                let start = rows(5)[11 * i + k];
                let wanted = start + scales[i] * sum(&|j| entry(k, j));
                assert!((product[11 * i + k] - wanted).abs() < 1e-12);
                let wanted = start + 0.5 * scales[i] * sum(&|j| entry(j, k));
                assert!((transposed[11 * i + k] - wanted).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_variance_is_the_diagonal_of_the_square() {
        let Factor::LowRank(low_rank) = factor() else {
            panic!("it was made so");
        };
        for (k, found) in low_rank.variance().iter().enumerate() {
            let wanted: f64 = (0..11).map(|j| entry(k, j).powi(2)).sum();
            assert!(
                (found / wanted - 1.0).abs() < 1e-12,
                "{found}, want {wanted}"
            );
        }
    }

    #[test]
    fn a_row_has_the_same_bits_in_any_block() {
        let from = rows(9);
        let mut together = vec![0.0; 9 * 11];
        factor().add(&from, &[0.3; 9], &mut together);
        for i in 0..9 {
            let mut alone = vec![0.0; 11];
            factor().add(&from[i * 11..(i + 1) * 11], &[0.3], &mut alone);
            assert_eq!(alone, together[i * 11..(i + 1) * 11]);
        }
    }

    /// Checkpoints hold it as JSON.
    #[test]
    fn it_comes_back_from_a_file_bit_by_bit() {
        let Factor::LowRank(low_rank) = factor() else {
            panic!("it was made so");
        };
        let metric = Metric::low_rank(low_rank);
        let text = serde_json::to_string(&Tuning::new(0.7, metric.clone())).expect("plain data");
        let mut tuning: Tuning = serde_json::from_str(&text).expect("it was just written");
        tuning.restore::<Metric>().expect("a metric");
        assert_eq!(tuning.shape::<Metric>(), &metric);
    }
}
