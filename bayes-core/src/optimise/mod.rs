//! Optimisers: how a position moves, given a loss and its gradient there.
//!
//! An optimiser evaluates nothing. It is told the loss at a position and answers with the next one, so that the positions of many
//! restarts are evaluated together in SIMD lanes, and so that one engine serves all optimisers. L-BFGS is our own for this
//! reason: the crates that have it call the function themselves, one position at a time.

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
    /// The name of its file, such as `adam`.
    fn name(&self) -> &'static str;

    /// Whether it takes the gradient of some of the rows in place of that of all.
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
    /// Learns the loss and its gradient at `position`, and moves it to where they are needed next, or to the end.
    fn step(&mut self, seen: Seen<'_>, position: &mut [f64]) -> Step;

    /// Moves a position that is only a trial back to the last one that was accepted.
    fn settle(&self, position: &mut [f64]) {
        let _ = position;
    }
}

/// A loss and its gradient at a position.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The loss, which is minimised; infinite where it is not a number.
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

/// What an optimiser did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It moved to a position of which it needs the loss.
    Moved,
    /// It is at a minimum.
    Converged,
    /// The loss falls on towards infinity: there is no minimum.
    Unattained,
    /// It finds no lower position, although the gradient is not small.
    Stalled,
    /// The loss or its gradient is not a number; it moved back to the last position where they were.
    NotFinite,
}

/// `Σ a b`.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
