//! Leave-one-out terms from runs without the observation, where reweighting fails.

use super::bridge::bridge;
use super::elpd::Elpd;
use super::loo::{EQUAL, Sample};
use crate::diagnose::{Estimator, Psis, psis, widening};
use crate::error::{ComparisonError, Error};
use crate::model::Model;
use crate::model::rows::{Rows, Subset};
use crate::predict::log_predictive_density;
use crate::run::Run;
use crate::text::quantity;

/// The largest relative Monte Carlo variance of a density that counts as known.
const LARGEST: f64 = 0.1;

impl Elpd {
    /// Recomputes the terms of all observations with a k-hat above 0.5, where importance weights have no variance, so that a term is too high
    /// by an amount that its draws do not tell: for each of them `infer` runs the model without its row, and the draws of this run predict it.
    /// The Monte Carlo errors of these terms count in [`mcse`](Self::mcse), and their k-hat is zero afterwards.
    ///
    /// If few draws of such a run have nearly all of the density of an observation far from the others, `infer` also makes a run of all
    /// rows, once. The term is then the ratio of the evidences of both runs by bridge sampling (Meng and Wong 1996). If the two runs do
    /// not overlap either, k-hat stays high and a warning says so.
    ///
    /// # Errors
    /// [`Error::Comparison`] unless every row has one observation; the error of the first `infer` that fails.
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
        let all: Vec<usize> = (0..rows).collect();
        let mut whole: Option<Run> = None;
        for row in self.to_refit() {
            let left_out = model.subset(&[row])?;
            let run = infer(&left_out.complement())?;
            let without = Terms::of(&run, &left_out)?;
            let mut found = without.held();
            if found.pareto_k > 0.0 {
                let whole = match &mut whole {
                    Some(whole) => whole,
                    none => none.insert(infer(&model.subset(&all)?)?),
                };
                let with = Terms::of(whole, &left_out)?;
                found = found.or_bridged(&without, &with);
            }
            self.effective_parameters += self.pointwise[row] - found.density;
            self.pointwise[row] = found.density;
            self.pareto_k[row] = found.pareto_k;
            self.left_out.replace(row, found.variance);
        }
        Ok(self.with_mcse())
    }
}

/// The log likelihood of a row at every draw of a run.
pub(super) struct Terms<'r> {
    run: &'r Run,
    pub(super) log_weights: Vec<f64>,
    /// `[draws]`.
    pub(super) own: Vec<f64>,
    relative_efficiency: f64,
}

/// The result for a row that is left out.
struct Held {
    /// Its log predictive density.
    density: f64,
    /// The Monte Carlo variance of `density`.
    variance: f64,
    /// k-hat of the densities as importance ratios if few draws have nearly all of the density, otherwise 0.
    pareto_k: f64,
}

impl<'r> Terms<'r> {
    fn of<Mo: Model>(run: &'r Run, row: &Mo) -> Result<Self, Error> {
        let prediction = run.predict(row)?;
        let used = Sample::new(prediction.every(1), run.relative_efficiency());
        // every row has one observation
        let found = prediction
            .map_observations(&used.draws, 0..1, false, |at| at.log_likelihood.to_vec())?;
        Ok(Self {
            run,
            log_weights: used.log_weights,
            own: found.concat(),
            relative_efficiency: used.relative_efficiency,
        })
    }

    /// The variance of the logarithm of a mean, from the logarithms of the values at every draw. It is computed like the variance of any
    /// other mean, over chains or islands and with their autocorrelation.
    pub(super) fn log_mean_variance(&self, logs: &[f64]) -> f64 {
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if logs.iter().all(|term| largest - term <= EQUAL) {
            return 0.0;
        }
        let mut values = logs.iter().map(|log| (log - largest).exp());
        let sizes = self.run.group_sizes().into_iter();
        let column: Vec<Vec<f64>> = sizes
            .map(|size| values.by_ref().take(size).collect())
            .collect();
        let mean = Estimator::of(self.run).mean(&column);
        (mean.se / mean.mean).powi(2)
    }

    /// The mean of the density over the draws of a run without the row.
    fn held(&self) -> Held {
        let ratios = self.own.iter().zip(&self.log_weights);
        let ratios: Vec<f64> = ratios.map(|(term, w)| term + w).collect();
        let variance = self.log_mean_variance(&self.own);
        let k = if variance == 0.0 {
            0.0
        } else if variance > 0.0 {
            psis(&ratios, self.relative_efficiency).pareto_k
        } else {
            // no draw allows the observation, or the error is unknown
            f64::INFINITY
        };
        let is_good = k <= Psis::good_k(self.own.len());
        Held {
            density: log_predictive_density(&self.own, &self.log_weights),
            variance: variance * widening(k, self.own.len()),
            pareto_k: if is_good { 0.0 } else { k },
        }
    }
}

impl Held {
    /// The ratio of evidences by draws without and with the row, if they overlap.
    fn or_bridged(self, without: &Terms<'_>, with: &Terms<'_>) -> Self {
        match bridge(without, with) {
            Some([density, variance]) if variance <= LARGEST => Self {
                density,
                variance,
                pareto_k: 0.0,
            },
            _ => self,
        }
    }
}
