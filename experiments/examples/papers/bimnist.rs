//! Zeros and ones of MNIST by a convolutional network, judged by its predictions for other digits ("SMC Is All You Need", table 4, figures 15 and
//! 16).
//!
//! The paper gives the kernels, 5 x 5, the channels and the numbers of coefficients, 1177 and 3587, but not the pooling. Only max pooling
//! of 2 x 2 pixels after each convolution gives these numbers.

use crate::Lab;
use crate::nodes::mean_of;
use crate::statistics::divergence;
use crate::trial::finished;
use bayes::autodiff::Value;
use bayes::density::{Block, LogDensity, Posterior};
use bayes::nalgebra::DVector;
use bayes::nn::{Conv2d, Dense, MaxPool, Precision, Relu, Sequential, WeightPrior};
use bayes::prelude::*;
use bayes_experiments::cells::Cell;
use bayes_experiments::mnist::Digits;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

const CLASSES: usize = 2;
/// Number of predicted digits.
pub const NEW: usize = 100;

/// Weights from N(0, I).
#[model]
fn zero_or_one(net: &Sequential, x: &DMatrix<f64>, label: &[usize]) {
    let theta = sample(net.prior());
    observe(label, CategoricalLogit::new(net.forward(x, &theta)));
}

/// The size of the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Size {
    /// Channels of both convolutions.
    pub channels: usize,
    /// Training digits.
    pub rows: usize,
}

/// The posterior, and the digits to predict.
pub struct BiMnist {
    net: &'static Sequential,
    posterior: Posterior<'static>,
    /// `[100, 784]`.
    new: DMatrix<f64>,
    truth: OnceLock<Vec<f64>>,
}

/// Long chains; their predictions serve as the truth.
#[derive(Serialize)]
struct Long {
    size: Size,
    seed: u64,
    burn_in: usize,
    draws: usize,
}

/// Number of leapfrog steps of a draw of the long chains.
const LONG: usize = 64;

/// Finds the predictions of the posterior by 16 chains of HMC with tuned steps, and prints the distance between the predictions of the
/// two halves.
pub fn find_truth(lab: &Lab, size: Size) {
    let problem = BiMnist::of(size);
    let (burn_in, draws) = (lab.options.size(300, 10), lab.options.size(700, 10));
    let cells = [1, 2].map(|seed| Cell {
        name: format!("bimnist-{}-truth-{seed}", problem.dim()),
        settings: Long {
            size,
            seed,
            burn_in,
            draws,
        },
    });
    let halves: Vec<Vec<f64>> = lab.cells.run(&cells, |long| problem.mean_prediction(long));
    let apart = divergence(&halves[0], &halves[1], NEW);
    lab.say(&format!(
        "{} weights: the predictions of two sets of eight chains have a divergence of {apart:.1e}",
        problem.dim()
    ));
    let pairs = halves[0].iter().zip(&halves[1]);
    let truth = pairs.map(|(a, b)| 0.5 * (a + b)).collect();
    problem.truth.get_or_init(|| truth);
}

fn network(channels: usize) -> Sequential {
    let prior = WeightPrior::Separate {
        weight_sd: 1.0,
        bias_sd: 1.0,
    };
    let layers = Sequential::image(1, 28, 28)
        .layer(Conv2d::new(1, channels, 5))
        .layer(Relu)
        .layer(MaxPool::new(2))
        .layer(Conv2d::new(channels, channels, 5))
        .layer(Relu)
        .layer(MaxPool::new(2))
        .layer(Dense::new(16 * channels, 5))
        .layer(Relu)
        .layer(Dense::new(5, CLASSES));
    let layers = layers.precision(Precision::Single).prior(prior);
    layers.build().expect("these layers fit")
}

/// The first zeros and ones of a part of the shipped digits.
fn zeros_and_ones(part: &str, count: usize) -> (DMatrix<f64>, Vec<usize>) {
    let digits = Digits::read(None, part);
    let places = (0..digits.labels.len()).filter(|i| digits.labels[*i] < CLASSES);
    let places: Vec<usize> = places.take(count).collect();
    let labels = places.iter().map(|i| digits.labels[*i]).collect();
    (digits.images(&places), labels)
}

impl BiMnist {
    /// The problem of this size, made only once.
    pub fn of(size: Size) -> &'static Self {
        static ALL: Mutex<BTreeMap<Size, &'static BiMnist>> = Mutex::new(BTreeMap::new());
        let mut all = ALL.lock().expect("no problem panics");
        all.entry(size)
            .or_insert_with(|| Box::leak(Box::new(Self::new(size))))
    }

    fn new(size: Size) -> Self {
        // the model borrows its data, and the problem lives until the program ends
        let net: &'static Sequential = Box::leak(Box::new(network(size.channels)));
        let data: &'static _ = Box::leak(Box::new(zeros_and_ones("train", size.rows)));
        let model: &'static _ = Box::leak(Box::new(zero_or_one(net, &data.0, &data.1)));
        let posterior = Posterior::new(model, 1);
        Self {
            net,
            posterior: posterior
                .unwrap_or_else(|error| bayes_experiments::common::fail(&error.to_string())),
            new: zeros_and_ones("t10k", NEW).0,
            truth: OnceLock::new(),
        }
    }

    pub fn dim(&self) -> usize {
        self.net.parameters()
    }

    /// Fills the log densities; with `weights` also the gradients.
    pub fn fill(&self, block: &mut Block<'_>, weights: Option<[f64; 2]>) {
        match weights {
            None => self.posterior.evaluate(block),
            Some(weights) => self.posterior.evaluate_gradient(weights, block),
        }
    }

    /// The predictions of the posterior, once [`find_truth`] has found them.
    pub fn truth(&self) -> &[f64] {
        self.truth.get().expect("the truth comes first")
    }

    /// The probabilities of the classes of the other digits, `[2, 100]`, class by class.
    pub fn predict(&self, coefficients: &[f64]) -> Vec<f64> {
        let weights = Vector::<Value>::constant(coefficients);
        let scores = self.net.forward(&self.new, &weights).matrix();
        let log_odds = DVector::from_fn(NEW, |i, _| scores[(i, 1)].0 - scores[(i, 0)].0);
        let ones = log_odds.map(|odds| 1.0 / (1.0 + (-odds).exp()));
        let zeros = log_odds.map(|odds| 1.0 / (1.0 + odds.exp()));
        zeros.iter().chain(ones.iter()).copied().collect()
    }

    fn mean_prediction(&self, long: &Long) -> Vec<f64> {
        let kernel = Hmc::new().leapfrog_steps(LONG);
        let chains = Inference::hmc().kernel(kernel).chains(8).seed(long.seed);
        let chains = chains.burn_in(long.burn_in).draws(long.draws);
        let run = finished(chains.progress(false).run_on(&self.posterior));
        mean_of(&run.groups, self.dim(), |draw| self.predict(draw).into())
    }
}
