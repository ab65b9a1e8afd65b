//! Errors of optimisations that end without the results that an approximation needs.

use thiserror::Error;

/// Why there is no approximation.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ApproximationError {
    /// An optimisation whose loss became NaN or infinite.
    #[error(
        "{what} met a loss that is not a number in epoch {epoch}: {statement}; a smaller learning rate may avoid it"
    )]
    NotFinite {
        /// What was optimised, such as `member 3 of the ensemble`.
        what: String,
        /// The epoch, from 1.
        epoch: usize,
        /// The statement that was not finite, in words.
        statement: String,
    },
    /// A member of an ensemble that found no mode.
    #[error(
        "{what} found no mode: the density still rises towards the edge of the space, such as a scale that goes to 0. Use a prior that \
         keeps values from the edge, or an engine that samples, such as `Inference::nuts()`"
    )]
    NoMode {
        /// What was optimised, such as `member 3 of the ensemble`.
        what: String,
    },
    /// Iterates of an optimiser that have no spread.
    #[error(
        "the iterates of the optimiser do not move: coordinate {coordinate} is the same after each of {epochs} epochs; their spread \
         comes from minibatches and a constant learning rate"
    )]
    NoSpread {
        /// The first unconstrained coordinate that does not move, from 0.
        coordinate: usize,
        /// The number of epochs that were used.
        epochs: usize,
    },
    /// Paths of Pathfinder that all failed.
    #[error(
        "none of {paths} paths found an approximation: {failures}; `Inference::nuts()` needs no approximation, if the gradient is finite"
    )]
    NoPath {
        /// The number of paths.
        paths: usize,
        /// The failures and how many paths had each, in words.
        failures: String,
    },
}
