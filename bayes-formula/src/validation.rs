//! Cross-validation of a regression by runs without some of its rows.

use crate::Regression;
use bayes::Error;
use bayes::comparison::{Elpd, k_fold};
use bayes::density::Posterior;
use bayes::prelude::*;
use bayes::rows::Subset;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

impl Regression {
    /// Leave-one-out cross-validation of the regression's run ([`Run::loo`]), where the terms of rows with a k-hat above 0.5 come from runs
    /// without these rows, one for each ([`Elpd::refit`]). The runs have the engine and the seed of the run, and the defaults of its other
    /// settings. The estimate warns if they do.
    ///
    /// # Errors
    /// The errors of [`Run::loo`], [`Elpd::refit`] and of the engine.
    pub fn refitted_loo(&self, run: &Run) -> Result<Elpd, Error> {
        self.refitted_loo_until(run, &Arc::default())
    }

    /// [`refitted_loo`](Self::refitted_loo), which fails soon after `stop` is true.
    ///
    /// # Errors
    /// The errors of [`refitted_loo`](Self::refitted_loo); [`Error::Formula`] if it was stopped.
    pub fn refitted_loo_until(&self, run: &Run, stop: &Arc<AtomicBool>) -> Result<Elpd, Error> {
        let again = Again::of(run, stop);
        let infer = |others: &Subset<'_, Self>| again.run(self, others);
        let found = run.loo(self)?.refit(self, infer)?;
        Ok(found.warned_by(&again.warnings.into_inner()))
    }

    /// k-fold cross-validation ([`k_fold`]) by runs like this one: with its engine, its seed, which also deals the rows into the folds, and
    /// the defaults of the other settings. Compare runs of the same seed and number of folds. The estimate warns if the runs do.
    ///
    /// # Errors
    /// [`Error::Formula`] with fewer than two folds; the errors of [`k_fold`] and of the engine; an error if the run has other data.
    pub fn k_fold(&self, run: &Run, folds: usize) -> Result<Elpd, Error> {
        self.k_fold_until(run, folds, &Arc::default())
    }

    /// [`k_fold`](Self::k_fold), which fails soon after `stop` is true.
    ///
    /// # Errors
    /// The errors of [`k_fold`](Self::k_fold); [`Error::Formula`] if it was stopped.
    pub fn k_fold_until(
        &self,
        run: &Run,
        folds: usize,
        stop: &Arc<AtomicBool>,
    ) -> Result<Elpd, Error> {
        if folds < 2 {
            return Err(self.wrong(format!(
                "`folds` is {folds}; it must be a whole number from 2 on"
            )));
        }
        run.predict(self)?.check_data()?;
        let again = Again::of(run, stop);
        let infer = |others: &Subset<'_, Self>| again.run(self, others);
        let found = k_fold(self, folds, run.seed, infer)?;
        Ok(found.warned_by(&again.warnings.into_inner()))
    }
}

/// Runs of some of the rows by the engine of another one.
struct Again<'a> {
    of: &'a Run,
    /// Stops them when it is true.
    stop: &'a Arc<AtomicBool>,
    /// The warnings of each run.
    warnings: RefCell<Vec<Vec<String>>>,
}

impl<'a> Again<'a> {
    fn of(run: &'a Run, stop: &'a Arc<AtomicBool>) -> Self {
        Self {
            of: run,
            stop,
            warnings: RefCell::default(),
        }
    }

    fn run(&self, whole: &Regression, others: &Subset<'_, Regression>) -> Result<Run, Error> {
        let Self { of, stop, warnings } = self;
        let kernel = (of.kernel != of.engine).then_some(of.kernel.as_str());
        let mut engine = Inference::by_name(&of.engine, kernel)?;
        let common = engine.common_mut();
        (common.seed, common.progress) = (of.seed, false);
        common.stop = Some(Arc::clone(stop));
        let arithmetic = common.arithmetic;
        let run = engine.run_on(&Posterior::with(others, of.seed, arithmetic)?)?;
        if stop.load(Ordering::Relaxed) {
            // a run that was stopped is only a part
            return Err(whole.wrong("the runs without rows were stopped".to_owned()));
        }
        let found = run.warnings();
        let found = found.iter().map(ToString::to_string).collect();
        warnings.borrow_mut().push(found);
        Ok(run)
    }
}
