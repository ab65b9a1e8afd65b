//! R² of left-out rows.

use super::{share, variance};
use crate::effects::grid::wrong;
use crate::regression::Regression;
use crate::text;
use bayes::Error;
use bayes::diagnose::{Psis, psis};
use bayes::prelude::*;
use bayes::rng::{Key, Purpose};
use serde_json::{Value, json};
use std::fmt;

/// The note on residuals of the response.
const REREAD: &str = "The response of a row that is left out stays in the expected responses of the rows after it, because `ar` has the residuals before a row: this is not the R2 for a series that lacks the row";

/// Draws of the Bayesian bootstrap.
const BOOTSTRAP: u64 = 1000;

/// R² with each row's expected response computed without the row, from [`Regression::loo_r2`].
#[derive(Clone, Debug)]
pub struct LeftOutR2 {
    /// One less the variance of the errors over the variance of the responses: the mean of a Bayesian bootstrap over the rows.
    pub mean: f64,
    /// The standard deviation over the bootstrap.
    pub sd: f64,
    /// The quantiles 5%, 25%, 50%, 75% and 95%.
    pub quantiles: [f64; 5],
    /// The rows whose k-hat is too large for importance sampling, so their expected response is probably too near to the response.
    pub bad: Vec<usize>,
    /// The largest k-hat with reliable weights.
    pub good_k: f64,
    /// Sentences on what this R² is not: with `ar`, the response of a row that is left out stays in the means of the rows after it.
    pub notes: Vec<String>,
}

impl Regression {
    /// R² of the expected responses of left-out rows, each by importance sampling (PSIS): the quality of predictions for new rows of the
    /// same groups. It may be negative, and unlike [`r2`](Self::r2) it does not rise with every term. It is 1 less the variance of the
    /// errors over the variance of the responses. A Bayesian bootstrap weights the rows; its spread shows the uncertainty from the
    /// choice of rows (as in `loo_R2` of rstanarm and brms). A row is left out with all of its responses. With `ar` the left-out response
    /// stays in the expected responses of the rows after it, as in [`loo`](Run::loo); the notes of the result say so.
    ///
    /// # Errors
    /// As [`r2`](Self::r2); [`Error::Formula`] if a response is missing or censored, or all are equal.
    pub fn loo_r2(&self, run: &Run) -> Result<LeftOutR2, Error> {
        let rows = self.counted()?;
        let is_censored = |row: &usize| {
            let design = self.margin();
            design.adjustments.is_censored(*row, design.observed(*row))
        };
        if rows.iter().any(is_censored) {
            let message = "this R² needs the response of every row, and some are censored";
            return Err(wrong(self.formula(), 0..0, message));
        }
        let y: Vec<f64> = rows
            .iter()
            .map(|row| self.margin().observed(*row))
            .collect();
        if y.iter().any(|y| !y.is_finite()) || variance(&y) == 0.0 {
            let message = "this R² needs the response of every row, and different ones";
            return Err(wrong(self.formula(), 0..0, message));
        }
        let (errors, bad) = self.errors(run, &rows, &y)?;
        let key = Key::new(run.seed, Purpose::Bootstrap);
        let one = |k: u64| {
            let mut stream = key.item(k).stream();
            let weights: Vec<f64> = y
                .iter()
                .map(|_| Exponential::new(1.0).draw_one(&mut stream))
                .collect();
            1.0 - weighted(&errors, &weights) / weighted(&y, &weights)
        };
        let mut all: Vec<f64> = (0..BOOTSTRAP).map(one).collect();
        all.sort_by(f64::total_cmp);
        let quantile = |p: f64| all[((all.len() - 1) as f64 * p).round() as usize];
        let residuals = self.design().first().residuals.iter();
        Ok(LeftOutR2 {
            mean: all.iter().sum::<f64>() / all.len() as f64,
            sd: variance(&all).sqrt(),
            quantiles: [0.05, 0.25, 0.5, 0.75, 0.95].map(quantile),
            bad,
            good_k: Psis::good_k(run.total_draws()),
            notes: residuals.map(|_| REREAD.to_owned()).collect(),
        })
    }

    /// Each response less its expectation without the row, and the rows with bad weights.
    fn errors(
        &self,
        run: &Run,
        rows: &[usize],
        y: &[f64],
    ) -> Result<(Vec<f64>, Vec<usize>), Error> {
        let terms = run.predict(self)?.log_likelihood()?;
        let mut means = Vec::new();
        self.fitted(run).for_each(|_, told| {
            let all = told.rows().filter(|at| at.trials > 0.0);
            means.extend(all.map(|at| share(self.family(), &at).0));
        })?;
        let good_k = Psis::good_k(run.total_draws());
        let (mut errors, mut bad) = (Vec::new(), Vec::new());
        for (k, row) in rows.iter().enumerate() {
            let terms = terms.observation(*row).into_iter().zip(&terms.weights);
            let ratios: Vec<f64> = terms.map(|(term, weight)| weight.ln() - term).collect();
            let Psis {
                log_weights,
                pareto_k,
            } = psis(&ratios, 1.0);
            let own = means[k..].iter().step_by(rows.len());
            let mean: f64 = own
                .zip(&log_weights)
                .map(|(mean, log)| mean * log.exp())
                .sum();
            errors.push(y[k] - mean);
            if pareto_k.is_nan() || pareto_k > good_k {
                bad.push(*row);
            }
        }
        Ok((errors, bad))
    }
}

/// The variance of values with weights that do not sum to 1.
fn weighted(values: &[f64], weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    let pairs = || values.iter().zip(weights);
    let mean = pairs().map(|(x, w)| x * w).sum::<f64>() / total;
    pairs().map(|(x, w)| w * (x - mean).powi(2)).sum::<f64>() / total
}

impl LeftOutR2 {
    /// As a JSON object of the numbers, the rows with bad weights, and the notes.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let [q5, q25, q50, q75, q95] = self.quantiles;
        json!({
            "mean": self.mean, "sd": self.sd, "q5": q5, "q25": q25, "q50": q50, "q75": q75, "q95": q95,
            "rows_of_bad_k_hat": self.bad, "good_k_hat": self.good_k, "notes": self.notes,
        })
    }

    /// The cells of the line below R²; it has no Monte Carlo error.
    pub(super) fn cells(&self) -> Vec<String> {
        let numbers = self.quantiles.iter().map(|q| text::number(*q, self.sd));
        let [mean, sd] = [self.mean, self.sd].map(|x| text::number(x, self.sd));
        let first = ["R2 of rows left out".to_owned(), mean, String::new(), sd];
        first.into_iter().chain(numbers).collect()
    }
}

/// A text table of one line, the rows with bad weights, and the notes.
impl fmt::Display for LeftOutR2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        super::write(f, &[self.cells()])?;
        if !self.bad.is_empty() {
            let rows: Vec<String> = self.bad.iter().take(10).map(usize::to_string).collect();
            let more = if self.bad.len() > 10 { ", .." } else { "" };
            let (rows_word, them) = match self.bad.len() {
                1 => ("row", "it"),
                _ => ("rows", "them"),
            };
            writeln!(
                f,
                "k-hat is above {:.2} for {} {rows_word} ({}{more}): without {them} the posterior is so different that this R2 is probably too high.",
                self.good_k,
                self.bad.len(),
                rows.join(", ")
            )?;
        }
        self.notes
            .iter()
            .try_for_each(|note| writeln!(f, "{note}."))
    }
}
