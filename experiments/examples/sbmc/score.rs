//! The scores of the members' predictions.

use crate::detection::{Detection, Detectors};
use crate::method::Members;
use crate::task::Task;
use bayes::Error;
use bayes::metrics::{self, Bins, ClassProbabilities};
use bayes_experiments::classification::softmax;
use serde::{Deserialize, Serialize};

/// The scores of a method with a number of its members. Entropies are in nats.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scores {
    pub members: usize,
    /// Whether islands have equal weights instead of weights by their evidence.
    pub is_equal: bool,
    /// Gradients of all data for each member, and for the MAP before them.
    pub epochs: f64,
    pub map_epochs: f64,
    /// The scale s, if it was chosen.
    pub scale: Option<f64>,
    pub accuracy: f64,
    /// Mean over test rows of the negative log likelihood.
    pub nll: f64,
    /// Mean of the squared errors, summed over classes.
    pub brier: f64,
    pub calibration_error: f64,
    /// Accuracy and NLL over all rows of known classes, including the meta-classifier's.
    pub of_all_known: [f64; 2],
    /// `1 / Σ w²` over the members' weights.
    pub effective_members: f64,
    /// Mean epistemic entropy of rightly classified test rows, of wrongly classified ones (0 without any), and of each set out of
    /// distribution.
    pub epistemic: Vec<f64>,
    /// The same of the total entropy.
    pub total: Vec<f64>,
    /// Confidence, accuracy and its standard error in the bins that are not empty.
    pub reliability: Vec<[f64; 3]>,
    /// Detection of wrong predictions by a logistic regression and by a network.
    pub detection: [Detection; 2],
}

/// The scores for each number of members.
pub fn scores(task: &Task, members: &Members, detectors: &Detectors) -> Result<Vec<Scores>, Error> {
    let values = probabilities(task, &members.draws);
    let size = values.len() / members.draws.len();
    let mut all = Vec::new();
    for shares in &members.shares {
        let some = values[..size * shares.weights.len()].to_vec();
        let p = ClassProbabilities::weighted(some, task.net.outputs(), shares.weights.clone())?;
        let scores = of(task, members, &p, detectors)?;
        all.push(Scores {
            is_equal: shares.is_equal,
            ..scores
        });
    }
    Ok(all)
}

/// The probabilities by all members for all predicted rows, `[members, rows, classes]`.
pub fn probabilities(task: &Task, draws: &[Vec<f64>]) -> Vec<f64> {
    let inputs = &task.predicted.inputs;
    let draws: Vec<&[f64]> = draws.iter().map(Vec::as_slice).collect();
    let mut values = Vec::with_capacity(draws.len() * inputs.nrows() * task.net.outputs());
    // eight members at a time, so that their scores need not stay in memory
    for block in draws.chunks(8) {
        for scores in task.net.predict(inputs, block) {
            // row by row
            values.extend(softmax(&scores).transpose().iter());
        }
    }
    values
}

fn of(
    task: &Task,
    members: &Members,
    all: &ClassProbabilities,
    detectors: &Detectors,
) -> Result<Scores, Error> {
    let predicted = &task.predicted;
    let known: Vec<usize> = predicted.labels.iter().flatten().copied().collect();
    let of_known = rows(all, 0..known.len())?;
    let test = rows(all, predicted.test.clone())?;
    let labels = &known[predicted.test.clone()];
    let reliability = metrics::reliability(&test, labels, Bins::equal_width(15))?;
    let bins = reliability.bins.iter().filter(|bin| bin.count > 0);
    let found = all.mean().most_probable();
    let pairs = predicted.labels.iter().zip(found);
    let wrong: Vec<bool> = pairs.map(|(label, found)| *label != Some(found)).collect();
    let entropies = metrics::entropies(all);
    let squares: f64 = all.weights().iter().map(|w| w * w).sum();
    Ok(Scores {
        members: all.members(),
        is_equal: false,
        epochs: members.epochs,
        map_epochs: members.map_epochs,
        scale: members.scale,
        accuracy: metrics::accuracy(&test, labels)?.value,
        nll: metrics::nll(&test, labels)?.value,
        brier: metrics::brier(&test, labels)?.value,
        calibration_error: reliability.calibration_error.value,
        of_all_known: [
            metrics::accuracy(&of_known, &known)?.value,
            metrics::nll(&of_known, &known)?.value,
        ],
        effective_members: 1.0 / squares,
        epistemic: by_group(task, &wrong, &entropies.epistemic),
        total: by_group(task, &wrong, &entropies.total),
        reliability: bins
            .map(|b| [b.confidence, b.accuracy, b.accuracy_se])
            .collect(),
        detection: detectors.detect(all, &wrong, &predicted.meta)?,
    })
}

/// Means of a figure over predicted rows: over right test rows, wrong test rows (0 without any), and each set out of distribution.
fn by_group(task: &Task, wrong: &[bool], figure: &[f64]) -> Vec<f64> {
    let predicted = &task.predicted;
    let mean = |rows: Vec<usize>| {
        let sum: f64 = rows.iter().map(|i| figure[*i]).sum();
        sum / rows.len().max(1) as f64
    };
    let test = |is_wrong| {
        let rows = predicted.test.clone().filter(|i| wrong[*i] == is_wrong);
        mean(rows.collect())
    };
    let strange = predicted.strange.iter();
    let strange = strange.map(|(_, rows)| mean(rows.clone().collect()));
    [test(false), test(true)]
        .into_iter()
        .chain(strange)
        .collect()
}

/// The probabilities of some rows.
fn rows(
    all: &ClassProbabilities,
    rows: std::ops::Range<usize>,
) -> Result<ClassProbabilities, Error> {
    let classes = all.classes();
    let mut values = Vec::with_capacity(all.members() * rows.len() * classes);
    for member in 0..all.members() {
        values.extend(&all.member(member)[rows.start * classes..rows.end * classes]);
    }
    Ok(ClassProbabilities::weighted(
        values,
        classes,
        all.weights().to_vec(),
    )?)
}
