//! Cross-validation of a regression by runs without some of its rows.

use crate::Regression;
use bayes::Error;
use bayes::comparison::{Elpd, k_fold};
use bayes::density::Posterior;
use bayes::prelude::*;
use bayes::rows::Subset;

impl Regression {
    /// Leave-one-out cross-validation of the regression's run ([`Run::loo`]), where the terms of rows with a k-hat that is too high come from runs
    /// without these rows, one for each ([`Elpd::refit`]). The runs have the engine and the seed of the run, and the defaults of its other
    /// settings.
    ///
    /// # Errors
    /// The errors of [`Run::loo`], [`Elpd::refit`] and of the engine.
    pub fn refitted_loo(&self, run: &Run) -> Result<Elpd, Error> {
        run.loo(self)?.refit(self, |others| again(run, others))
    }

    /// k-fold cross-validation ([`k_fold`]) by runs like this one: with its engine, its seed, which also deals the rows into the folds, and
    /// the defaults of the other settings.
    ///
    /// # Errors
    /// The errors of [`k_fold`] and of the engine; an error if the run has other data.
    pub fn k_fold(&self, run: &Run, folds: usize) -> Result<Elpd, Error> {
        run.predict(self)?.check_data()?;
        k_fold(self, folds, run.seed, |others| again(run, others))
    }
}

/// A run of some of the rows by the engine of another one.
fn again(run: &Run, others: &Subset<'_, Regression>) -> Result<Run, Error> {
    let kernel = (run.kernel != run.engine).then_some(run.kernel.as_str());
    let mut engine = Inference::by_name(&run.engine, kernel)?;
    let common = engine.common_mut();
    (common.seed, common.progress) = (run.seed, false);
    let arithmetic = common.arithmetic;
    engine.run_on(&Posterior::with(others, run.seed, arithmetic)?)
}
