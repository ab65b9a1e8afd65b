//! What a prediction has by a name, and its errors.

use super::Prediction;
use super::source::Source;
use crate::error::{Error, PredictionError};
use crate::model::Observed;

impl Prediction<'_> {
    /// An observed variable.
    ///
    /// # Errors
    /// [`Error::Prediction`] if the model observes nothing of this name.
    pub fn observed_variable(&self, name: &str) -> Result<&Observed, Error> {
        self.variable(name).map(|(_, observed)| observed)
    }

    /// The index of an observed variable, and the variable.
    pub(super) fn variable(&self, name: &str) -> Result<(usize, &Observed), Error> {
        let mut variables = self.observed.iter().enumerate();
        variables
            .find(|(_, o)| o.name == name)
            .ok_or_else(|| self.unknown(name))
    }

    /// The index of an observed variable, or of a quantity of `generate` or `deterministic`, among the results of a visit.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        let observed = self.observed.iter().map(|observed| &observed.name);
        let generated = self.generated.iter().map(|generated| &generated.name);
        let computed = self.computed.iter().map(|computed| &computed.name);
        let mut all = observed.chain(generated).chain(computed);
        all.position(|known| known == name)
    }

    pub(super) fn unknown(&self, name: &str) -> Error {
        let generated = self.generated.iter().map(|generated| &generated.name);
        let is_in_run = match self.source {
            Source::Run(run) => run.layout.find(name).is_some(),
            Source::Prior(_) => false,
        };
        self.error(PredictionError::Unknown {
            name: name.to_owned(),
            is_in_run,
            observed: self.observed.iter().map(|o| o.name.clone()).collect(),
            generated: generated.cloned().collect(),
        })
    }

    pub(super) fn error(&self, source: PredictionError) -> Error {
        let model = match self.source {
            Source::Run(run) => run.title_or(self.model),
            Source::Prior(_) => self.model.to_owned(),
        };
        Error::Prediction { model, source }
    }

    /// The error of a model that observes nothing, or no rows.
    pub(super) fn no_observation(&self) -> Error {
        let names: Vec<String> = self.observed.iter().map(|o| o.name.clone()).collect();
        self.error(match names.is_empty() {
            true => PredictionError::NothingObserved,
            false => PredictionError::NoRows { names },
        })
    }
}
