//! Detection of wrong predictions: a meta-classifier on the members' predictions, and a rule that abstains.
//!
//! A prediction is wrong if its class is wrong, and always for an input out of distribution. The meta-classifier is the MAP of a
//! `#[model]`: a logistic regression, or a network with a hidden layer.

use crate::task::{Labelled, classifier};
use bayes::Error;
use bayes::metrics::{self, ClassProbabilities, Confusion};
use bayes::nn::{Dense, Relu, Sequential, WeightPrior};
use bayes::prelude::*;
use bayes_experiments::classification::softmax;
use serde::{Deserialize, Serialize};

/// Number of features.
const FEATURES: usize = 6;
/// Width of the hidden layer; the paper's width is unknown.
const HIDDEN: usize = 32;
/// Epochs of L-BFGS.
const EPOCHS: usize = 200;

/// The separation of wrong from right predictions, on rows that the meta-classifier has not seen.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Detection {
    /// Area under the ROC curve.
    pub auc: f64,
    /// Precision, recall and F1 at the threshold 1/2.
    pub default: [f64; 3],
    /// The same at the threshold of the best F1 on other rows.
    pub optimal: [f64; 3],
    /// The share of right decisions by the two-level estimator, at the thresholds of [`thresholds`]. It predicts if the
    /// meta-classifier's probability of a wrong prediction is below the threshold, and abstains otherwise; abstaining is right if
    /// the prediction would be wrong.
    pub two_level: Vec<f64>,
}

/// The thresholds of the optimal rule and of the two-level estimator.
pub fn thresholds() -> impl Iterator<Item = f64> {
    (1..100).map(|percent| f64::from(percent) / 100.0)
}

/// The meta-classifiers.
pub struct Detectors {
    nets: [Sequential; 2],
    seed: u64,
}

impl Detectors {
    pub fn new(seed: u64) -> Self {
        let logistic = Sequential::flat(FEATURES).layer(Dense::new(FEATURES, 2));
        let hidden = Sequential::flat(FEATURES)
            .layer(Dense::new(FEATURES, HIDDEN))
            .layer(Relu)
            .layer(Dense::new(HIDDEN, 2));
        // wide for standardised features
        let prior = WeightPrior::Separate {
            weight_sd: 1.0,
            bias_sd: 1.0,
        };
        let nets =
            [logistic, hidden].map(|net| net.prior(prior).build().expect("these layers fit"));
        Self { nets, seed }
    }

    /// Trains on the first rows of `parts`, chooses thresholds on the second and is tested on the third.
    pub fn detect(
        &self,
        p: &ClassProbabilities,
        wrong: &[bool],
        parts: &[Vec<usize>; 3],
    ) -> Result<[Detection; 2], Error> {
        let features = standardised(&features(p), &parts[0]);
        let parts = parts.each_ref().map(|rows| Labelled {
            inputs: features.select_rows(rows),
            labels: rows.iter().map(|i| usize::from(wrong[*i])).collect(),
        });
        let [logistic, hidden] = &self.nets;
        Ok([self.by(logistic, &parts)?, self.by(hidden, &parts)?])
    }

    fn by(&self, net: &Sequential, parts: &[Labelled; 3]) -> Result<Detection, Error> {
        let [training, held_out, test] = parts;
        let fit = Inference::map()
            .epochs(EPOCHS)
            .seed(self.seed)
            .progress(false)
            .run(&classifier(net, &training.inputs, &training.labels))?;
        let weights = fit.value("theta")?;
        let probability = |rows: &Labelled| -> Vec<f64> {
            let scores = &net.predict(&rows.inputs, &[weights])[0];
            softmax(scores).column(1).iter().copied().collect()
        };
        let decide = |rows: &Labelled, threshold: f64| {
            metrics::at_threshold(&probability(rows), &flags(rows), threshold)
        };
        let mut best = decide(held_out, 0.5)?;
        for threshold in thresholds() {
            let other = decide(held_out, threshold)?;
            if other.f1() > best.f1() {
                best = other;
            }
        }
        let mut two_level = Vec::new();
        for threshold in thresholds() {
            let found = decide(test, threshold)?;
            let right = found.true_positives + found.true_negatives;
            two_level.push(right as f64 / test.labels.len() as f64);
        }
        Ok(Detection {
            auc: metrics::roc_auc(&probability(test), &flags(test))?,
            default: figures(&decide(test, 0.5)?),
            optimal: figures(&decide(test, best.threshold)?),
            two_level,
        })
    }
}

/// Flags of wrong predictions.
fn flags(rows: &Labelled) -> Vec<bool> {
    rows.labels.iter().map(|label| *label == 1).collect()
}

/// Precision, recall and F1; 0 if no prediction is called wrong.
fn figures(found: &Confusion) -> [f64; 3] {
    let figures = [found.precision(), found.recall(), found.f1()];
    figures.map(|x| if x.is_nan() { 0.0 } else { x })
}

/// For each row the highest mean probability, its distance to the second, and the total entropy; and features that vanish for a single
/// member: the epistemic entropy, and the standard deviations over members of their highest probability and of its distance to the
/// second.
fn features(p: &ClassProbabilities) -> DMatrix<f64> {
    let (mean, entropies) = (p.mean(), metrics::entropies(p));
    let mut features = DMatrix::zeros(p.observations(), FEATURES);
    for (i, row) in mean.rows().enumerate() {
        let [highest, gap] = highest_and_gap(row);
        let [sd, gap_sd] = spread(p, i);
        let own = [
            highest,
            gap,
            entropies.total[i],
            entropies.epistemic[i],
            sd,
            gap_sd,
        ];
        features.row_mut(i).copy_from_slice(&own);
    }
    features
}

/// The highest probability, and its distance to the second.
fn highest_and_gap(row: &[f64]) -> [f64; 2] {
    let mut best = [0.0f64; 2];
    for p in row {
        if *p > best[0] {
            best = [*p, best[0]];
        } else if *p > best[1] {
            best[1] = *p;
        }
    }
    [best[0], best[0] - best[1]]
}

/// Weighted standard deviations over members of both figures of a row.
fn spread(p: &ClassProbabilities, row: usize) -> [f64; 2] {
    let classes = p.classes();
    let of = |member: usize| highest_and_gap(&p.member(member)[row * classes..(row + 1) * classes]);
    let found: Vec<[f64; 2]> = (0..p.members()).map(of).collect();
    [0, 1].map(|k| {
        let pairs = || found.iter().zip(p.weights());
        let mean: f64 = pairs().map(|(x, w)| w * x[k]).sum();
        pairs()
            .map(|(x, w)| w * (x[k] - mean).powi(2))
            .sum::<f64>()
            .sqrt()
    })
}

/// The features minus their mean over `rows`, divided by their standard deviation there; constant features become 0.
fn standardised(features: &DMatrix<f64>, rows: &[usize]) -> DMatrix<f64> {
    let training = features.select_rows(rows);
    let mut features = features.clone();
    for (mut column, own) in features.column_iter_mut().zip(training.column_iter()) {
        let (mean, sd) = (own.mean(), own.variance().sqrt());
        let scale = if sd > 1e-9 { 1.0 / sd } else { 0.0 };
        column.apply(|x| *x = scale * (*x - mean));
    }
    features
}
