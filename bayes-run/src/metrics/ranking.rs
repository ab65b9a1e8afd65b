//! How well a score separates positive from negative observations: areas under ROC and precision-recall curves.

use super::threshold::{Confusion, threshold_sweep};
use crate::error::MetricsError;

/// Area under the ROC curve: the probability that a positive observation has a higher score than a negative one, with ties
/// counted half (Hanley and McNeil 1982). 0.5 for scores without information.
///
/// For its errors use [`ClassProbabilities::score`](super::ClassProbabilities::score).
///
/// # Errors
/// [`MetricsError`] if lengths differ, a score is NaN, or all observations are of one class.
pub fn roc_auc(scores: &[f64], positive: &[bool]) -> Result<f64, MetricsError> {
    let curve = roc_curve(scores, positive)?;
    let area = |pair: &[(f64, f64)]| (pair[1].0 - pair[0].0) * (pair[0].1 + pair[1].1) / 2.0;
    Ok(curve.windows(2).map(area).sum())
}

/// The ROC curve: false positive rate and true positive rate at each threshold, from (0, 0) to (1, 1).
///
/// # Errors
/// The errors of [`roc_auc`].
pub fn roc_curve(scores: &[f64], positive: &[bool]) -> Result<Vec<(f64, f64)>, MetricsError> {
    let sweep = both_classes(scores, positive)?;
    let point = |c: &Confusion| {
        let negatives = (c.false_positives + c.true_negatives) as f64;
        (c.false_positives as f64 / negatives, c.recall())
    };
    Ok(std::iter::once((0.0, 0.0))
        .chain(sweep.iter().map(point))
        .collect())
}

/// Area under the precision-recall curve as average precision, `Σ (recallₙ − recallₙ₋₁) precisionₙ` over thresholds,
/// without interpolation. Scores without information give the share of positives.
///
/// # Errors
/// The errors of [`roc_auc`].
pub fn pr_auc(scores: &[f64], positive: &[bool]) -> Result<f64, MetricsError> {
    let mut before = 0.0;
    let mut area = 0.0;
    for confusion in both_classes(scores, positive)? {
        let recall = confusion.recall();
        area += (recall - before) * confusion.precision();
        before = recall;
    }
    Ok(area)
}

fn both_classes(scores: &[f64], positive: &[bool]) -> Result<Vec<Confusion>, MetricsError> {
    let sweep = threshold_sweep(scores, positive)?;
    match positive.iter().filter(|p| **p).count() {
        0 => Err(MetricsError::OneClass { label: "negative" }),
        n if n == positive.len() => Err(MetricsError::OneClass { label: "positive" }),
        _ => Ok(sweep),
    }
}
