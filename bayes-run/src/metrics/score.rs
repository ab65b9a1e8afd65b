//! A score with its two standard errors.

use super::blocks::jackknife;
use super::probabilities::{ClassProbabilities, MeanProbabilities};
use crate::dist::{Datum, Discrete};
use crate::error::MetricsError;
use crate::text::Style;
use std::fmt;

/// Number of parts of the observations that are left out in turn.
const PARTS: usize = 100;

/// A score with its standard errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// The score.
    pub value: f64,
    /// Standard error over data: how much the score would vary with other observations of the same kind. NaN if it cannot be
    /// estimated.
    pub se_data: f64,
    /// Standard error over draws: how much the score would vary with another run, or another ensemble of this many members.
    /// It comes from leaving out one block of draws at a time: islands or chains, or pieces of them if there are few. NaN for
    /// a single member.
    pub se_draws: f64,
}

impl Score {
    /// A mean over observations; `of` gives each observation's term.
    pub(super) fn mean_over_data<T>(means: &(T, Vec<T>), of: impl Fn(&T) -> Vec<f64>) -> Self {
        let terms = of(&means.0);
        let without: Vec<f64> = means.1.iter().map(|means| mean(&of(means))).collect();
        Self {
            value: mean(&terms),
            se_data: standard_error(&terms),
            se_draws: jackknife(&without),
        }
    }

    /// Any function of the mean probabilities and the labels.
    pub(super) fn of_all(
        means: &(MeanProbabilities, Vec<MeanProbabilities>),
        labels: &[usize],
        metric: impl Fn(&MeanProbabilities, &[usize]) -> f64,
    ) -> Self {
        let parts = PARTS.min(labels.len());
        let left_out = |part: usize| {
            let rest = means.0.without(|i| i % parts == part);
            let labels = labels.iter().enumerate();
            let labels: Vec<usize> = labels
                .filter(|(i, _)| i % parts != part)
                .map(|(_, label)| *label)
                .collect();
            metric(&rest, &labels)
        };
        let over_data: Vec<f64> = match parts {
            0 | 1 => Vec::new(),
            _ => (0..parts).map(left_out).collect(),
        };
        let over_draws: Vec<f64> = means.1.iter().map(|means| metric(means, labels)).collect();
        Self {
            value: metric(&means.0, labels),
            se_data: jackknife(&over_data),
            se_draws: jackknife(&over_draws),
        }
    }
}

impl ClassProbabilities {
    /// The score of any function of the predictive probabilities and the labels, with its errors: your own metric, or one for
    /// scores and flags, such as [`roc_auc`](super::roc_auc).
    ///
    /// ```
    /// use bayes_run::metrics::{ClassProbabilities, roc_auc};
    ///
    /// let p = ClassProbabilities::new(vec![0.8, 0.2, 0.3, 0.7, 0.6, 0.4, 0.1, 0.9], 2)?;
    /// let auc = p.score(&[0, 1, 0, 1], |p, labels| {
    ///     let positive: Vec<bool> = labels.iter().map(|label| *label == 1).collect();
    ///     roc_auc(&p.class(1), &positive).unwrap_or(f64::NAN)
    /// })?;
    /// assert_eq!(auc.value, 1.0);
    /// # Ok::<(), bayes_run::metrics::MetricsError>(())
    /// ```
    ///
    /// The error over data comes from the jackknife with up to 100 parts of the observations.
    ///
    /// # Errors
    /// [`MetricsError`] if the labels do not fit.
    pub fn score<L: Datum<Discrete>>(
        &self,
        labels: &[L],
        metric: impl Fn(&MeanProbabilities, &[usize]) -> f64,
    ) -> Result<Score, MetricsError> {
        let labels = self.labels(labels)?;
        Ok(Score::of_all(&self.jackknife(), &labels, metric))
    }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Standard error of a mean of independent values; NaN for fewer than two.
pub(super) fn standard_error(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let centre = mean(values);
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    if values.len() < 2 {
        return f64::NAN;
    }
    (squares / (count - 1.0) / count).sqrt()
}

impl Score {
    /// Value and both errors, with the digits that the errors justify.
    pub(super) fn cells(&self) -> Vec<String> {
        let error = match (self.se_data, self.se_draws) {
            // digits below a tenth of the other error are not worth printing
            (data, draws) if draws >= 0.0 && data > 0.0 => draws.clamp(0.1 * data, data),
            (data, _) => data,
        };
        let style = Style::for_error(error, self.value.abs());
        [self.value, self.se_data, self.se_draws]
            .map(|value| style.write(value))
            .to_vec()
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells = self.cells();
        write!(
            f,
            "{} ± {} (data) ± {} (draws)",
            cells[0], cells[1], cells[2]
        )
    }
}
