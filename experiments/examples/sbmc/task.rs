//! A problem of classification, and the data on which its predictions are scored.

use bayes::nn::Sequential;
use bayes::prelude::*;
use serde_json::{Value, json};
use std::ops::Range;

/// A Bayesian classifier: a network with a Gaussian prior of its weights. It classifies inputs, and tells which predictions are wrong.
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
    /// Most members of the deep ensemble, which takes longest where the data are large.
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

/// Where the MAP starts.
#[derive(Clone, Copy, Debug)]
pub enum Start {
    /// At the likeliest of ten draws from the prior.
    Prior,
    /// The same of a prior with variance 2 / fan-in.
    Kaiming,
}

/// When the optimiser of the MAP stops.
#[derive(Clone, Copy, Debug)]
pub enum Stop {
    /// By the validation rows, with the last weights.
    Last,
    /// The same, with those of the lowest validation loss.
    Best,
    /// After so many epochs, fewer for a quick check, without validation.
    After(usize),
}

/// A data set with a network for it.
pub struct Task {
    pub name: &'static str,
    pub net: Sequential,
    pub settings: Settings,
    /// All rows on which the samplers run; the optimiser has the first of them, and stops by the others.
    pub data: Labelled,
    /// Number of rows of the optimiser.
    pub training: usize,
    pub predicted: Predicted,
}

/// What is predicted: rows of the classes that the network knows, and then those of sets that it does not know.
pub struct Predicted {
    /// `[rows, features]`.
    pub inputs: DMatrix<f64>,
    /// The classes; none out of distribution.
    pub labels: Vec<Option<usize>>,
    /// The rows by which accuracy and the like are measured.
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
    /// Rows by which its entropy is measured; those of the meta-classifier follow.
    pub measured: usize,
}

impl Predicted {
    /// Of labelled rows, `test` of which come first, and sets out of distribution. The meta-classifier takes `known[k]` more labelled
    /// rows and a share `known[k] / sum(known)` of the remaining rows of each set, for each of its three parts.
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

/// Deals consecutive rows to the three parts, in proportion to `shares`.
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
    /// The rows of the optimiser, and those by which it stops.
    pub fn split(&self) -> [Labelled; 2] {
        let all = self.data.labels.len();
        [0..self.training, self.training..all].map(|rows| self.data.part(rows))
    }

    /// What a cell's result depends on besides its method.
    pub fn describe(&self) -> Value {
        json!({
            "rows": self.data.labels.len(),
            "training": self.training,
            "predicted": self.predicted.labels.len(),
            "test": self.predicted.test.len(),
        })
    }
}
