//! The distance of a run from the reference.

use super::{Moments, Problem};
use bayes::Run;
use bayes::diagnose::Estimate;
use serde_json::{Value, json};

/// The largest deviations over all quantities of a problem.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    /// `|mean - reference| / sd`.
    pub location: f64,
    /// `|ln (sd / reference)|`.
    pub scale: f64,
    /// The deviation of the mean in Monte Carlo standard errors.
    pub z_mean: f64,
    /// The deviation of the standard deviation in Monte Carlo standard errors.
    pub z_sd: f64,
}

impl Score {
    /// Compares the run with the reference moments of `problem`.
    ///
    /// # Panics
    ///
    /// If the run is of another model, without a quantity of the problem.
    pub fn of(run: &Run, problem: &Problem) -> Self {
        let columns = run.layout.element_names();
        let mut worst = Self::default();
        for (name, reference) in problem.moments() {
            let element = columns.iter().position(|column| *column == name);
            let element =
                element.unwrap_or_else(|| panic!("`{name}` is no quantity of {}", run.model));
            worst.take(&Self::of_element(run, element, reference));
        }
        worst
    }

    fn of_element(run: &Run, element: usize, reference: Moments) -> Self {
        let mean = run.estimate(|draw| draw.values()[element]);
        let variance: Estimate = run.estimate(|draw| (draw.values()[element] - mean.mean).powi(2));
        let sd = variance.mean.sqrt();
        let z = |difference: f64, own: f64, other: f64| difference.abs() / own.hypot(other);
        Self {
            location: (mean.mean - reference.mean).abs() / reference.sd,
            scale: (sd / reference.sd).ln().abs(),
            z_mean: z(mean.mean - reference.mean, mean.se, reference.mean_se),
            z_sd: z(sd - reference.sd, variance.se / (2.0 * sd), reference.sd_se),
        }
    }

    /// Stores the larger deviations; NaN counts as the largest.
    fn take(&mut self, other: &Self) {
        let worse = |a: f64, b: f64| if a.is_nan() || a > b { a } else { b };
        self.location = worse(self.location, other.location);
        self.scale = worse(self.scale, other.scale);
        self.z_mean = worse(self.z_mean, other.z_mean);
        self.z_sd = worse(self.z_sd, other.z_sd);
    }

    /// Whether every mean is within 0.1 standard deviations and 4 standard errors, and every standard deviation within 10%.
    pub fn passes(&self) -> bool {
        self.location < 0.1 && self.scale < 0.1 && self.z_mean < 4.0
    }

    /// All numbers, and whether they pass.
    pub fn json(&self) -> Value {
        json!({
            "location": self.location,
            "scale": self.scale,
            "z_mean": self.z_mean,
            "z_sd": self.z_sd,
            "passes": self.passes(),
        })
    }
}
