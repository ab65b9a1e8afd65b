//! Distances between two sets of draws: how far a posterior is from the truth.

use super::MetricsError;
use super::transport;
use crate::run::Draws;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use std::fmt;

/// Points of the grid on which marginal densities are compared.
const GRID: usize = 4096;
/// Kernels end at this many bandwidths.
const REACH: f64 = 5.0;
/// The width of the shortest interval with 10% of a normal distribution, in standard deviations.
const SHORTEST_TENTH: f64 = 0.251_322_693_710_145_4;

/// Distances between two sets of draws; see [`distances`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distances {
    /// Mean marginal total variation, from 0 to 1.
    pub mmtv: f64,
    /// 1-Wasserstein distance, in the units of the values.
    pub w1: f64,
    /// 2-Wasserstein distance, in the units of the values.
    pub w2: f64,
    /// Gaussianised symmetric Kullback-Leibler divergence; infinite if a covariance matrix is singular.
    pub gskl: f64,
    /// Whether the Wasserstein distances are sliced: means over random directions, which are smaller than the distances themselves.
    pub is_sliced: bool,
}

/// Distances between two sets of draws of the same quantities.
///
/// ```text
/// MMTV = 1/(2D) Σ_d ∫ |p_d(x) - q_d(x)| dx        W_r = (min over couplings of E |x - y|^r)^(1/r)
/// GsKL = ½ KL(N[p] ‖ N[q]) + ½ KL(N[q] ‖ N[p]),   N[p] the Gaussian with the mean and covariance of p
/// ```
///
/// (de Souza et al. 2022, section 5.) Marginal densities are kernel estimates with one bandwidth for both sets, from the scale of the
/// highest mode. The Wasserstein distances are exact up to 2000 draws and for a single quantity; beyond that they are sliced. The paper
/// prints the cost of its `W2` without the square; this is the true distance.
///
/// No distance is zero for two finite sets from the same distribution: compare with [`floor`].
///
/// ```
/// use bayes_run::metrics;
/// use bayes_model::rng::{RngExt, stream};
/// use bayes_run::run::Draws;
///
/// let mut stream = stream(1);
/// let mut uniform = |shift: f64| Draws {
///     weights: vec![1.0 / 1000.0; 1000],
///     values: (0..1000).map(|_| shift + stream.random::<f64>()).collect(),
///     elements: 1,
///     groups: vec![1000],
/// };
/// let found = metrics::distances(&uniform(0.0), &uniform(0.5))?;
/// assert!((found.mmtv - 0.5).abs() < 0.05 && (found.w1 - 0.5).abs() < 0.05);
/// # Ok::<(), metrics::MetricsError>(())
/// ```
///
/// # Errors
/// [`MetricsError`] if there are fewer than two draws, if the numbers of elements differ, or if a value is not finite.
pub fn distances(a: &Draws, b: &Draws) -> Result<Distances, MetricsError> {
    MetricsError::same_length("elements of a draw", b.elements, a.elements)?;
    for draws in [a, b] {
        if draws.weights.len() < 2 || draws.elements == 0 {
            return Err(MetricsError::Empty {
                what: "draws to compare, or only one",
            });
        }
        MetricsError::finite("value", &draws.values)?;
        let wanted = draws.weights.len() * draws.elements;
        MetricsError::same_length("values", draws.values.len(), wanted)?;
    }
    let marginal = |k: usize| total_variation(&column(a, k), &column(b, k));
    let transport = transport::distances(a, b);
    Ok(Distances {
        mmtv: (0..a.elements).map(marginal).sum::<f64>() / a.elements as f64,
        w1: transport.w1,
        w2: transport.w2,
        gskl: symmetric_kl(a, b),
        is_sliced: transport.is_sliced,
    })
}

/// The distances between the two halves of one set of draws, formed by alternate draws. They show the level for independent draws of one
/// distribution.
///
/// Each half has half of the draws, so the floor is on the high side. Draws must be independent, or thinned until they nearly are.
///
/// # Errors
/// The errors of [`distances`].
pub fn floor(truth: &Draws) -> Result<Distances, MetricsError> {
    let half = |first: usize| {
        let mut half = Draws {
            weights: Vec::new(),
            values: Vec::new(),
            elements: truth.elements,
            groups: Vec::new(),
        };
        let rows = truth.rows().zip(&truth.weights);
        for (row, weight) in rows.skip(first).step_by(2) {
            half.values.extend(row);
            half.weights.push(*weight);
        }
        let total: f64 = half.weights.iter().sum();
        half.weights.iter_mut().for_each(|weight| *weight /= total);
        half.groups = vec![half.weights.len()];
        half
    };
    distances(&half(0), &half(1))
}

impl fmt::Display for Distances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sliced = if self.is_sliced { " (sliced)" } else { "" };
        write!(
            f,
            "MMTV {:.4}  W1 {:.4}  W2 {:.4}{sliced}  GsKL {:.2e}",
            self.mmtv, self.w1, self.w2, self.gskl
        )
    }
}

