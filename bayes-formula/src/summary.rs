//! The summary of a quantity: mean, spread and quantiles.

use crate::text;
use bayes::Error;
use bayes::diagnose::Estimate;
use bayes::prelude::*;
use bayes::run::Draws;
use serde_json::{Map, Value, json};

/// Probabilities of the quantiles.
const QUANTILES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];
/// The columns of a summary in a text table.
pub(crate) const HEADER: [&str; 8] = ["mean", "mcse", "sd", "5%", "25%", "50%", "75%", "95%"];
/// The same in comma-separated values and in JSON.
pub(crate) const NAMES: [&str; 8] = ["mean", "mcse", "sd", "q5", "q25", "q50", "q75", "q95"];

/// The summary of the posterior of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The mean of the draws, with its Monte Carlo standard error.
    pub mean: Estimate,
    /// The standard deviation of the draws.
    pub sd: f64,
    /// The quantiles 5%, 25%, 50%, 75% and 95%.
    pub quantiles: [f64; 5],
}

/// The summary of each element of draws computed from the run's draws.
pub(crate) fn summaries(run: &Run, draws: &Draws) -> Result<Vec<Summary>, Error> {
    let moments = run.moments_of(draws)?;
    let quantiles = QUANTILES.map(|probability| draws.quantile(probability));
    let [q5, q25, q50, q75, q95] = quantiles;
    let quantiles = [q5?, q25?, q50?, q75?, q95?];
    let one = |(k, (mean, sd))| Summary {
        mean,
        sd,
        quantiles: quantiles.each_ref().map(|all| all[k]),
    };
    Ok(moments.into_iter().enumerate().map(one).collect())
}

impl Summary {
    /// Mean, its error, standard deviation and quantiles.
    pub(crate) fn numbers(&self) -> [f64; 8] {
        let [q5, q25, q50, q75, q95] = self.quantiles;
        [
            self.mean.mean,
            self.mean.se,
            self.sd,
            q5,
            q25,
            q50,
            q75,
            q95,
        ]
    }

    /// The cells of a text table.
    pub(crate) fn cells(&self) -> impl Iterator<Item = String> {
        let Self { mean, sd, .. } = *self;
        let numbers = self.numbers().into_iter().enumerate();
        numbers.map(move |(k, number)| match k {
            // two significant digits of the error
            1 => text::number(number, 10.0 * mean.se),
            _ => text::number(number, sd),
        })
    }

    /// The end of a line of comma-separated values, with the comma before it.
    pub(crate) fn csv(&self) -> String {
        self.numbers()
            .iter()
            .map(|number| format!(",{}", text::ten_digits(*number)))
            .collect()
    }

    /// The names with their numbers; non-finite numbers are null.
    pub(crate) fn json(&self) -> Map<String, Value> {
        let pairs = NAMES.iter().zip(self.numbers());
        pairs
            .map(|(name, number)| ((*name).to_owned(), json!(number)))
            .collect()
    }
}
