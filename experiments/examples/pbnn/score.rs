//! The scores of predictions, of each particle and of all together.

use crate::learn::{Found, Learner, Method};
use crate::models::{classification, regression};
use crate::task::{Effort, Targets, Task};
use bayes::autodiff::Value;
use bayes::prelude::*;

/// Bins of the calibration error.
const BINS: usize = 15;

/// Scores on the test rows. Regression: NLPD, RMSE of particles and of their mean. Classification: NLPD, ECE and accuracy of particles,
/// then ECE and accuracy of the mean probabilities.
pub type Scores = Vec<f64>;

/// Trains by a method, and scores it.
pub fn scores(task: &Task, method: Method, effort: Effort) -> Result<Scores, bayes::Error> {
    let (train, validation) = (&task.train, &task.validation);
    let found = match (&train.targets, &validation.targets) {
        (Targets::Numbers(y, _), Targets::Numbers(held_out, _)) => Learner {
            train: &regression(&task.net, &train.x, y),
            narrow: &regression(&task.narrow, &train.x, y),
            validation: &regression(&task.net, &validation.x, held_out),
            minibatch: task.minibatch,
            rate: task.rate,
            effort,
        }
        .learn(method)?,
        (Targets::Classes(label), Targets::Classes(held_out)) => Learner {
            train: &classification(&task.net, &train.x, label),
            narrow: &classification(&task.narrow, &train.x, label),
            validation: &classification(&task.net, &validation.x, held_out),
            minibatch: task.minibatch,
            rate: task.rate,
            effort,
        }
        .learn(method)?,
        _ => unreachable!("all rows of a task are of one kind"),
    };
    let predictions = predictions(task, &found)?;
    Ok(match &task.test.targets {
        Targets::Numbers(y, truth) => of_numbers(&predictions, y, truth),
        Targets::Classes(label) => of_classes(&predictions, label),
    })
}

/// The outputs on the test rows, `[rows, outputs]`, of each particle with its weight.
fn predictions(task: &Task, found: &Found) -> Result<Vec<(f64, DMatrix<f64>)>, bayes::Error> {
    let draws = found.particles.draws("phi")?;
    let psi = Vector::<Value>::constant(&found.psi);
    let weights = |phi: &[f64]| -> Vec<f64> {
        let all = task.net.weights(&Vector::<Value>::constant(phi), &psi);
        all.elements().iter().map(|weight| weight.0).collect()
    };
    let mut predictions = Vec::with_capacity(draws.weights.len());
    let rows: Vec<&[f64]> = draws.rows().collect();
    for (some, shares) in rows.chunks(8).zip(draws.weights.chunks(8)) {
        let some: Vec<Vec<f64>> = some.iter().map(|phi| weights(phi)).collect();
        let some: Vec<&[f64]> = some.iter().map(Vec::as_slice).collect();
        let outputs = task.net.net().predict(&task.test.x, &some);
        predictions.extend(shares.iter().copied().zip(outputs));
    }
    Ok(predictions)
}

/// The standard normal density.
fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt()
}

fn of_numbers(predictions: &[(f64, DMatrix<f64>)], y: &[f64], truth: &[f64]) -> Scores {
    let rows = y.len() as f64;
    let error = |f: &[f64]| {
        let squares = f.iter().zip(truth).map(|(f, y)| (f - y).powi(2));
        (squares.sum::<f64>() / rows).sqrt()
    };
    let (mut densities, mut mean, mut rmse) = (vec![0.0; y.len()], vec![0.0; y.len()], 0.0);
    for (share, outputs) in predictions {
        rmse += share * error(outputs.as_slice());
        for (i, f) in outputs.iter().enumerate() {
            densities[i] += share * density(y[i] - f);
            mean[i] += share * f;
        }
    }
    let nlpd = -densities.iter().map(|p| p.ln()).sum::<f64>() / rows;
    vec![nlpd, rmse, error(&mean)]
}

fn of_classes(predictions: &[(f64, DMatrix<f64>)], label: &[usize]) -> Scores {
    let first = &predictions[0].1;
    let mut mean = DMatrix::zeros(first.nrows(), first.ncols());
    let (mut ece, mut accuracy) = (0.0, 0.0);
    for (share, outputs) in predictions {
        let p = softmax(outputs);
        let [of_calibration, of_accuracy] = calibration(&p, label);
        ece += share * of_calibration;
        accuracy += share * of_accuracy;
        mean += *share * p;
    }
    let terms = label.iter().enumerate().map(|(i, k)| mean[(i, *k)].ln());
    let nlpd = -terms.sum::<f64>() / label.len() as f64;
    let [ece_of_mean, accuracy_of_mean] = calibration(&mean, label);
    vec![nlpd, ece, accuracy, ece_of_mean, accuracy_of_mean]
}

/// Class probabilities, `[rows, classes]`.
fn softmax(outputs: &DMatrix<f64>) -> DMatrix<f64> {
    let mut p = outputs.clone();
    for mut row in p.row_iter_mut() {
        let largest = row.max();
        row.apply(|x| *x = (*x - largest).exp());
        let total = row.sum();
        row /= total;
    }
    p
}

/// The expected calibration error with [`BINS`] bins of equal width, and the accuracy.
fn calibration(p: &DMatrix<f64>, label: &[usize]) -> [f64; 2] {
    // number, sum of confidences, number of right ones
    let mut bins = [[0.0; 3]; BINS];
    for (row, label) in p.row_iter().zip(label) {
        let (class, confidence) = row.transpose().argmax();
        let bin = ((confidence * BINS as f64) as usize).min(BINS - 1);
        let right = f64::from(u8::from(class == *label));
        let seen = [1.0, confidence, right];
        bins[bin].iter_mut().zip(seen).for_each(|(b, x)| *b += x);
    }
    let rows = label.len() as f64;
    let gaps = bins
        .iter()
        .map(|[_, confidence, right]| (confidence - right).abs());
    let right: f64 = bins.iter().map(|bin| bin[2]).sum();
    [gaps.sum::<f64>() / rows, right / rows]
}
