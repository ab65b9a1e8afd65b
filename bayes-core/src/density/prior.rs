//! The prior of a density: what starts come from.

use super::Reference;
use crate::error::Error;
use crate::rng::Stream;

/// A prior on R^d that can be drawn from.
pub trait Prior: Sync {
    /// Draws an unconstrained position, `[dim]`.
    fn draw(&self, stream: &mut Stream, position: &mut [f64]);

    /// The Gaussian reference measure of pCN, where it is known; otherwise it is fitted to draws.
    fn reference(&self) -> Option<&Reference> {
        None
    }

    /// Checks that the prior is a probability distribution. `needed_for` says in words what needs that, and for what.
    ///
    /// # Errors
    /// [`Error::Model`] with every statement whose prior is improper.
    fn require_proper(&self, needed_for: &'static str) -> Result<(), Error> {
        let _ = needed_for;
        Ok(())
    }
}
