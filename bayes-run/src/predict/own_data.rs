//! Whether a model has the data of the run.

use super::{Prediction, PredictionError, Source};
use crate::error::Error;
use crate::model::{Start, Wanted};
use crate::rng::{Key, Purpose};
use crate::run::{Group, PARTS, Run};

/// The difference of two log likelihoods that rounding explains: here the terms of a statement are summed in another order, and networks
/// compute in single precision.
fn rounding(log_likelihood: f64) -> f64 {
    1e-3 + 1e-5 * log_likelihood.abs()
}

impl Prediction<'_> {
    /// Whether the fingerprints of the model with its data and of the run agree.
    pub(super) fn has_data_of(&self, run: &Run) -> bool {
        run.fingerprint == format!("{:016x}", (self.fingerprint)())
    }

    /// Checks that the model has the data of the run, as statements about the run's own data require ([`Run::loo`](crate::run::Run::loo)).
    /// It must observe exactly the values of the run, in the same order ([`Run::observed_data`](crate::run::Run::observed_data)), where both
    /// are known. It then has the data if the fingerprints agree. Otherwise the log likelihoods of a draw of the first, the middle and the
    /// last group must agree with the run's, to 0.001 plus 1e-5 of their size. Other rows with a smaller effect go unnoticed.
    ///
    /// Some cases are not compared: draws of the prior, a model that observes nothing, and a model with `factor` or given values, whose
    /// terms are not observations. Neither is a run that combines the runs of parts or has no log likelihoods. The run of one part alone
    /// ([`Subposterior`](crate::density::Subposterior)) has a power of the prior in its log likelihood, and is refused.
    ///
    /// # Errors
    /// [`Error::Prediction`] for other observed values, or with both log likelihoods; [`Error::Model`] for data that are outside the
    /// support of their distribution.
    pub fn check_data(&self) -> Result<(), Error> {
        let Source::Run(run) = self.source else {
            return Ok(());
        };
        if self.observes_nothing() || self.has_factor || run.settings.contains_key(PARTS) {
            return Ok(());
        }
        let own = self.observed_data.map(|hash| format!("{hash:016x}"));
        if own.is_some_and(|own| !run.observed_data.is_empty() && own != run.observed_data) {
            return Err(self.error(PredictionError::OtherObserved));
        }
        if self.has_data_of(run) {
            return Ok(());
        }
        self.require_likelihood()?;
        let groups = &run.groups;
        let some = [0, groups.len() / 2, groups.len().saturating_sub(1)];
        for group in some.iter().filter_map(|i| groups.get(*i)) {
            let Some((draw, in_run)) = first_finite(group) else {
                continue;
            };
            let here = self.log_likelihood_of(self.start(run, group, draw));
            let differs = (here - in_run).abs() > rounding(in_run);
            if differs || here.is_nan() {
                return Err(self.error(PredictionError::OtherData {
                    draw,
                    group: format!("{} {}", run.kind.name(), group.index),
                    run: format!("{in_run:.3}"),
                    model: format!("{here:.3}"),
                }));
            }
        }
        Ok(())
    }

    /// The log likelihood of all observations.
    fn log_likelihood_of(&self, start: Start<'_>) -> f64 {
        let wanted = Wanted {
            log_likelihood: true,
            ..Wanted::default()
        };
        // nothing is drawn
        let mut stream = Key::new(self.seed, Purpose::Prediction).stream();
        let found = self.at(start, wanted, &mut stream);
        let terms = found.iter().flat_map(|variable| &variable.log_likelihood);
        terms.sum()
    }
}

/// The first draw with a finite log likelihood: its index and the log likelihood.
fn first_finite(group: &Group) -> Option<(usize, f64)> {
    let mut draws = group.log_likelihood.iter().copied().enumerate();
    draws.find(|(_, log_likelihood)| log_likelihood.is_finite())
}
