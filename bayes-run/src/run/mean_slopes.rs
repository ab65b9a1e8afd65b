//! The mean slopes of the log density over the transitions of a chain.

use crate::number;
use serde::{Deserialize, Serialize};

/// The means over a chain's transitions of the slopes of the log density in the unconstrained coordinates, with their standard errors.
///
/// ```text
/// E[∂ ln f / ∂x_k] = ∫ ∂f/∂x_k dx / ∫ f dx = 0
/// ```
///
/// for a continuous f, posterior × Jacobian, that vanishes at infinity (the identity of Stein 1972). So the means show whether a chain has
/// missed a place where the density is steep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeanSlopes {
    /// The means, `[dim]`.
    #[serde(with = "number::many")]
    pub mean: Vec<f64>,
    /// Their Monte Carlo standard errors, from the means of batches of successive transitions, `[dim]`.
    #[serde(with = "number::many")]
    pub se: Vec<f64>,
}