/// Element `k` of all draws with their weights, in ascending order.
fn column(draws: &Draws, k: usize) -> Vec<(f64, f64)> {
    let values = draws.rows().map(|row| row[k]);
    let mut pairs: Vec<(f64, f64)> = values.zip(draws.weights.iter().copied()).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    pairs
}

/// Half of the L1 distance between kernel estimates of two densities, from sorted values with weights.
fn total_variation(a: &[(f64, f64)], b: &[(f64, f64)]) -> f64 {
    let bandwidth = bandwidth(a).min(bandwidth(b));
    let (low, high) = (a[0].0.min(b[0].0), a[a.len() - 1].0.max(b[b.len() - 1].0));
    if bandwidth <= 0.0 || low == high {
        // constants, either equal or different
        return if a[0].0 == b[0].0 && low == high {
            0.0
        } else {
            1.0
        };
    }
    let low = low - REACH * bandwidth;
    let cell = (high + REACH * bandwidth - low) / GRID as f64;
    let smooth = |sorted: &[(f64, f64)]| smoothed(sorted, low, cell, bandwidth);
    let pairs = smooth(a).into_iter().zip(smooth(b));
    0.5 * pairs.map(|(a, b)| (a - b).abs()).sum::<f64>()
}

/// Silverman's bandwidth. Where the scale of the highest mode (the shortest interval with 10% of the weight) is smaller than the standard
/// deviation, it is used instead.
fn bandwidth(sorted: &[(f64, f64)]) -> f64 {
    let mean: f64 = sorted.iter().map(|(x, w)| x * w).sum();
    let variance: f64 = sorted.iter().map(|(x, w)| (x - mean).powi(2) * w).sum();
    let mut shortest = f64::INFINITY;
    let (mut first, mut mass) = (0, 0.0);
    for (x, weight) in sorted {
        mass += weight;
        while mass - sorted[first].1 >= 0.1 {
            mass -= sorted[first].1;
            first += 1;
        }
        if mass >= 0.1 {
            shortest = shortest.min(x - sorted[first].0);
        }
    }
    let size = 1.0 / sorted.iter().map(|(_, w)| w * w).sum::<f64>();
    let sd = variance.sqrt();
    let mode = shortest / SHORTEST_TENTH;
    // repeated values shrink the interval to a point
    let scale = if mode > 1e-9 * sd { mode.min(sd) } else { sd };
    0.9 * scale * size.powf(-0.2)
}

/// Masses of the cells of a grid under a Gaussian kernel estimate.
fn smoothed(sorted: &[(f64, f64)], low: f64, cell: f64, bandwidth: f64) -> Vec<f64> {
    let mut masses = vec![0.0; GRID + 1];
    for (x, weight) in sorted {
        // linear binning
        let place = ((x - low) / cell).clamp(0.0, GRID as f64 - 1e-9);
        let (left, share) = (place as usize, place.fract());
        masses[left] += weight * (1.0 - share);
        masses[left + 1] += weight * share;
    }
    let reach = ((REACH * bandwidth / cell).ceil() as usize).min(GRID);
    let kernel = |i: usize| (-0.5 * (i as f64 * cell / bandwidth).powi(2)).exp();
    let kernel: Vec<f64> = (0..=reach).map(kernel).collect();
    let total: f64 = kernel[0] + 2.0 * kernel[1..].iter().sum::<f64>();
    let mut smooth = vec![0.0; GRID + 1];
    for (i, mass) in masses.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
        for j in i.saturating_sub(reach)..=(i + reach).min(GRID) {
            smooth[j] += mass * kernel[i.abs_diff(j)] / total;
        }
    }
    smooth
}

/// The mean of the divergences in both directions between Gaussians with the moments of the draws.
fn symmetric_kl(a: &Draws, b: &Draws) -> f64 {
    let (Some(p), Some(q)) = (Moments::of(a), Moments::of(b)) else {
        return f64::INFINITY;
    };
    // the log determinants of the two directions cancel
    let trace = |p: &Moments, q: &Moments| q.factor.solve(&p.covariance).trace();
    let d = &p.mean - &q.mean;
    let form = |p: &Moments| d.dot(&p.factor.solve(&d));
    0.25 * (trace(&p, &q) + trace(&q, &p) + form(&p) + form(&q)) - 0.5 * a.elements as f64
}

/// Mean and covariance.
struct Moments {
    mean: DVector<f64>,
    covariance: DMatrix<f64>,
    factor: Cholesky<f64, Dyn>,
}

impl Moments {
    fn of(draws: &Draws) -> Option<Self> {
        let mut mean = DVector::zeros(draws.elements);
        for (row, weight) in draws.rows().zip(&draws.weights) {
            mean += DVector::from_column_slice(row) * *weight;
        }
        let mut covariance = DMatrix::zeros(draws.elements, draws.elements);
        for (row, weight) in draws.rows().zip(&draws.weights) {
            let d = DVector::from_column_slice(row) - &mean;
            covariance.ger(*weight, &d, &d, 1.0);
        }
        Some(Self {
            factor: Cholesky::new(covariance.clone())?,
            mean,
            covariance,
        })
    }
}
