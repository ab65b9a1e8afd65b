//! Accuracy and uncertainty of classification by weighted draws of a network's weights.

use bayes::Run;
use bayes::nn::Sequential;
use nalgebra::DMatrix;
use serde_json::{Value, json};

/// Means over the test rows; logarithms are in nats.
#[derive(Clone, Copy, Debug)]
pub struct Scores {
    /// Share of rows whose most probable class is the right one.
    pub accuracy: f64,
    /// `-ln p(label)` under the mean of the draws' probabilities.
    pub negative_log_likelihood: f64,
    /// Entropy of the mean probabilities: the total uncertainty.
    pub total_entropy: f64,
    /// The total entropy minus the mean entropy of the draws: the uncertainty about the weights.
    pub epistemic_entropy: f64,
}

/// The predictions of weighted draws for some rows.
pub struct Prediction {
    /// The mean of the draws' probabilities, `[rows, classes]`.
    pub probabilities: DMatrix<f64>,
    /// The mean entropy of the draws' own probabilities.
    pub entropy_of_draws: f64,
}

impl Prediction {
    /// The prediction of the draws of `weights` in `run` for `inputs`.
    ///
    /// # Panics
    /// If the run has no such weights.
    pub fn of(run: &Run, weights: &str, net: &Sequential, inputs: &DMatrix<f64>) -> Self {
        let draws = run.draws(weights).expect("the model has these weights");
        let mut found = Self {
            probabilities: DMatrix::zeros(inputs.nrows(), net.outputs()),
            entropy_of_draws: 0.0,
        };
        let rows: Vec<&[f64]> = draws.rows().collect();
        for (block, shares) in rows.chunks(8).zip(draws.weights.chunks(8)) {
            for (logits, share) in net.predict(inputs, block).iter().zip(shares) {
                let probability = softmax(logits);
                found.entropy_of_draws += share * mean_entropy(&probability);
                found.probabilities += *share * probability;
            }
        }
        found
    }

    /// The scores for the classes `labels` of the rows.
    pub fn scores(&self, labels: &[usize]) -> Scores {
        let mean = &self.probabilities;
        let total_entropy = mean_entropy(mean);
        let count = labels.len() as f64;
        let right = (0..labels.len()).filter(|i| mean.row(*i).transpose().imax() == labels[*i]);
        let accuracy = right.count() as f64 / count;
        let log_score: f64 = labels
            .iter()
            .enumerate()
            .map(|(i, k)| mean[(i, *k)].ln())
            .sum();
        Scores {
            accuracy,
            negative_log_likelihood: -log_score / count,
            total_entropy,
            epistemic_entropy: total_entropy - self.entropy_of_draws,
        }
    }
}

impl Scores {
    /// The scores of the draws of `weights` in `run` for `inputs` with their `labels`.
    pub fn of(
        run: &Run,
        weights: &str,
        net: &Sequential,
        inputs: &DMatrix<f64>,
        labels: &[usize],
    ) -> Self {
        Prediction::of(run, weights, net, inputs).scores(labels)
    }

    /// The scores in words.
    pub fn line(&self, name: &str, rows: usize) -> String {
        format!(
            "{name} on {rows} test rows: accuracy {:.4}, NLL {:.4}, total entropy {:.4}, epistemic entropy {:.4}",
            self.accuracy, self.negative_log_likelihood, self.total_entropy, self.epistemic_entropy
        )
    }

    /// The scores as JSON.
    pub fn json(&self) -> Value {
        json!({
            "accuracy": self.accuracy,
            "negative_log_likelihood": self.negative_log_likelihood,
            "total_entropy": self.total_entropy,
            "epistemic_entropy": self.epistemic_entropy,
        })
    }
}

/// Class probabilities, `[rows, classes]`.
pub fn softmax(logits: &DMatrix<f64>) -> DMatrix<f64> {
    let mut probability = logits.clone();
    for mut row in probability.row_iter_mut() {
        let largest = row.max();
        row.apply(|x| *x = (*x - largest).exp());
        let total = row.sum();
        row /= total;
    }
    probability
}

/// The mean entropy of the rows.
fn mean_entropy(probability: &DMatrix<f64>) -> f64 {
    let terms = probability
        .iter()
        .filter(|p| **p > 0.0)
        .map(|p| -p * p.ln());
    terms.sum::<f64>() / probability.nrows() as f64
}
