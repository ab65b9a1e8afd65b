//! Leave-one-out cross-validation without refitting, and with refitting where that fails.

use super::elpd::{Elpd, Method};
use crate::diagnose::{Estimator, Psis, psis};
use crate::error::{ComparisonError, Error};
use crate::model::fingerprint::{Fingerprint, fingerprint as fingerprint_of_model};
use crate::model::rows::{Rows, Subset};
use crate::model::{DataArgument, Model};
use crate::numeric::log_sum_exp;
use crate::predict::{Observed, Pointwise};
use crate::run::Run;
use crate::text::quantity;
use rayon::prelude::*;

impl Run {
    /// Leave-one-out cross-validation by Pareto smoothed importance sampling (Vehtari, Gelman and Gabry 2017; Vehtari et al.
    /// 2024). `model` is the model of the run with its data.
    ///
    /// Each draw is reweighted by `1 / p(yᵢ | θ)`, times its own weight in the run. A `factor` is no observation: it stays in
    /// the posterior and has no term. Keeps the log likelihoods of all observations at all draws, 8 bytes each.
    ///
    /// ```text
    /// let loo = run.loo(&model)?;
    /// println!("{loo}");                       // estimate, error, and which observations it cannot be trusted for
    /// let loo = loo.refit(&model, |others| Inference::nuts().run(others))?;
    /// ```
    ///
    /// # Errors
    /// As [`Run::predict`], [`Prediction::check_data`](crate::predict::Prediction::check_data), since the run has to be one of these data, and
    /// [`Prediction::log_likelihood`](crate::predict::Prediction::log_likelihood).
    pub fn loo<Mo: Model>(&self, model: &Mo) -> Result<Elpd, Error> {
        let prediction = self.predict(model)?;
        prediction.check_data()?;
        let elpd = loo(&prediction.log_likelihood()?, self.relative_efficiency());
        Ok(elpd.of_run(self, &prediction, model))
    }

    /// The effective number of draws over their actual number, the mean over all elements of all quantities (as in ArviZ,
    /// which takes 1 for a single chain). 1 if it is unknown.
    #[must_use]
    pub fn relative_efficiency(&self) -> f64 {
        let estimator = Estimator::of(self);
        let elements = 0..self.layout.elements();
        let sizes: Vec<f64> = elements
            .into_par_iter()
            .map(|element| estimator.effective_size(&self.column(element)))
            .collect();
        // a constant quantity has no effective size
        let known: Vec<f64> = sizes.into_iter().filter(|size| size.is_finite()).collect();
        if known.is_empty() {
            return 1.0;
        }
        known.iter().sum::<f64>() / known.len() as f64 / self.total_draws() as f64
    }
}

/// A hash of the observed data.
pub(super) fn fingerprint(observed: &[Observed]) -> u64 {
    let data = observed.iter().flat_map(|variable| &variable.data);
    Fingerprint::of(data.map(|x| x.to_bits()))
}

/// A hash of the text of a model and of all its data; `None` if it has no text, as one that was written by hand, or data of a type that the
/// library does not know, which may differ.
pub(super) fn model_fingerprint(model: &dyn Model) -> Option<u64> {
    if model.source().is_empty() {
        return None;
    }
    let is_known = |argument: &DataArgument| argument.length.is_some() || argument.fingerprint != 0;
    let source = model.source().bytes().map(u64::from);
    let words = [fingerprint_of_model(model)].into_iter().chain(source);
    model
        .data()
        .iter()
        .all(is_known)
        .then(|| Fingerprint::of(words))
}

/// Log likelihoods of an observation that differ by less, between draws, are the same.
const EQUAL: f64 = 1e-12;

