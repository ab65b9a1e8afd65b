//! Means and variances of a population, with regularised variances for small populations.

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

    /// Variances shrunk towards their geometric mean, as if two more particles had this variance; never zero.
    ///
    /// With few distinct particles after resampling, a variance may be far too small by chance.
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

    /// Variances shrunk towards their geometric mean on the log scale, as if five more states had this variance; never zero.
    ///
    /// Stan adds five states of variance 0.001 instead. On the log scale the result does not depend on the units of a coordinate, even if
    /// scales differ by many orders of magnitude.
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

    /// The geometric mean of the positive and finite variances; 1 if there is none.
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
