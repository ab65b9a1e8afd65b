//! The log evidence of an island by control variates.

use crate::number;
use serde::{Deserialize, Serialize};

/// The log evidence of an island by control variates, and what its families gained.
///
/// Control variates are functions of the gradients of the states whose means under the target of a temperature are known to be 0. They
/// are subtracted from the weights before the weights are averaged (`Smc::control_variates`).
/// This estimate is the more precise one. Islands are weighted by [`Island::log_evidence`](super::Island::log_evidence) all the same: only
/// the plain estimate corrects what an island of few particles has missed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Controlled {
    /// The log evidence, corrected to first order in 1/N for its bias. The bias arises because the states decide over the temperatures.
    #[serde(with = "number::one")]
    pub log_evidence: f64,
    /// The number of temperatures at which control variates were used.
    pub temperatures: usize,
    /// Like [`Island::gains`](super::Island::gains), `[initial particles]`.
    #[serde(with = "number::many")]
    pub gains: Vec<f64>,
}

impl Controlled {
    /// The values at the prior, for `families` initial particles.
    #[doc(hidden)]
    #[must_use]
    pub fn new(families: usize) -> Self {
        Self {
            log_evidence: 0.0,
            temperatures: 0,
            gains: vec![0.0; families],
        }
    }
}