/// The importance weights of the posterior without observation `i`.
pub(super) fn weights_without(terms: &Pointwise, i: usize, relative_efficiency: f64) -> Psis {
    let own = terms.observation(i);
    let range = |fold: fn(f64, f64) -> f64, start| own.iter().copied().fold(start, fold);
    if range(f64::max, f64::NEG_INFINITY) - range(f64::min, f64::INFINITY) <= EQUAL {
        // it says nothing of the parameters, such as no success in no trial: without it the posterior is the same
        return Psis {
            log_weights: terms.weights.iter().map(|weight| weight.ln()).collect(),
            pareto_k: 0.0,
        };
    }
    let draws = own.into_iter().zip(&terms.weights);
    let ratio = |(term, weight): (f64, &f64)| match weight {
        w if *w > 0.0 => w.ln() - term,
        // whatever its likelihood
        _ => f64::NEG_INFINITY,
    };
    psis(&draws.map(ratio).collect::<Vec<_>>(), relative_efficiency)
}

/// PSIS-LOO of log likelihoods; the draws have this relative efficiency.
pub(super) fn loo(terms: &Pointwise, relative_efficiency: f64) -> Elpd {
    let one = |i: usize| {
        let weights = weights_without(terms, i, relative_efficiency);
        let draws = terms.observation(i).into_iter().zip(&weights.log_weights);
        let used = draws.filter(|(_, weight)| **weight > f64::NEG_INFINITY);
        let (sums, log_weights): (Vec<f64>, Vec<f64>) =
            used.map(|(term, weight)| (term + weight, *weight)).unzip();
        let elpd = log_sum_exp(&sums);
        // the delta method for the log of a weighted mean
        let share = |(sum, weight): (&f64, &f64)| ((sum - elpd).exp() - weight.exp()).powi(2);
        let variance: f64 = sums.iter().zip(&log_weights).map(share).sum();
        (elpd, weights.pareto_k, variance / relative_efficiency)
    };
    let found: Vec<(f64, f64, f64)> = (0..terms.observations).into_par_iter().map(one).collect();
    let pointwise: Vec<f64> = found.iter().map(|f| f.0).collect();
    let seen: f64 = terms.log_predictive_densities().iter().sum();
    let weighty = terms.weights.iter().filter(|w| **w > 0.0).count();
    let elpd = Elpd {
        method: Method::Loo,
        effective_parameters: seen - pointwise.iter().sum::<f64>(),
        pointwise,
        names: (0..terms.observations).map(|i| terms.name(i)).collect(),
        pareto_k: found.iter().map(|f| f.1).collect(),
        good_k: Psis::good_k(weighty),
        mcse: f64::NAN,
        log_evidence: None,
        data: 0,
        unstable: 0,
        model: None,
        rereads: Vec::new(),
    };
    // an error of estimates that are no estimates would mislead
    let is_good = elpd.bad().is_empty();
    let mcse = found.iter().map(|f| f.2).sum::<f64>().sqrt();
    Elpd {
        mcse: if is_good { mcse } else { f64::NAN },
        ..elpd
    }
}

impl Elpd {
    /// Replaces the terms of all observations with a bad k-hat by exact ones: `infer` makes a run of the model without the
    /// row of such an observation. Their k-hat is zero afterwards.
    ///
    /// # Errors
    /// [`Error::Comparison`] unless there is one observation in every row; the error of the first `infer` that fails.
    pub fn refit<Mo: Rows>(
        mut self,
        model: &Mo,
        infer: impl Fn(&Subset<'_, Mo>) -> Result<Run, Error>,
    ) -> Result<Self, Error> {
        let rows = model.rows()?;
        if self.names.len() != rows {
            return Err(Error::Comparison(ComparisonError::Rows {
                variable: self
                    .names
                    .first()
                    .map_or(String::new(), |name| quantity(name).to_owned()),
                observations: self.names.len(),
                rows,
            }));
        }
        for row in self.bad() {
            let left_out = model.subset(&[row])?;
            let run = infer(&left_out.complement())?;
            let terms = run.predict(&left_out)?.log_likelihood()?;
            let exact: f64 = terms.log_predictive_densities().iter().sum();
            self.effective_parameters += self.pointwise[row] - exact;
            (self.pointwise[row], self.pareto_k[row]) = (exact, 0.0);
        }
        Ok(self)
    }
}
