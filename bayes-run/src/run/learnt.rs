//! The result of maximum marginal likelihood.

use super::{Fit, Run};
use std::fmt;

/// What maximum marginal likelihood found: the params of a model, and particles of its random values given them.
///
/// `println!("{learnt}")` shows the params. `model.with_params(&learnt.values())?` is the model with these params:
/// `learnt.particles.predict(..)` makes its predictions, and every engine samples its posterior.
#[derive(Clone, Debug)]
pub struct Learnt {
    /// The params by name, and how they were found. The params are its only quantities.
    pub fit: Fit,
    /// The particles of the last step, or of the step with the lowest validation loss, with their weights. They hold the random quantities
    /// only. The docs of the engine say which distribution they are drawn from.
    pub particles: Run,
    /// A warning about the params, in words: the chains of `Inference::mcem` did not follow them. `None`
    /// where nothing was found, and for engines without chains.
    pub warning: Option<String>,
}

impl Learnt {
    /// The values of all params by name, as [`Model::with_params`](crate::model::Model::with_params) takes them.
    #[must_use]
    pub fn values(&self) -> Vec<(&str, &[f64])> {
        self.fit.values()
    }
}

impl fmt::Display for Learnt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fit.fmt(f)?;
        match &self.warning {
            Some(warning) => write!(f, "\nwarning: {warning}"),
            None => Ok(()),
        }
    }
}
