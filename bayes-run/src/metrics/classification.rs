//! The usual scores of a classification in one table.

use super::calibration::{Bins, calibration_error};
use super::entropy::{Entropies, entropies};
use super::probabilities::{ClassProbabilities, MeanProbabilities};
use super::proper::{accuracy_of, brier_of, nll_of};
use super::ranking::{pr_auc, roc_auc};
use super::score::Score;
use crate::dist::{Datum, Discrete};
use crate::error::MetricsError;
use crate::text::table::{self, Line};
use std::fmt;

/// The usual scores of a classification; printing it shows them as a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Classification {
    /// Share of labels that are the most probable class.
    pub accuracy: Score,
    /// Mean negative log probability of the labels, in nats.
    pub nll: Score,
    /// Brier score, 0 to 2.
    pub brier: Score,
    /// Expected calibration error.
    pub calibration_error: Score,
    /// F1 of class 1 for two classes, the mean over classes for more.
    pub f1: Score,
    /// Area under the ROC curve of class 1 for two classes, the mean over classes (each against all others) for more; `None`
    /// if a class has no observation.
    pub roc_auc: Option<Score>,
    /// Area under the precision-recall curve, likewise.
    pub pr_auc: Option<Score>,
    /// Entropies of the predictions, in nats.
    pub entropies: Entropies,
}

/// The usual scores of a classification.
///
/// # Errors
/// [`MetricsError`] if the labels do not fit, or if there are no bins.
pub fn classification<L: Datum<Discrete>>(
    probabilities: &ClassProbabilities,
    labels: &[L],
    bins: Bins,
) -> Result<Classification, MetricsError> {
    let calibration_error = calibration_error(probabilities, labels, bins)?;
    let labels = probabilities.labels(labels)?;
    let means = probabilities.jackknife();
    let classes = 0..probabilities.classes();
    let has_all = classes.into_iter().all(|class| labels.contains(&class));
    let ranked = |metric: fn(&[f64], &[bool]) -> Result<f64, MetricsError>| {
        has_all.then(|| {
            Score::of_all(&means, &labels, |means, labels| {
                over_classes(means, labels, |scores, positive, _| {
                    metric(scores, positive).unwrap_or(f64::NAN)
                })
            })
        })
    };
    Ok(Classification {
        accuracy: accuracy_of(&means, &labels),
        nll: nll_of(&means, &labels),
        brier: brier_of(&means, &labels),
        calibration_error,
        f1: Score::of_all(&means, &labels, f1),
        roc_auc: ranked(roc_auc),
        pr_auc: ranked(pr_auc),
        entropies: entropies(probabilities),
    })
}

/// F1 of the most probable classes.
fn f1(means: &MeanProbabilities, labels: &[usize]) -> f64 {
    let called = means.most_probable();
    over_classes(means, labels, |_, positive, class| {
        let hit = |(called, positive): (&usize, &bool)| (*called == class, *positive);
        let pairs: Vec<(bool, bool)> = called.iter().zip(positive).map(hit).collect();
        let count = |pair: (bool, bool)| pairs.iter().filter(|p| **p == pair).count() as f64;
        let twice = 2.0 * count((true, true));
        let wrong = count((true, false)) + count((false, true));
        // a class that occurs neither in the labels nor in the predictions
        if twice + wrong == 0.0 {
            0.0
        } else {
            twice / (twice + wrong)
        }
    })
}

/// A metric of class 1 for two classes, its mean over classes for more. `metric` gets the scores, the flags and the class.
fn over_classes(
    means: &MeanProbabilities,
    labels: &[usize],
    metric: impl Fn(&[f64], &[bool], usize) -> f64,
) -> f64 {
    let of = |class: usize| {
        let positive: Vec<bool> = labels.iter().map(|label| *label == class).collect();
        metric(&means.class(class), &positive, class)
    };
    match means.classes() {
        2 => of(1),
        classes => (0..classes).map(of).sum::<f64>() / classes as f64,
    }
}

impl fmt::Display for Classification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scores = [
            ("accuracy", Some(self.accuracy)),
            ("negative log likelihood", Some(self.nll)),
            ("Brier score", Some(self.brier)),
            ("calibration error", Some(self.calibration_error)),
            ("F1", Some(self.f1)),
            ("ROC AUC", self.roc_auc),
            ("PR AUC", self.pr_auc),
            ("total entropy", Some(self.entropies.mean_total)),
            ("aleatoric entropy", Some(self.entropies.mean_aleatoric)),
            ("epistemic entropy", Some(self.entropies.mean_epistemic)),
        ];
        write_scores(f, &scores)
    }
}

/// Writes named scores as a table.
pub(super) fn write_scores(
    f: &mut fmt::Formatter<'_>,
    scores: &[(&str, Option<Score>)],
) -> fmt::Result {
    let line = |(name, score): &(&str, Option<Score>)| {
        let cells = score.as_ref().map(Score::cells)?;
        Some(Line::Cells([vec![(*name).to_owned()], cells].concat()))
    };
    let lines: Vec<Line> = scores.iter().filter_map(line).collect();
    table::write(f, &["", "score", "se (data)", "se (draws)"], &lines)
}
