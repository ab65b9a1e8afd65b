//! The data sets of the comparison, or other embeddings of them, and its networks (appendix D.4).

use super::Choices;
use bayes::nn::{Dense, Precision, Relu, Sequential, WeightPrior};
use bayes::prelude::*;
use bayes_experiments::common::number;
use bayes_experiments::frozen::{CIFAR, Files, IMDB};
use bayes_experiments::mnist::{self, Digits};
use serde::Serialize;
use std::path::Path;

/// The digits 0 to 9.
pub const DIGITS: usize = 10;

/// A Bayesian classifier.
#[model]
pub fn classifier(net: &Sequential, x: &DMatrix<f64>, labels: &[usize]) {
    let theta = sample(net.prior());
    observe(labels, CategoricalLogit::new(net.forward(x, &theta)));
}

/// The subject of classification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Subject {
    /// MNIST: 1000 digits to train and 1000 to test.
    Digits,
    /// IMDb: embeddings of film reviews.
    Reviews,
    /// CIFAR-10: embeddings of photographs.
    Photographs,
}

/// Inputs `[rows, elements]` and their classes.
pub struct Rows {
    pub x: DMatrix<f64>,
    pub labels: Vec<usize>,
}

/// A network with data to train and to test.
pub struct Data {
    pub net: Sequential,
    pub train: Rows,
    pub test: Rows,
    /// Whether the rows are made-up points, for the quick mode without data.
    pub made_up: bool,
}

impl Subject {
    /// The data, by the choices of the command line; `None` if they need a folder and none was given.
    pub fn read(self, choices: &Choices, quick: bool) -> Option<Data> {
        let limit = choices.rows.clone();
        let limit = limit.map(|text| number::<usize>("--rows", Some(text), 0));
        let folder = choices.data.as_deref();
        let made_up = self.files().is_some() && folder.is_none();
        let (train, test) = match (self.files(), folder) {
            (None, _) => {
                let rows = limit.unwrap_or(if quick { 100 } else { 1000 });
                let test = if quick { 100 } else { 1000 };
                (digits(folder, "train", rows), digits(folder, "t10k", test))
            }
            (Some(files), Some(folder)) => {
                let read = |part, rows| {
                    let (x, labels) = files.labelled(Path::new(folder), part, rows);
                    Rows { x, labels }
                };
                (read("train", limit), read("test", None))
            }
            (Some(files), None) if quick => {
                let clouds = |first, rows| clouds([files.classes, MADE_UP_WIDTH], first, rows);
                (clouds(0, 30), clouds(30, 60))
            }
            (Some(_), None) => return None,
        };
        Some(Data {
            net: self.network(train.x.ncols()),
            train,
            test,
            made_up,
        })
    }

    /// The name of the subject's experiment.
    pub fn name(self) -> &'static str {
        match self {
            Self::Digits => "mnist",
            Self::Reviews => "imdb",
            Self::Photographs => "cifar",
        }
    }

    /// The data that the option `--data` must name.
    pub fn needs(self) -> &'static str {
        self.files().map_or("MNIST", |files| files.what)
    }

    fn files(self) -> Option<&'static Files> {
        match self {
            Self::Digits => None,
            Self::Reviews => Some(&IMDB),
            Self::Photographs => Some(&CIFAR),
        }
    }

    /// The network for inputs of this many numbers.
    fn network(self, width: usize) -> Sequential {
        let Some(files) = self.files() else {
            return mnist::network(DIGITS, WeightPrior::Kaiming);
        };
        let (weight_sd, bias_sd) = match self {
            Self::Photographs => (0.01, 0.001),
            _ => (0.1, 0.01),
        };
        let layers = Sequential::flat(width)
            .layer(Dense::new(width, 128))
            .layer(Relu)
            .layer(Dense::new(128, files.classes))
            .prior(WeightPrior::Separate { weight_sd, bias_sd });
        let net = layers.precision(Precision::Single).build();
        net.expect("these layers fit")
    }
}

/// The first digits of a part of MNIST.
fn digits(folder: Option<&str>, part: &str, rows: usize) -> Rows {
    let (x, labels) = Digits::first(folder, part, rows);
    Rows { x, labels }
}

/// The numbers of a made-up input.
const MADE_UP_WIDTH: usize = 64;

/// Points around one middle for each class.
fn clouds([classes, width]: [usize; 2], first: usize, rows: usize) -> Rows {
    let labels: Vec<usize> = (0..rows).map(|i| i % classes).collect();
    let x = DMatrix::from_fn(rows, width, |i, k| {
        let middle = if k % classes == labels[i] { 0.3 } else { 0.0 };
        // pseudo-random in (0, 1)
        let noise = (((i + first) * width + k) as f64 * 0.754_877_666).fract() * 1013.0;
        middle + 0.1 * noise.fract()
    });
    Rows { x, labels }
}
