//! MNIST7: the digits 0 to 7, and as unknown inputs the digits 8 and 9, white noise and noisy digits.

use crate::task::{Labelled, Predicted, Settings, Start, Stop, Strange, Task};
use bayes::nn::{Sequential, WeightPrior};
use bayes::prelude::*;
use bayes::rng::{RngExt, Stream, stream};
use bayes_experiments::common::fail;
use bayes_experiments::mnist::{self, Digits, PIXELS};

/// Number of classes.
const CLASSES: usize = 8;
/// v, the prior variance of a weight.
const VARIANCE: f64 = 0.1;
/// Standard deviation of the noise on a pixel of the noisy digits; the paper's value is unknown.
const NOISE: f64 = 0.5;

/// Numbers of rows.
struct Sizes {
    training: usize,
    validation: usize,
    test: usize,
    /// Rows of each set of unknown inputs, to measure entropies.
    strange: usize,
    /// Known rows of the meta-classifier; there are as many unknown ones.
    meta: [usize; 3],
}

/// The paper's sizes, as far as they are given.
const FULL: Sizes = Sizes {
    training: 1000,
    validation: 200,
    test: 1000,
    strange: 500,
    meta: [2000, 1000, 2000],
};

/// Sizes for the first thousand digits of each part of MNIST.
const SHIPPED: Sizes = Sizes {
    training: 600,
    validation: 120,
    test: 400,
    strange: 80,
    meta: [200, 60, 80],
};

/// Sizes of a quick check.
const QUICK: Sizes = Sizes {
    training: 200,
    validation: 40,
    test: 200,
    strange: 40,
    ..SHIPPED
};

/// The paper's network: 6320 weights, each with this prior variance.
pub fn network(variance: f64) -> Sequential {
    let sd = variance.sqrt();
    with_prior(WeightPrior::Separate {
        weight_sd: sd,
        bias_sd: sd,
    })
}

/// The same with another prior.
pub fn with_prior(prior: WeightPrior) -> Sequential {
    mnist::network(CLASSES, prior)
}

/// Standardises all pixels, including the unknown inputs.
pub fn standardise(task: &mut Task) {
    mnist::standardise(&mut task.data.inputs);
    mnist::standardise(&mut task.predicted.inputs);
}

/// The task, with the digits of a folder or the shipped ones.
pub fn task(folder: Option<&str>, is_quick: bool, seed: u64) -> Task {
    let [train, test] = ["train", "t10k"].map(|part| Digits::read(folder, part));
    let sizes = match (is_quick, folder) {
        (true, _) => QUICK,
        (_, Some(_)) => FULL,
        (_, None) => SHIPPED,
    };
    let asked = sizes.test + sizes.meta.iter().sum::<usize>();
    let known = first(&test, asked, |label| label < CLASSES);
    let sets = strange([&train, &test], &known, &sizes, &mut stream(seed));
    Task {
        name: "mnist",
        net: network(VARIANCE),
        settings: Settings {
            batch: 64,
            most_in_ensemble: 80,
            moves: 10,
            steps: 160,
            scales: vec![0.03, 0.1, 0.3, 1.0],
            start: Start::Prior,
            stop: Stop::Last,
        },
        data: first(&train, sizes.training + sizes.validation, |label| {
            label < CLASSES
        }),
        training: sizes.training,
        predicted: Predicted::new(&known, sizes.test, sizes.meta, &sets),
    }
}

/// The first `count` digits for which `is_chosen` holds.
fn first(digits: &Digits, count: usize, is_chosen: impl Fn(usize) -> bool) -> Labelled {
    let places = (0..digits.labels.len()).filter(|i| is_chosen(digits.labels[*i]));
    let places: Vec<usize> = places.take(count).collect();
    if places.len() < count {
        fail(&format!(
            "{} digits are needed of a kind of which there are {}",
            count,
            places.len()
        ));
    }
    Labelled {
        inputs: digits.images(&places),
        labels: places.iter().map(|i| digits.labels[*i]).collect(),
    }
}

/// The sets of unknown inputs. The rows for entropies come from the test digits, the rows for the meta-classifier from the training
/// digits, because there are more of them.
fn strange(
    [train, test]: [&Digits; 2],
    known: &Labelled,
    sizes: &Sizes,
    stream: &mut Stream,
) -> Vec<Strange> {
    let (measured, more) = (sizes.strange, sizes.meta.iter().sum::<usize>() / 4);
    let digit = |name, digit| {
        let measured_rows = first(test, measured, |label| label == digit).inputs;
        let more_rows = first(train, more, |label| label == digit).inputs;
        let (rows, width) = (measured + more, PIXELS);
        let mut inputs = DMatrix::zeros(rows, width);
        inputs.rows_mut(0, measured).copy_from(&measured_rows);
        inputs.rows_mut(measured, more).copy_from(&more_rows);
        Strange {
            name,
            inputs,
            measured,
        }
    };
    let [eights, nines] = [digit("digit 8", 8), digit("digit 9", 9)];
    let rows = measured + more;
    let noise = DMatrix::from_fn(rows, PIXELS, |_, _| stream.random());
    let perturbed = DMatrix::from_fn(rows, PIXELS, |i, k| {
        known.inputs[(i, k)] + NOISE * Normal::new(0.0, 1.0).draw_one(stream)
    });
    let of = |name, inputs| Strange {
        name,
        inputs,
        measured,
    };
    vec![
        eights,
        nines,
        of("white noise", noise),
        of("perturbed", perturbed),
    ]
}
