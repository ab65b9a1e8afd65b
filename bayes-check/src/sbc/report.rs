//! The result of a calibration.

use super::ranks::Ranks;
use super::{histogram, uniformity};
use crate::model::Model;
use crate::predict::ahead;
use std::fmt;

/// The significance level at which a report states that the ranks are not uniform.
const LEVEL: f64 = 0.01;

/// The ranks of one quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The quantity: `mu`, `beta[3]`, `log likelihood`.
    pub name: String,
    /// The rank of the true value among the posterior draws of each simulation, from 0 to 1; uniform under calibration.
    pub positions: Vec<f64>,
    /// The p value of uniformity (Neyman's smooth test with four components).
    pub p_value: f64,
}

impl Calibration {
    /// The Kolmogorov-Smirnov distance of the ranks from uniform.
    #[must_use]
    pub fn distance(&self) -> f64 {
        let n = self.positions.len() as f64;
        let mut sorted = self.positions.clone();
        sorted.sort_by(f64::total_cmp);
        let gaps = sorted.iter().enumerate();
        gaps.fold(0.0, |largest: f64, (i, u)| {
            largest.max(u - i as f64 / n).max((i + 1) as f64 / n - u)
        })
    }
}

/// The calibration of every quantity of a model; `plot::sbc(&report)` draws it.
#[derive(Clone, Debug, PartialEq)]
pub struct SbcReport {
    /// The model function's name.
    pub model: String,
    /// Number of posterior draws among which each true value was ranked.
    pub draws: usize,
    /// One entry for each element of each quantity, and one for the log likelihood.
    pub quantities: Vec<Calibration>,
    /// The smallest effective sample size of the run of each simulation.
    pub ess: Vec<f64>,
    /// Notes on the simulated data, in sentences: which of them are drawn one step ahead ([`Model::rereads`]).
    pub notes: Vec<String>,
}

impl SbcReport {
    pub(super) fn of<T: Model>(model: &T, draws: usize, ranks: &[Ranks]) -> Self {
        let names = ranks.first().map_or(&[][..], |r| &r.names);
        let quantities = names.iter().enumerate().map(|(k, name)| {
            let positions = ranks.iter().filter_map(|r| r.positions.get(k).copied());
            let positions: Vec<f64> = positions.collect();
            Calibration {
                name: name.clone(),
                p_value: uniformity::p_value(&positions),
                positions,
            }
        });
        Self {
            model: model.name().to_owned(),
            draws,
            quantities: quantities.collect(),
            ess: ranks.iter().map(|r| r.ess).collect(),
            notes: ahead(
                model.statements(),
                model.rereads(),
                model.rereads_in_words().as_deref(),
            )
            .collect(),
        }
    }

    /// Number of simulated data sets.
    #[must_use]
    pub fn simulations(&self) -> usize {
        self.ess.len()
    }

    /// The smallest p value times the number of quantities, at most 1 (Bonferroni): a bound on the probability that
    /// calibrated ranks look as bad for any quantity. NaN without quantities.
    #[must_use]
    pub fn p_value(&self) -> f64 {
        if self.quantities.is_empty() {
            return f64::NAN;
        }
        let smallest = self
            .quantities
            .iter()
            .map(|q| q.p_value)
            .fold(f64::NAN, f64::min);
        (smallest * self.quantities.len() as f64).min(1.0)
    }

    /// Whether the ranks are consistent with uniformity, at this significance level over all quantities.
    #[must_use]
    pub fn is_calibrated(&self, level: f64) -> bool {
        self.p_value() >= level
    }

    /// The meaning of [`SbcReport::p_value`] in words.
    fn verdict(&self) -> String {
        let (p, simulations) = (self.p_value(), self.simulations());
        if p.is_nan() {
            "there is nothing to test".to_owned()
        } else if p < LEVEL {
            format!(
                "the ranks are not uniform (1 in {:.0} correct models fails this test by chance): the model, the simulation \
                 or the engine is wrong, or the runs are too short",
                1.0 / LEVEL
            )
        } else {
            format!("{simulations} simulations show no sign of miscalibration")
        }
    }

    /// Number of simulations whose effective sample size is below the number of draws for the ranks.
    fn short_runs(&self) -> usize {
        self.ess
            .iter()
            .filter(|ess| ess.is_nan() || **ess < self.draws as f64)
            .count()
    }
}

impl fmt::Display for SbcReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (simulations, draws) = (self.simulations(), self.draws);
        writeln!(
            f,
            "{}: {simulations} simulations, ranks among {draws} posterior draws\n",
            self.model
        )?;
        let width = self
            .quantities
            .iter()
            .map(|q| q.name.len())
            .max()
            .unwrap_or(0)
            .max(8);
        writeln!(
            f,
            "{:<width$}  p value  distance  ranks from low to high",
            "quantity"
        )?;
        for quantity in &self.quantities {
            writeln!(
                f,
                "{:<width$}  {:>7.4}  {:>8.4}  {}",
                quantity.name,
                quantity.p_value,
                quantity.distance(),
                histogram::line(&quantity.positions)
            )?;
        }
        writeln!(
            f,
            "\nsmallest p value, Bonferroni over the quantities: {:.4}; {}",
            self.p_value(),
            self.verdict()
        )?;
        let short = self.short_runs();
        if short > 0 {
            writeln!(
                f,
                "warning: {short} of {simulations} runs have an effective sample size below {draws}, so their ranks pile up \
                 at both ends. Run the engine longer, or rank among fewer draws"
            )?;
        }
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        Ok(())
    }
}
