//! The optimiser of a fit, and how long it works.

use crate::error::Error;
use crate::optimise::Optimiser;
use std::sync::Arc;

/// Maximum number of epochs.
const MAX_EPOCHS: usize = 100_000_000;

/// An optimiser, and its number of epochs.
#[derive(Clone, Debug)]
pub struct Training {
    pub(in crate::engine) optimiser: Arc<dyn Optimiser>,
    pub(in crate::engine) epochs: usize,
}

impl Training {
    pub(in crate::engine) fn new(optimiser: impl Optimiser + 'static, epochs: usize) -> Self {
        Self {
            optimiser: Arc::new(optimiser),
            epochs,
        }
    }

    /// Checks the number of epochs.
    pub(in crate::engine) fn validate_epochs(&self) -> Result<(), Error> {
        let holds = (1..=MAX_EPOCHS).contains(&self.epochs);
        Error::setting("epochs", self.epochs, holds, "from 1 to 100000000")
    }
}
