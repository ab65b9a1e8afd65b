//! Errors of fits that do not suit their use.

use thiserror::Error;

/// Why a fit cannot be used with a model.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FitError {
    /// A fit of another model.
    #[error("the fit is of the model `{fit}`")]
    OtherModel {
        /// The model of the fit.
        fit: String,
    },
    /// A fit of a model with other quantities, or with the same quantities in another shape.
    #[error("{quantity}, so the fit is of other data or of another version of the model")]
    Quantity {
        /// What differs, in words.
        quantity: String,
    },
    /// A Laplace approximation at a point that is not a mode of the density of the unconstrained coordinates.
    #[error(
        "the Laplace approximation is around a mode of the density of the unconstrained coordinates, and the fit is not at one: a \
         step of Newton's method would raise the log density by {promised:.1e}; the fit {ended}, and it maximised {objective}; \
         {advice}"
    )]
    NotAMode {
        /// By how much a step of Newton's method would raise the log density.
        promised: f64,
        /// How the fit ended, in words.
        ended: String,
        /// What the fit maximised, in words.
        objective: String,
        /// What to do instead.
        advice: &'static str,
    },
    /// A Laplace approximation around a fit that ran to the edge of the space.
    #[error(
        "the Laplace approximation is around a mode, and the fit found none: the density still rises towards the edge of the space, such as a \
         scale that goes to 0; the fit maximised {objective}; {advice}"
    )]
    NoMode {
        /// What the fit maximised, in words.
        objective: String,
        /// What to do instead.
        advice: &'static str,
    },
    /// A point where the density is not concave.
    #[error(
        "the log density is not concave at the fit, so no Gaussian approximates it there: the largest eigenvalue of its Hessian \
         is {largest:.1e}. Start a longer search there, `Inference::map().jacobian(true).start(&fit)`; where the data determine no value, as \
         if two quantities enter as their sum alone, give one of them a narrower prior, or use an engine that samples, such as `Inference::nuts()`"
    )]
    NotConcave {
        /// The largest eigenvalue of the Hessian.
        largest: f64,
    },
    /// A prior that is not Gaussian, or depends on other random values, where an anchored prior was
    /// requested.
    #[error(
        "the anchored prior has the variances of a Gaussian prior, but {quantity}; give every random value a prior such as \
         `Normal` whose parameters are numbers"
    )]
    Prior {
        /// Which prior is not Gaussian, in words.
        quantity: String,
    },
}
