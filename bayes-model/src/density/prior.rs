//! The prior of a density, the source of starting points.

use super::{Reference, caught};
use crate::error::{Error, ValuesError};
use crate::rng::Stream;

/// A prior on R^d that can be sampled.
pub trait Prior: Sync {
    /// Draws an unconstrained position, `[dim]`.
    fn draw(&self, stream: &mut Stream, position: &mut [f64]);

    /// Draws the random coordinates of a position, given its params, which do not change, `[dim]`; by default all coordinates are random.
    fn draw_at_params(&self, stream: &mut Stream, position: &mut [f64]) {
        self.draw(stream, position);
    }

    /// Draws a position where some quantities have given values, row-major by their names: the start of a chain (`Chains::start_at`). The
    /// default knows no quantities by name.
    ///
    /// # Errors
    /// [`ValuesError::NotByName`], or [`ValuesError::NoStart`] for a value without finite coordinates.
    fn draw_at(
        &self,
        stream: &mut Stream,
        values: &[(String, Vec<f64>)],
        position: &mut [f64],
    ) -> Result<(), ValuesError> {
        let _ = (stream, values, position);
        Err(ValuesError::NotByName)
    }

    /// The Gaussian reference measure of pCN, if it is known; otherwise it is fitted to draws.
    fn reference(&self) -> Option<&Reference> {
        None
    }

    /// Whether `exp(log_prior)` integrates to 1, as for models. If unknown, SMC does not compare its evidence with integrals of the
    /// density.
    fn is_normalised(&self) -> bool {
        false
    }

    /// The first random value whose prior is not Gaussian or depends on other random values, in words; `None` if the
    /// [reference](Self::reference) is the prior itself.
    fn not_gaussian(&self) -> Option<String> {
        match self.reference() {
            Some(reference) if reference.is_gaussian_prior => None,
            _ => Some("its prior is not known to be Gaussian".to_owned()),
        }
    }

    /// Checks that the prior is proper. `needed_for` says in words what needs a proper prior.
    ///
    /// # Errors
    /// [`Error::Model`] with every statement whose prior is improper.
    fn require_proper(&self, needed_for: &'static str) -> Result<(), Error> {
        let _ = needed_for;
        Ok(())
    }

    /// Checks that prior draws have a density, for an engine that begins with them.
    ///
    /// # Errors
    /// [`Error::Model`] with every statement that is NaN at half of the prior draws.
    fn require_density(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// Whether a position comes from a prior draw that panicked: it is NaN.
pub fn is_lost(position: &[f64]) -> bool {
    !position.is_empty() && position.iter().all(|x| x.is_nan())
}

impl dyn Prior + '_ {
    /// As [`Prior::draw`], but after a panic the position is NaN. The density there counts as NaN, and so as zero: one draw is lost, not
    /// the run.
    ///
    /// # Errors
    /// The message of the panic.
    pub(crate) fn draw_or_nan(
        &self,
        stream: &mut Stream,
        position: &mut [f64],
    ) -> Result<(), String> {
        let drawn = caught(|| self.draw(stream, position));
        drawn.inspect_err(|_| position.fill(f64::NAN))
    }
}
