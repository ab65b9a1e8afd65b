//! Sensitivity of the evidence to the prior.

use super::at_draws;
use crate::comparison::fingerprint;
use crate::diagnose::{Estimate, Estimator, Psis, psis};
use crate::error::{ComparisonError, Error};
use crate::model::Model;
use crate::run::Run;
use crate::text::table::{self, Line};
use std::fmt;

/// Changes of the log evidence if a model has another prior, or differs in any other argument. Printing it shows a table.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceSensitivity {
    /// One row for each of the other models, in the given order.
    pub rows: Vec<EvidenceRow>,
    /// The largest k-hat that is good for the number of draws.
    pub good_k: f64,
}

/// The evidence of another model compared with the evidence of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceRow {
    /// The name given to the other model.
    pub name: String,
    /// Its log evidence minus the log evidence of the run's model, with its Monte Carlo error.
    pub log_bayes_factor: Estimate,
    /// k-hat of the importance ratios. Above [`EvidenceSensitivity::good_k`] the draws do not reach the other posterior, and the number
    /// cannot be trusted. Minus infinity if all ratios are equal.
    pub pareto_k: f64,
}

impl Run {
    /// The change of the log evidence if the model is one of the `others`: for example, the same function with another width of a prior.
    /// The draws of this run are reweighted; no other run is needed, and the run itself needs no evidence (NUTS will do).
    ///
    /// ```text
    /// let run = Inference::nuts().run(&mean(&y, 1.0))?;
    /// let others = [0.5, 2.0, 4.0].map(|sd| (format!("sd {sd}"), mean(&y, sd)));
    /// println!("{}", run.evidence_sensitivity(&mean(&y, 1.0), others)?);
    /// ```
    ///
    /// The factor `Z' / Z` is the mean over the posterior of `p'(θ, y) / p(θ, y)` (bridge sampling's simplest case: Meng and Wong 1996,
    /// Statistica Sinica 6). Values that the run's model excludes and another model allows never occur among the draws. If the supports
    /// differ, make the run under the widest one.
    ///
    /// # Errors
    /// [`Error::Values`] if the random quantities of a model differ from the run's; [`Error::Model`] if a model does not fit its data; the errors
    /// of [`Prediction::check_data`](crate::predict::Prediction::check_data), because the run must have used the data of `model`;
    /// [`Error::Comparison`] if another model observes other data.
    pub fn evidence_sensitivity<Own: Model, Other: Model, S: Into<String>>(
        &self,
        model: &Own,
        others: impl IntoIterator<Item = (S, Other)>,
    ) -> Result<EvidenceSensitivity, Error> {
        let total = |terms: &[f64]| terms.iter().sum::<f64>();
        let prediction = self.predict(model)?;
        prediction.check_data()?;
        let data = fingerprint(prediction.observed());
        let own = at_draws(self, model, total)?;
        let (estimator, weights) = (Estimator::of(self), self.draw_weights());
        let row = |(name, other): (S, Other)| {
            let name = name.into();
            if fingerprint(self.predict(&other)?.observed()) != data {
                return Err(Error::Comparison(ComparisonError::Data {
                    first: self.model.clone(),
                    other: name,
                }));
            }
            let mut ratios = at_draws(self, &other, total)?;
            let pairs = ratios.iter_mut().flatten().zip(own.iter().flatten());
            pairs.for_each(|(ratio, own)| *ratio -= own);
            let flat = ratios.concat();
            // equal ratios have neither an error nor a tail
            let (log_bayes_factor, pareto_k) = match flat.iter().all(|ratio| *ratio == flat[0]) {
                true => (Estimate::exact(flat[0]), f64::NEG_INFINITY),
                false => (log_mean(&estimator, &ratios), pareto_k(&flat, &weights)),
            };
            Ok(EvidenceRow {
                name,
                log_bayes_factor,
                pareto_k,
            })
        };
        Ok(EvidenceSensitivity {
            rows: others.into_iter().map(row).collect::<Result<_, Error>>()?,
            good_k: Psis::good_k(weights.iter().filter(|w| **w > 0.0).count()),
        })
    }
}

/// The logarithm of the mean of the exponentials of `logs`, with the error of the logarithm.
fn log_mean(estimator: &Estimator<'_>, logs: &[Vec<f64>]) -> Estimate {
    let largest = logs
        .iter()
        .flatten()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    let scaled = |group: &Vec<f64>| group.iter().map(|log| (log - largest).exp()).collect();
    let mean = estimator.mean(&logs.iter().map(scaled).collect::<Vec<_>>());
    Estimate {
        mean: largest + mean.mean.ln(),
        se: mean.se / mean.mean,
        ..mean
    }
}

/// The shape of the largest ratios.
fn pareto_k(ratios: &[f64], weights: &[f64]) -> f64 {
    let pairs = ratios.iter().zip(weights);
    let logs: Vec<f64> = pairs.map(|(ratio, weight)| ratio + weight.ln()).collect();
    psis(&logs, 1.0).pareto_k
}

impl fmt::Display for EvidenceSensitivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |row: &EvidenceRow| {
            let k = match row.pareto_k == f64::NEG_INFINITY {
                true => "-".to_owned(),
                false => format!("{:.2}", row.pareto_k),
            };
            Line::Cells(vec![row.name.clone(), row.log_bayes_factor.to_string(), k])
        };
        let lines: Vec<Line> = self.rows.iter().map(line).collect();
        table::write(f, &["", "log Bayes factor", "k-hat"], &lines)?;
        let is_bad = |row: &&EvidenceRow| row.pareto_k.is_nan() || row.pareto_k > self.good_k;
        let bad: Vec<&str> = self
            .rows
            .iter()
            .filter(is_bad)
            .map(|row| row.name.as_str())
            .collect();
        if !bad.is_empty() {
            let (bad, good) = (bad.join(", "), self.good_k);
            writeln!(
                f,
                "k-hat is above {good:.2} for {bad}: the draws of this run do not reach its posterior; run it"
            )?;
        }
        Ok(())
    }
}
