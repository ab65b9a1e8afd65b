//! Errors of combinations of subposteriors.

use thiserror::Error;

/// Why runs of parts of the data cannot be combined. Parts and runs are counted from 0.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CombineError {
    /// The number of runs differs from the number of parts, or is zero.
    #[error("there are {runs} runs for {parts} parts; there must be one run for each part")]
    Count {
        /// Number of parts.
        parts: usize,
        /// Number of runs.
        runs: usize,
    },
    /// A run of another model, of other data, of another number of parts, or of parts dealt with another seed.
    #[error(
        "run {run} (model `{model}`) belongs to none of the parts: it was made with another model, with other rows or data, or with another number \
         of parts"
    )]
    OtherPart {
        /// The run.
        run: usize,
        /// The name of its model.
        model: String,
    },
    /// Two runs of the same part.
    #[error(
        "runs {first} and {second} are both of part {part}; merge them with `Run::merge`, or leave one out"
    )]
    Twice {
        /// The part.
        part: usize,
        /// The first of its runs.
        first: usize,
        /// The second of its runs.
        second: usize,
    },
    /// A run whose quantities differ from the quantities of its part.
    #[error("run {run} has other quantities than its part: {found} coordinates, must be {wanted}")]
    Quantities {
        /// The run.
        run: usize,
        /// Number of coordinates of the run.
        found: usize,
        /// Number of coordinates of the part.
        wanted: usize,
    },
    /// A run without usable draws.
    #[error("the run of part {part} has failed: {reason}")]
    Failed {
        /// The part.
        part: usize,
        /// What is wrong, in words.
        reason: &'static str,
    },
    /// Fewer different draws than a method needs.
    #[error("part {part} has {found} different draws, and this method needs at least {needed}")]
    TooFewDraws {
        /// The part.
        part: usize,
        /// Number of different draws.
        found: usize,
        /// Number of different draws that the method needs.
        needed: usize,
    },
    /// Draws whose covariance matrix is singular.
    #[error(
        "the covariance matrix of the draws of part {part} is not positive definite: a coordinate does not vary, or some are exactly \
         collinear"
    )]
    Degenerate {
        /// The part.
        part: usize,
    },
    /// A Gaussian process that cannot be fitted.
    #[error(
        "the Gaussian process of part {part} cannot be fitted to its {points} points: the covariance matrix is not positive definite"
    )]
    Surrogate {
        /// The part.
        part: usize,
        /// Number of points.
        points: usize,
    },
    /// Draws of the combination at which a density is zero everywhere.
    #[error("the density of the combination is zero at all of its {draws} draws")]
    NoWeight {
        /// Number of draws.
        draws: usize,
    },
}
