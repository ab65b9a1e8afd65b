//! A network with data to train, to validate and to test.

use bayes::nn::{Builder, Partial, Sequential, WeightPrior};
use bayes::prelude::*;
use bayes::rng::{RngExt, Stream};

/// The target of predictions.
#[derive(Clone)]
pub enum Targets {
    /// Numbers, and the values that predictions are compared with: the numbers themselves, or the function without noise.
    Numbers(Vec<f64>, Vec<f64>),
    /// Classes, counted from 0.
    Classes(Vec<usize>),
}

/// Rows of data.
pub struct Points {
    /// `[rows, inputs]`.
    pub x: DMatrix<f64>,
    pub targets: Targets,
}

impl Points {
    pub fn rows(&self) -> usize {
        self.x.nrows()
    }

    /// Some of the rows, in this order.
    pub fn select(&self, rows: &[usize]) -> Self {
        let of = |values: &[f64]| rows.iter().map(|i| values[*i]).collect();
        Self {
            x: self.x.select_rows(rows),
            targets: match &self.targets {
                Targets::Numbers(y, truth) => Targets::Numbers(of(y), of(truth)),
                Targets::Classes(label) => {
                    Targets::Classes(rows.iter().map(|i| label[*i]).collect())
                }
            },
        }
    }
}

/// A network and its data.
pub struct Task {
    pub net: Partial,
    /// The search for the mode of all weights starts at its prior draws, because draws of the standard normal prior are too far out.
    pub narrow: Partial,
    pub train: Points,
    pub validation: Points,
    pub test: Points,
    pub minibatch: usize,
    /// The learning rate of Adam.
    pub rate: f64,
}

/// The numbers of epochs and particles.
#[derive(Clone, Copy)]
pub struct Effort {
    pub seed: u64,
    pub particles: usize,
    pub epochs: usize,
    pub quick: bool,
}

/// The network of a list of layers; the prior of the weights of layer `sampled` is standard normal.
pub fn partial(layers: Builder, sampled: usize) -> Partial {
    let prior = WeightPrior::Separate {
        weight_sd: 1.0,
        bias_sd: 1.0,
    };
    with_prior(layers, sampled, prior)
}

/// The same with a prior as narrow as the usual initialisation of networks (He et al. 2015).
pub fn narrow(layers: Builder, sampled: usize) -> Partial {
    with_prior(layers, sampled, WeightPrior::Kaiming)
}

fn with_prior(layers: Builder, sampled: usize, prior: WeightPrior) -> Partial {
    let net: Result<Sequential, _> = layers.prior(prior).build();
    let net = net.expect("these layers fit");
    net.partial(&[sampled]).expect("the network has this layer")
}

/// The numbers from 0 in random order (Fisher and Yates 1938).
pub fn shuffled(count: usize, stream: &mut Stream) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for i in (1..count).rev() {
        order.swap(i, stream.random_range(0..=i));
    }
    order
}
