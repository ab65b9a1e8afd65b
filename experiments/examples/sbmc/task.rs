//! A problem of classification, and the data on which its predictions are scored.

use bayes::nn::Sequential;
use bayes::prelude::*;
use serde_json::{Value, json};
use std::ops::Range;

/// A Bayesian classifier: a network with a Gaussian prior of its weights. It classifies inputs, and detects wrong predictions.
#[model]
pub fn classifier(net: &Sequential, #[rows] inputs: &DMatrix<f64>, #[rows] labels: &[usize]) {
    let theta = sample(net.prior());
    observe(labels, CategoricalLogit::new(net.forward(inputs, &theta)));
}

/// Inputs, `[rows, features]`, with their classes.
pub struct Labelled {
    pub inputs: DMatrix<f64>,
    pub labels: Vec<usize>,
}

impl Labelled {
    pub fn model<'a>(&'a self, net: &'a Sequential) -> classifier<'a, 'a, 'a> {
        classifier(net, &self.inputs, &self.labels)
    }

    /// The rows of this range.
    pub fn part(&self, rows: Range<usize>) -> Self {
        Self {
            inputs: self.inputs.rows(rows.start, rows.len()).into_owned(),
            labels: self.labels[rows].to_vec(),
        }
    }
}

/// The settings of the paper for a data set.
pub struct Settings {
    /// Rows of a minibatch of the optimiser.
    pub batch: usize,
    /// Largest number of members of the deep ensemble, which takes longest for large data.
    pub most_in_ensemble: usize,
    /// M, the moves at each temperature of SMC∥.
    pub moves: usize,
    /// B, the steps of a chain of HMC∥.
    pub steps: usize,
    /// Scales s of the anchored prior.
    pub scales: Vec<f64>,
    pub start: Start,
    pub stop: Stop,
}

/// The starting point of the MAP.
#[derive(Clone, Copy, Debug)]
pub enum Start {
    /// The likeliest of ten draws from the prior.
    Prior,
    /// The same with a prior of variance 2 / fan-in.
    Kaiming,
}

/// The stopping rule of the MAP's optimiser.
#[derive(Clone, Copy, Debug)]
pub enum Stop {
    /// Early stopping by the validation rows, with the last weights.
    Last,
    /// Early stopping, with the weights of the lowest validation loss.
    Best,
    /// After this number of epochs, fewer for a quick check, without validation.
    After(usize),
}

/// A data set with a network for it.
pub struct Task {
    pub name: &'static str,
    pub net: Sequential,
    pub settings: Settings,
    /// All rows of the samplers; the optimiser trains on the first ones, and stops by the others.
    pub data: Labelled,
    /// Number of rows of the optimiser.
    pub training: usize,
    pub predicted: Predicted,
}

/// The predicted rows: first rows of the classes that the network knows, then rows of sets that it does not know.
pub struct Predicted {
    /// `[rows, features]`.
    pub inputs: DMatrix<f64>,
    /// The classes; `None` out of distribution.
    pub labels: Vec<Option<usize>>,
    /// The rows for accuracy and similar scores.
    pub test: Range<usize>,
    /// The sets out of distribution by name.
    pub strange: Vec<(&'static str, Range<usize>)>,
    /// Rows of the meta-classifier: to train, to choose its threshold, to test.
    pub meta: [Vec<usize>; 3],
}

/// A set of inputs out of distribution.
pub struct Strange {
    pub name: &'static str,
    pub inputs: DMatrix<f64>,
    /// Number of rows for its entropy; the rows of the meta-classifier follow.
    pub measured: usize,
}

impl Predicted {
    /// Makes predicted rows from labelled rows, the first `test` for testing, and sets out of distribution. The meta-classifier takes
    /// `known[k]` more labelled rows and a share `known[k] / sum(known)` of the remaining rows of each set, for each of its three
    /// parts.
    pub fn new(known: &Labelled, test: usize, parts: [usize; 3], sets: &[Strange]) -> Self {
        let width = known.inputs.ncols();
        let rows = known.labels.len() + sets.iter().map(|set| set.inputs.nrows()).sum::<usize>();
        let mut inputs = DMatrix::zeros(rows, width);
        inputs
            .rows_mut(0, known.labels.len())
            .copy_from(&known.inputs);
        let mut labels: Vec<Option<usize>> =
            known.labels.iter().map(|label| Some(*label)).collect();
        let mut meta = [const { Vec::new() }; 3];
        deal(test..test + parts.iter().sum::<usize>(), parts, &mut meta);
        let mut strange = Vec::new();
        for set in sets {
            let (start, count) = (labels.len(), set.inputs.nrows());
            inputs.rows_mut(start, count).copy_from(&set.inputs);
            labels.resize(start + count, None);
            strange.push((set.name, start..start + set.measured));
            deal(start + set.measured..start + count, parts, &mut meta);
        }
        Self {
            inputs,
            labels,
            test: 0..test,
            strange,
            meta,
        }
    }
}

/// Assigns consecutive rows to the three parts, in proportion to `shares`.
fn deal(rows: Range<usize>, shares: [usize; 3], parts: &mut [Vec<usize>; 3]) {
    let total: usize = shares.iter().sum();
    let mut before = 0;
    for (part, share) in parts.iter_mut().zip(shares) {
        let [first, last] = [before, before + share].map(|n| rows.start + rows.len() * n / total);
        part.extend(first..last);
        before += share;
    }
}

impl Task {
    /// The rows of the optimiser, and the rows for early stopping.
    pub fn split(&self) -> [Labelled; 2] {
        let all = self.data.labels.len();
        [0..self.training, self.training..all].map(|rows| self.data.part(rows))
    }

    /// The settings that a cell's result depends on, besides its method.
    pub fn describe(&self) -> Value {
        json!({
            "rows": self.data.labels.len(),
            "training": self.training,
            "predicted": self.predicted.labels.len(),
            "test": self.predicted.test.len(),
        })
    }
}
