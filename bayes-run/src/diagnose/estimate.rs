//! An estimate with its Monte Carlo error.

use super::student;
use serde::{Deserialize, Serialize};

/// An estimate with its Monte Carlo standard error, which is not the posterior standard deviation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The estimate.
    pub mean: f64,
    /// Its standard error; NaN if it cannot be estimated.
    pub se: f64,
    /// Degrees of freedom of the standard error, for Student's t.
    pub degrees_of_freedom: f64,
}

impl Estimate {
    /// The interval `mean ± t·se` that covers the true value with the given probability.
    ///
    /// t is Student's with [`Estimate::degrees_of_freedom`]; NaN unless `0 < level < 1`.
    #[must_use]
    pub fn interval(&self, level: f64) -> (f64, f64) {
        let reach = self.se * student::quantile(0.5 + 0.5 * level, self.degrees_of_freedom);
        (self.mean - reach, self.mean + reach)
    }

    /// The difference of two independent estimates, with the degrees of freedom of Satterthwaite (1946).
    pub(crate) fn minus(&self, other: &Self) -> Self {
        let variances = [self.se * self.se, other.se * other.se];
        let total = variances[0] + variances[1];
        let spread = variances[0] * variances[0] / self.degrees_of_freedom
            + variances[1] * variances[1] / other.degrees_of_freedom;
        Self {
            mean: self.mean - other.mean,
            se: total.sqrt(),
            // degrees of freedom are undefined if both errors are zero
            degrees_of_freedom: if spread == 0.0 {
                f64::INFINITY
            } else {
                total * total / spread
            },
        }
    }

    /// The mean of two estimates of the same number: `self` is right with the given probability, otherwise `other` is. The variance is
    /// the variance of the mixture of both.
    pub(crate) fn mixed_with(&self, other: &Self, probability: f64) -> Self {
        let (mine, theirs) = (probability, 1.0 - probability);
        let apart = self.mean - other.mean;
        let within = mine * self.se.powi(2) + theirs * other.se.powi(2);
        Self {
            mean: mine * self.mean + theirs * other.mean,
            se: (within + mine * theirs * apart * apart).sqrt(),
            degrees_of_freedom: self.degrees_of_freedom.min(other.degrees_of_freedom),
        }
    }

    /// The mean of two independent estimates of the same number, weighted by their inverse variances. If they are further apart than
    /// one error of their difference, the error of the mean is wider by that ratio (Birge 1932).
    pub(crate) fn pooled_with(&self, other: &Self) -> Self {
        let off = self.minus(other);
        if off.se == 0.0 {
            return *self;
        }
        let mine = (other.se / off.se).powi(2);
        Self {
            mean: mine * self.mean + (1.0 - mine) * other.mean,
            se: self.se * other.se / off.se * (off.mean.abs() / off.se).max(1.0),
            degrees_of_freedom: self.degrees_of_freedom.min(other.degrees_of_freedom),
        }
    }

    /// A number without an error.
    pub(crate) fn exact(mean: f64) -> Self {
        Self {
            mean,
            se: 0.0,
            degrees_of_freedom: f64::INFINITY,
        }
    }

    /// An estimate with unknown standard error.
    pub(super) fn unknown(mean: f64) -> Self {
        Self {
            mean,
            se: f64::NAN,
            degrees_of_freedom: 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_use_students_t() {
        let estimate = Estimate {
            mean: 2.0,
            se: 0.5,
            degrees_of_freedom: 7.0,
        };
        let (low, high) = estimate.interval(0.95);
        // scipy.stats.t.ppf(0.975, 7) = 2.3646242515927844
        assert!((low - (2.0 - 1.1823121257963922)).abs() < 1e-10);
        assert!((high - (2.0 + 1.1823121257963922)).abs() < 1e-10);
    }
}
