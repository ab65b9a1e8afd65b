//! The wanted precision of an estimate.

use crate::diagnose::{Estimate, student};
use crate::run::{Run, RunError};

/// The probability of the intervals whose length decides.
const LEVEL: f64 = 0.95;
/// A standard error of fewer degrees of freedom ends no run. Two islands that do not know their own errors are often alike by chance.
const LEAST_DEGREES: f64 = 3.0;

/// The wanted precision of an estimate.
#[derive(Clone, Debug, PartialEq)]
pub struct Precision {
    pub(super) what: What,
    pub(super) se: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    LogEvidence,
    Mean(String),
}

impl Precision {
    /// The log evidence with this standard error.
    #[must_use]
    pub fn log_evidence(se: f64) -> Self {
        let what = What::LogEvidence;
        Self { what, se }
    }

    /// The posterior means of all elements of a quantity with this standard error.
    #[must_use]
    pub fn mean(name: impl Into<String>, se: f64) -> Self {
        let what = What::Mean(name.into());
        Self { what, se }
    }

    /// Whether a run has reached this precision: its standard errors, which may themselves rest on little, are small enough.
    ///
    /// The 95% interval of an estimate, by Student's t, must be as short as the interval of an estimate whose standard error is known to be the
    /// wanted one.
    pub(super) fn is_reached(&self, run: &Run) -> Result<bool, RunError> {
        let longest = self.se * student::quantile(0.5 + 0.5 * LEVEL, f64::INFINITY);
        let is_short = |estimate: &Estimate| {
            let (low, high) = estimate.interval(LEVEL);
            let is_known = estimate.degrees_of_freedom >= LEAST_DEGREES;
            is_known && 0.5 * (high - low) <= longest
        };
        let estimates = self.estimates(run)?;
        // an unknown error is not a small one
        Ok(!estimates.is_empty() && estimates.iter().all(is_short))
    }

    /// The multiple of the islands of a run that its standard errors ask for; infinite if one of them is unknown.
    pub(super) fn needed(&self, run: &Run) -> Result<f64, RunError> {
        let estimates = self.estimates(run)?;
        let each = estimates.iter().map(|estimate| {
            let multiple = (estimate.se / self.se).powi(2);
            if multiple.is_nan() {
                f64::INFINITY
            } else {
                multiple
            }
        });
        Ok(each.reduce(f64::max).unwrap_or(f64::INFINITY))
    }

    fn estimates(&self, run: &Run) -> Result<Vec<Estimate>, RunError> {
        Ok(match &self.what {
            What::LogEvidence => run.log_evidence_estimate().into_iter().collect(),
            What::Mean(name) => run.mean_estimates(name)?,
        })
    }

    pub(super) fn in_words(&self) -> String {
        let se = self.se;
        match &self.what {
            What::LogEvidence => format!("log evidence ± {se}"),
            What::Mean(name) => format!("mean of {name} ± {se}"),
        }
    }
}
