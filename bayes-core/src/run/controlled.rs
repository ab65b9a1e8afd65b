//! The log evidence of an island by control variates.

use crate::number;
use serde::{Deserialize, Serialize};

/// The log evidence of an island by control variates, and what its families gained in it.
///
/// Functions whose means under the target of a temperature are known to be 0, made of the gradients of the states, are subtracted from the
/// weights before they are averaged ([`Smc::control_variates`](crate::engine::Smc::control_variates)). This is the more precise
/// estimate. The islands are weighted by [`Group::log_evidence`](super::Group::log_evidence) all the same: only that one corrects what an
/// island of few particles has missed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Controlled {
    /// The log evidence, without what it is off by, to the first order in 1/N, because the states decide over the temperatures.
    #[serde(with = "number::one")]
    pub log_evidence: f64,
    /// What [`Group::log_evidence`](super::Group::log_evidence) is off by for the same reason.
    #[serde(with = "number::one")]
    pub plain_bias: f64,
    /// The number of temperatures at which control variates were used.
    pub temperatures: usize,
    /// As [`Group::gains`](super::Group::gains), `[initial particles]`.
    #[serde(with = "number::many")]
    pub gains: Vec<f64>,
}

impl Controlled {
    /// At the prior, with so many initial particles.
    pub(crate) fn new(families: usize) -> Self {
        Self {
            log_evidence: 0.0,
            plain_bias: 0.0,
            temperatures: 0,
            gains: vec![0.0; families],
        }
    }
}
