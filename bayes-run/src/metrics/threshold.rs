//! Decisions by a threshold: precision, recall and F1.

use crate::error::MetricsError;
use crate::order;

/// The decisions at a threshold: an observation whose score is at least the threshold is called positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confusion {
    /// The threshold.
    pub threshold: f64,
    /// Positive observations called positive.
    pub true_positives: usize,
    /// Negative observations called positive.
    pub false_positives: usize,
    /// Positive observations called negative.
    pub false_negatives: usize,
    /// Negative observations called negative.
    pub true_negatives: usize,
}

impl Confusion {
    /// The share of positives among the observations called positive; NaN if there are none.
    #[must_use]
    pub fn precision(&self) -> f64 {
        self.true_positives as f64 / (self.true_positives + self.false_positives) as f64
    }

    /// The share of positives that are called positive; NaN if there are none.
    #[must_use]
    pub fn recall(&self) -> f64 {
        self.true_positives as f64 / (self.true_positives + self.false_negatives) as f64
    }

    /// The harmonic mean of precision and recall, `2 TP / (2 TP + FP + FN)`; NaN if no observation is positive or
    /// called positive.
    #[must_use]
    pub fn f1(&self) -> f64 {
        let twice = 2 * self.true_positives;
        twice as f64 / (twice + self.false_positives + self.false_negatives) as f64
    }
}

/// The decisions at one threshold.
///
/// # Errors
/// [`MetricsError`] if lengths differ, there are no observations, or a score is NaN.
pub fn at_threshold(
    scores: &[f64],
    positive: &[bool],
    threshold: f64,
) -> Result<Confusion, MetricsError> {
    check(scores, positive)?;
    let mut confusion = Confusion {
        threshold,
        true_positives: 0,
        false_positives: 0,
        false_negatives: 0,
        true_negatives: 0,
    };
    for (score, positive) in scores.iter().zip(positive) {
        let count = match (*score >= threshold, positive) {
            (true, true) => &mut confusion.true_positives,
            (true, false) => &mut confusion.false_positives,
            (false, true) => &mut confusion.false_negatives,
            (false, false) => &mut confusion.true_negatives,
        };
        *count += 1;
    }
    Ok(confusion)
}

/// The decisions at every distinct score as threshold, from the highest to the lowest.
///
/// # Errors
/// The errors of [`at_threshold`].
pub fn threshold_sweep(scores: &[f64], positive: &[bool]) -> Result<Vec<Confusion>, MetricsError> {
    check(scores, positive)?;
    let positives = positive.iter().filter(|p| **p).count();
    let negatives = positive.len() - positives;
    let (mut true_positives, mut false_positives) = (0, 0);
    let mut sweep: Vec<Confusion> = Vec::new();
    for i in order::descending(scores) {
        true_positives += usize::from(positive[i]);
        false_positives += usize::from(!positive[i]);
        let confusion = Confusion {
            threshold: scores[i],
            true_positives,
            false_positives,
            false_negatives: positives - true_positives,
            true_negatives: negatives - false_positives,
        };
        match sweep.last_mut() {
            Some(last) if last.threshold == scores[i] => *last = confusion,
            _ => sweep.push(confusion),
        }
    }
    Ok(sweep)
}

fn check(scores: &[f64], positive: &[bool]) -> Result<(), MetricsError> {
    MetricsError::same_length("labels", positive.len(), scores.len())?;
    if scores.is_empty() {
        return Err(MetricsError::Empty {
            what: "observations",
        });
    }
    // infinite scores can be ordered
    match scores.iter().position(|score| score.is_nan()) {
        None => Ok(()),
        Some(index) => Err(MetricsError::NotFinite {
            what: "score",
            index,
            value: scores[index],
        }),
    }
}
