//! The wanted precision of an estimate.

use crate::diagnose::Estimate;
use crate::run::{Run, RunError};

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

    /// Whether a run has reached this precision.
    pub(super) fn is_reached(&self, run: &Run) -> Result<bool, RunError> {
        let estimates: Vec<Estimate> = match &self.what {
            What::LogEvidence => run.log_evidence_estimate().into_iter().collect(),
            What::Mean(name) => run.mean_estimates(name)?,
        };
        // an unknown error is not a small one
        Ok(!estimates.is_empty() && estimates.iter().all(|estimate| estimate.se <= self.se))
    }

    pub(super) fn in_words(&self) -> String {
        let se = self.se;
        match &self.what {
            What::LogEvidence => format!("log evidence ± {se}"),
            What::Mean(name) => format!("mean of {name} ± {se}"),
        }
    }
}
