//! The widely applicable information criterion.

use super::elpd::{Elpd, Method};
use crate::error::Error;
use crate::model::Model;
use crate::predict::Pointwise;
use crate::run::Run;

/// The posterior variance of a log likelihood above which WAIC is unreliable (Vehtari, Gelman and Gabry 2017).
const LARGE: f64 = 0.4;

impl Run {
    /// The widely applicable information criterion (Watanabe 2010) as an expected log predictive density: the log predictive
    /// density of each observation less the posterior variance of its log likelihood. Prefer [`Run::loo`], which tells where
    /// it fails; WAIC is here to compare with published values. `−2 elpd` is the deviance scale.
    ///
    /// # Errors
    /// As [`Run::loo`].
    pub fn waic<Mo: Model>(&self, model: &Mo) -> Result<Elpd, Error> {
        let prediction = self.predict(model)?;
        prediction.check_data()?;
        let elpd = waic(&prediction.log_likelihood()?);
        Ok(elpd.of_run(self, &prediction, model))
    }
}

/// WAIC of log likelihoods.
pub(super) fn waic(terms: &Pointwise) -> Elpd {
    let variance = |i: usize| {
        let draws = terms.observation(i);
        let pairs = || draws.iter().zip(&terms.weights).filter(|(_, w)| **w > 0.0);
        let mean: f64 = pairs().map(|(term, w)| w * term).sum();
        pairs()
            .map(|(term, w)| w * (term - mean).powi(2))
            .sum::<f64>()
    };
    let variances: Vec<f64> = (0..terms.observations).map(variance).collect();
    let densities = terms.log_predictive_densities();
    let pairs = densities.iter().zip(&variances);
    Elpd {
        method: Method::Waic,
        pointwise: pairs
            .map(|(density, variance)| density - variance)
            .collect(),
        names: (0..terms.observations).map(|i| terms.name(i)).collect(),
        effective_parameters: variances.iter().sum(),
        pareto_k: Vec::new(),
        good_k: f64::NAN,
        mcse: f64::NAN,
        log_evidence: None,
        data: 0,
        unstable: variances.iter().filter(|v| **v > LARGE).count(),
        model: None,
        rereads: Vec::new(),
    }
}
