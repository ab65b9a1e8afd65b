//! Predictions of groups that the run has not seen.

use super::Prediction;
use crate::error::Error;
use crate::model::Model;
use crate::run::Run;

/// What a prediction does with groups that the run has not seen: places that the model names by `#[dims(..)]` and that the run does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NewGroups {
    /// They are an error that names them.
    #[default]
    Refuse,
    /// Their elements are drawn from their prior, for each draw of the run given its other quantities, such as the mean and the spread over groups: a
    /// group of the same population of which nothing is known. `brms` calls this `allow_new_levels` with
    /// `sample_new_levels = "gaussian"`.
    Draw,
}

impl Run {
    /// [`predict`](Self::predict), where the new data may have groups that the run has not seen.
    ///
    /// ```text
    /// let prediction = run.predict_with(counts(&buildings, &new_x, &unknown), NewGroups::Draw)?;
    /// ```
    ///
    /// All rows of a new group share what is drawn for it. The same seed and model give the same draws.
    ///
    /// # Errors
    /// As [`predict`](Self::predict); [`Error::Prediction`] also if the elements of seen and of new groups are drawn together by one
    /// distribution, such as a `MultivariateNormal` over all groups: nothing is drawn given a part of such a quantity.
    pub fn predict_with<'a, Mo: Model + 'a>(
        &'a self,
        model: Mo,
        new_groups: NewGroups,
    ) -> Result<Prediction<'a>, Error> {
        Prediction::of_run(self, model, new_groups)
    }
}
