//! What a kernel has learnt: its step size and the shape of its proposals.

use super::factor::Factor;
use crate::density::Reference;
use crate::rng::Stream;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// A kernel's tuning, frozen while it moves particles; plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// Leapfrog step size, pCN's beta, or the random walk's scale.
    pub step_size: f64,
    /// The range of shorter steps, see [`Tuning::draw_step_size`]; 0 for none.
    pub short_steps: f64,
    /// For each coordinate: HMC's inverse mass, pCN's D, or the square of the random walk's jump size on whole numbers.
    /// `[dim]`.
    pub scale: Vec<f64>,
    /// Square root of HMC's inverse mass matrix or of the covariance of the random walk's proposals; pCN has none.
    pub factor: Factor,
    /// pCN's reference measure.
    pub reference: Option<Reference>,
}

impl Tuning {
    /// The step size of one transition of one particle: with `short_steps` above 0, half of them are shorter by a factor
    /// `e^(-short_steps U)`, U uniform from 0 to 1.
    ///
    /// A mixture over step sizes that do not depend on the state leaves the target invariant (Neal 2011, section 5.4.2).
    #[must_use]
    pub fn draw_step_size(&self, stream: &mut Stream) -> f64 {
        if self.short_steps > 0.0 && stream.random::<bool>() {
            self.step_size * (-self.short_steps * stream.random::<f64>()).exp()
        } else {
            self.step_size
        }
    }
}

/// Mean and variance of a population, coordinate by coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// `[dim]`.
    pub mean: Vec<f64>,
    /// Population variance (divided by the number of particles), `[dim]`.
    pub variance: Vec<f64>,
}

impl Moments {
    /// Moments of `positions`, `[particles, dim]`; summed in index order.
    #[must_use]
    pub fn of(positions: &[f64], dim: usize) -> Self {
        let n = (positions.len() / dim) as f64;
        let mut mean = vec![0.0; dim];
        for row in positions.chunks_exact(dim) {
            mean.iter_mut().zip(row).for_each(|(m, x)| *m += x / n);
        }
        let mut variance = vec![0.0; dim];
        for row in positions.chunks_exact(dim) {
            for k in 0..dim {
                variance[k] += (row[k] - mean[k]).powi(2) / n;
            }
        }
        Self { mean, variance }
    }

    /// Variances pulled towards their geometric mean as if two more particles had it; never zero.
    ///
    /// With few particles left after resampling a variance may be far too small by chance.
    #[must_use]
    pub fn shrunk_variance(&self, particles: usize) -> Vec<f64> {
        let n = particles as f64;
        let typical = self.typical_variance();
        let shrink = |v: &f64| {
            if v.is_finite() {
                (n * v + 2.0 * typical) / (n + 2.0)
            } else {
                typical
            }
        };
        self.variance.iter().map(shrink).collect()
    }

    /// Variances pulled towards their geometric mean on the log scale, as if five more states had it; never zero.
    ///
    /// Stan adds five states of variance 0.001 instead. On the log scale neither the units of a coordinate nor scales
    /// that differ by many orders of magnitude matter.
    #[must_use]
    pub fn log_shrunk_variance(&self, states: usize) -> Vec<f64> {
        let share = 5.0 / (states as f64 + 5.0);
        let typical = self.typical_variance();
        let shrink = |v: &f64| {
            if *v > 0.0 && v.is_finite() {
                v.powf(1.0 - share) * typical.powf(share)
            } else {
                typical
            }
        };
        self.variance.iter().map(shrink).collect()
    }

    /// The geometric mean of the variances that are positive and finite; 1 if none is.
    fn typical_variance(&self) -> f64 {
        let positive = self.variance.iter().filter(|v| **v > 0.0 && v.is_finite());
        let (sum, count) = positive.fold((0.0, 0usize), |(s, c), v| (s + v.ln(), c + 1));
        if count == 0 {
            1.0
        } else {
            (sum / count as f64).exp()
        }
    }
}
