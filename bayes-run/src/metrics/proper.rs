//! Accuracy, negative log likelihood and Brier score.

use super::probabilities::{ClassProbabilities, MeanProbabilities, most_probable};
use super::score::Score;
use crate::dist::{Datum, Discrete};
use crate::error::MetricsError;

/// The mean over observations, with the jackknife over draws.
pub(super) type Means = (MeanProbabilities, Vec<MeanProbabilities>);

/// The share of observations whose most probable class is their label, from 0 to 1.
///
/// # Errors
/// [`MetricsError`] if the labels do not fit.
pub fn accuracy<L: Datum<Discrete>>(
    probabilities: &ClassProbabilities,
    labels: &[L],
) -> Result<Score, MetricsError> {
    let labels = probabilities.labels(labels)?;
    Ok(accuracy_of(&probabilities.jackknife(), &labels))
}

/// Mean negative log probability of the labels under the predictive probabilities, in nats (log loss). Infinite if a label
/// has probability zero.
///
/// # Errors
/// [`MetricsError`] if the labels do not fit.
pub fn nll<L: Datum<Discrete>>(
    probabilities: &ClassProbabilities,
    labels: &[L],
) -> Result<Score, MetricsError> {
    let labels = probabilities.labels(labels)?;
    Ok(nll_of(&probabilities.jackknife(), &labels))
}

/// Brier score (Brier 1950): the mean over observations of `Σₖ (pₖ − [label = k])²`, from 0 to 2. For two classes it is
/// twice the mean square of `p₁ − label`, which some packages call the Brier score.
///
/// # Errors
/// [`MetricsError`] if the labels do not fit.
pub fn brier<L: Datum<Discrete>>(
    probabilities: &ClassProbabilities,
    labels: &[L],
) -> Result<Score, MetricsError> {
    let labels = probabilities.labels(labels)?;
    Ok(brier_of(&probabilities.jackknife(), &labels))
}

pub(super) fn accuracy_of(means: &Means, labels: &[usize]) -> Score {
    let hit = |row: &[f64], label| f64::from(most_probable(row).0 == label);
    mean_of(means, labels, hit)
}

pub(super) fn nll_of(means: &Means, labels: &[usize]) -> Score {
    mean_of(means, labels, |row, label| -row[label].ln())
}

pub(super) fn brier_of(means: &Means, labels: &[usize]) -> Score {
    mean_of(means, labels, |row, label| {
        let square = |(class, p): (usize, &f64)| (p - f64::from(class == label)).powi(2);
        row.iter().enumerate().map(square).sum()
    })
}

/// The mean of a term of each observation's probabilities and label.
fn mean_of(means: &Means, labels: &[usize], term: impl Fn(&[f64], usize) -> f64) -> Score {
    Score::mean_over_data(means, |means| {
        let rows = means.rows().zip(labels);
        rows.map(|(row, label)| term(row, *label)).collect()
    })
}
