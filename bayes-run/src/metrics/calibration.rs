//! Calibration: reliability diagrams and the expected calibration error.

use super::probabilities::{ClassProbabilities, MeanProbabilities, most_probable};
use super::score::Score;
use crate::dist::{Datum, Discrete};
use crate::error::MetricsError;
use crate::order;

/// How observations are put into bins by their confidence, the probability of their most probable class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bins {
    count: usize,
    equal_mass: bool,
}

impl Bins {
    /// `count` bins of the same width from 0 to 1; a confidence on an edge belongs to the lower bin (Guo et al. 2017).
    #[must_use]
    pub fn equal_width(count: usize) -> Self {
        Self {
            count,
            equal_mass: false,
        }
    }

    /// `count` bins with equal numbers of observations; if the number does not divide, the first bins have one more.
    #[must_use]
    pub fn equal_mass(count: usize) -> Self {
        Self {
            count,
            equal_mass: true,
        }
    }

    fn check(self) -> Result<(), MetricsError> {
        if self.count >= 1 {
            return Ok(());
        }
        Err(MetricsError::Option {
            option: "bins",
            value: self.count.to_string(),
            allowed: "at least 1",
        })
    }

    /// The bin of each confidence.
    fn assign(self, confidence: &[f64]) -> Vec<usize> {
        if !self.equal_mass {
            let bin = |p: &f64| (p * self.count as f64).ceil() as usize;
            return confidence
                .iter()
                .map(|p| bin(p).clamp(1, self.count) - 1)
                .collect();
        }
        let order = order::ascending(confidence);
        let (size, longer) = (order.len() / self.count, order.len() % self.count);
        let mut bins = vec![0; order.len()];
        for (place, i) in order.into_iter().enumerate() {
            let in_longer = longer * (size + 1);
            bins[i] = if place < in_longer {
                place / (size + 1)
            } else {
                longer + (place - in_longer) / size.max(1)
            };
        }
        bins
    }
}

/// The observations of one bin of a reliability diagram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReliabilityBin {
    /// Number of observations.
    pub count: usize,
    /// Mean confidence; NaN if the bin is empty.
    pub confidence: f64,
    /// Share of observations whose most probable class is their label; NaN if the bin is empty.
    pub accuracy: f64,
    /// Standard error of the accuracy over data, `√(a(1−a)/n)`.
    pub accuracy_se: f64,
}

/// The data of a reliability diagram.
#[derive(Clone, Debug, PartialEq)]
pub struct Reliability {
    /// The bins, in increasing order of confidence.
    pub bins: Vec<ReliabilityBin>,
    /// The expected calibration error.
    pub calibration_error: Score,
}

/// The reliability diagram of the most probable classes: accuracy against confidence.
///
/// # Errors
/// [`MetricsError`] if the labels do not fit, or if there are no bins.
pub fn reliability<L: Datum<Discrete>>(
    probabilities: &ClassProbabilities,
    labels: &[L],
    bins: Bins,
) -> Result<Reliability, MetricsError> {
    let calibration_error = calibration_error(probabilities, labels, bins)?;
    let labels = probabilities.labels(labels)?;
    Ok(Reliability {
        bins: binned(&probabilities.mean(), &labels, bins),
        calibration_error,
    })
}

/// Expected calibration error (ECE; Naeini, Cooper and Hauskrecht 2015; Guo et al. 2017): the mean distance of accuracy and
/// confidence over bins, weighted by their numbers of observations.
///
/// ```text
/// ECE = Σ_b n_b/n |accuracy_b − confidence_b|
/// ```
///
/// The error is not zero for calibrated predictions: chance adds about `√(bins / n)`, so compare only values with the same
/// number of observations and bins.
///
/// # Errors
/// [`MetricsError`] if the labels do not fit, or if there are no bins.
pub fn calibration_error<L: Datum<Discrete>>(
    probabilities: &ClassProbabilities,
    labels: &[L],
    bins: Bins,
) -> Result<Score, MetricsError> {
    bins.check()?;
    probabilities.score(labels, |means, labels| error_of(means, labels, bins))
}

fn error_of(means: &MeanProbabilities, labels: &[usize], bins: Bins) -> f64 {
    let bins = binned(means, labels, bins);
    let filled = bins.iter().filter(|bin| bin.count > 0);
    let distance = |bin: &ReliabilityBin| bin.count as f64 * (bin.accuracy - bin.confidence).abs();
    filled.map(distance).sum::<f64>() / labels.len() as f64
}

fn binned(means: &MeanProbabilities, labels: &[usize], bins: Bins) -> Vec<ReliabilityBin> {
    let best: Vec<(usize, f64)> = means.rows().map(most_probable).collect();
    let confidence: Vec<f64> = best.iter().map(|(_, p)| *p).collect();
    let mut sums = vec![(0_usize, 0.0, 0.0); bins.count];
    for ((bin, (class, p)), label) in bins.assign(&confidence).into_iter().zip(&best).zip(labels) {
        let (count, confidence, hits) = &mut sums[bin];
        *count += 1;
        *confidence += p;
        *hits += f64::from(class == label);
    }
    let bin = |(count, confidence, hits): (usize, f64, f64)| {
        let accuracy = hits / count as f64;
        ReliabilityBin {
            count,
            confidence: confidence / count as f64,
            accuracy,
            accuracy_se: (accuracy * (1.0 - accuracy) / count as f64).sqrt(),
        }
    };
    sums.into_iter().map(bin).collect()
}
