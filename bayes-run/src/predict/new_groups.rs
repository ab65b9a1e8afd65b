//! Predictions of groups that the run has not seen.

use super::Prediction;
use crate::error::Error;
use crate::model::Model;
use crate::run::Run;

/// What a prediction does with new groups: places that the model names by `#[dims(..)]` and that the run does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NewGroups {
    /// Refuse new groups with an error that names them.
    #[default]
    Refuse,
    /// Draw the elements of new groups from their prior, for each draw of the run given its other quantities, such as the mean and the
    /// spread over groups. A new group is then a group of the same population about which nothing is known. `brms` calls this
    /// `allow_new_levels` with `sample_new_levels = "gaussian"`.
    Draw,
}

impl Run {
    /// Like [`predict`](Self::predict), but the new data may have groups that the run has not seen.
    ///
    /// ```text
    /// let prediction = run.predict_with(counts(&buildings, &new_x, &unknown), NewGroups::Draw)?;
    /// ```
    ///
    /// All rows of a new group share the elements drawn for it. The same seed and model give the same draws.
    ///
    /// # Errors
    /// The errors of [`predict`](Self::predict). [`Error::Prediction`] also if one distribution draws the elements of seen and of new
    /// groups together, such as a `MultivariateNormal` over all groups: its elements cannot be drawn given some of them.
    pub fn predict_with<'a, Mo: Model + 'a>(
        &'a self,
        model: Mo,
        new_groups: NewGroups,
    ) -> Result<Prediction<'a>, Error> {
        Prediction::of_run(self, model, new_groups)
    }
}
