//! Optimisers: rules that move a position, given a loss and its gradient there.
//!
//! An optimiser evaluates nothing. It receives the loss at a position and answers with the next position. So the positions of many
//! restarts are evaluated together in SIMD lanes, and one engine serves all optimisers. This is why L-BFGS is implemented here: other
//! crates call the function themselves, one position at a time.

mod adam;
mod early_stopping;
mod first_order;
mod lbfgs;
mod learning_rate;
mod line_search;
mod sgd;

pub use adam::{Adam, AdamW};
pub use early_stopping::{EarlyStopping, KeptWeights, Verdict};
pub use lbfgs::Lbfgs;
pub use learning_rate::LearningRate;
pub use sgd::Sgd;

use crate::error::Error;
use std::fmt::Debug;

/// Every optimiser.
pub mod all {
    pub use super::{Adam, AdamW, Lbfgs, Sgd};
}

/// An optimiser with its settings.
pub trait Optimiser: Debug + Send + Sync {
    /// The name of the optimiser's file, such as `adam`.
    fn name(&self) -> &'static str;

    /// Whether it accepts the gradient of some of the rows instead of all.
    fn takes_minibatches(&self) -> bool {
        true
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`Error::Setting`] naming the setting, the value and what is allowed.
    fn validate(&self) -> Result<(), Error>;

    /// Begins a minimisation over `dim` coordinates.
    fn start(&self, dim: usize) -> Box<dyn Descent>;
}

/// A minimisation in progress.
pub trait Descent: Send {
    /// Learns the loss and its gradient at `position`, and moves it to the next position to evaluate, or to the end.
    fn step(&mut self, seen: Seen<'_>, position: &mut [f64]) -> Step;

    /// Moves a trial position back to the last accepted one.
    fn settle(&self, position: &mut [f64]) {
        let _ = position;
    }
}

/// A loss and its gradient at a position.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The loss to minimise; infinite where it is NaN.
    pub loss: f64,
    /// Its gradient, `[dim]`.
    pub gradient: &'a [f64],
    /// Passes over the data so far, with fractions within a pass.
    pub epoch: f64,
    /// All passes over the data.
    pub epochs: f64,
}

impl Seen<'_> {
    /// Whether the loss and its gradient are numbers.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.loss.is_finite() && self.gradient.iter().all(|g| g.is_finite())
    }
}

/// The action of an optimiser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It moved to a position and needs the loss there.
    Moved,
    /// It reached a minimum.
    Converged,
    /// The loss keeps falling towards infinity: there is no minimum.
    Unattained,
    /// It found no lower position, although the gradient is not small.
    Stalled,
    /// The loss or its gradient is not a number; it moved back to the last position where both were.
    NotFinite,
}

/// `Σ a b`.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
