//! The widely applicable information criterion.

use super::elpd::{Elpd, LeftOutData, Method};
use super::loo::Sample;
use super::terms::Terms;
use crate::error::Error;
use crate::model::Model;
use crate::predict::{AtDraws, log_predictive_density};
use crate::run::Run;

/// The posterior variance of a log likelihood above which WAIC is unreliable (Vehtari, Gelman and Gabry 2017).
const LARGE: f64 = 0.4;

impl Run {
    /// The widely applicable information criterion (Watanabe 2010) as an expected log predictive density: the log
    /// predictive density of each observation minus the posterior variance of its log likelihood. Prefer [`Run::loo`],
    /// which detects where it fails; use WAIC to compare with published values. `−2 elpd` is the deviance scale.
    ///
    /// # Errors
    /// The errors of [`Run::loo`].
    pub fn waic<Mo: Model>(&self, model: &Mo) -> Result<Elpd, Error> {
        let prediction = self.predict(model)?;
        prediction.check_data()?;
        let sample = Sample::of(self, &prediction);
        let all = 0..prediction.observations();
        let of = |at: AtDraws<'_>| sample.spread(at.log_likelihood);
        let found = prediction.map_observations(&sample.draws, all, false, of)?;
        let elpd = waic(prediction.observation_names(), &found);
        let elpd = elpd.thinned(sample.log_weights.len(), self);
        Ok(elpd.of_run(self, &prediction, model))
    }
}

impl Sample {
    /// The log predictive density of an observation and its posterior variance, from its log likelihoods `own`, `[draws]`.
    pub(super) fn spread(&self, own: &[f64]) -> [f64; 2] {
        let weights = &self.draws.weights;
        let pairs = || own.iter().zip(weights).filter(|(_, w)| **w > 0.0);
        let mean: f64 = pairs().map(|(term, w)| w * term).sum();
        let squares = pairs().map(|(term, w)| w * (term - mean).powi(2));
        [
            log_predictive_density(own, &self.log_weights),
            squares.sum(),
        ]
    }
}

/// WAIC from the log predictive densities and variances of observations with these names.
pub(super) fn waic(names: Vec<String>, found: &[[f64; 2]]) -> Elpd {
    let variances = || found.iter().map(|[_, variance]| *variance);
    Elpd {
        method: Method::Waic,
        pointwise: found
            .iter()
            .map(|[density, variance]| density - variance)
            .collect(),
        names,
        effective_parameters: variances().sum(),
        pareto_k: Vec::new(),
        good_k: f64::NAN,
        mcse: f64::NAN,
        log_evidence: None,
        data: 0,
        terms: Terms::default(),
        unstable: variances().filter(|v| *v > LARGE).count(),
        model: None,
        rereads: Vec::new(),
        rereads_in_words: None,
        approximation: None,
        imputed: Vec::new(),
        left_out: LeftOutData::default(),
        of_formula: false,
    }
}
