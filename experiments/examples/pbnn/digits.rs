//! Table 4 of the paper: handwritten digits by a convolutional network with a posterior of its first convolution.
//!
//! The paper trains on 50,000 digits in ten epochs with 1000 particles on a graphics card. The default here is a few hundred digits and
//! fewer particles; `--data DIR --rows 50000 --particles 1000 --epochs 10` is the paper's size.

use crate::Lab;
use crate::learn::Method;
use crate::table::{self, OF_CLASSES, Study};
use crate::task::{Points, Targets, Task, narrow, partial};
use bayes::nn::{AveragePool, Builder, Conv2d, Dense, Partial, Precision, Relu, Sequential};
use bayes_experiments::common::fail;
use bayes_experiments::mnist::Digits;
use serde_json::Value;

/// Number of rows for the validation loss.
const VALIDATION: usize = 50;

/// 32 and 64 channels of 3 x 3 pixels, 256 hidden units; the 320 weights of the first convolution are sampled.
pub fn network() -> Partial {
    partial(layers(), 0)
}

fn layers() -> Builder {
    Sequential::image(1, 28, 28)
        .layer(Conv2d::new(1, 32, 3).padding(1))
        .layer(Relu)
        .layer(AveragePool::new(2))
        .layer(Conv2d::new(32, 64, 3).padding(1))
        .layer(Relu)
        .layer(AveragePool::new(2))
        .layer(Dense::new(64 * 49, 256))
        .layer(Relu)
        .layer(Dense::new(256, 10))
        .precision(Precision::Single)
}

/// Some rows of a part of MNIST.
pub fn points(lab: &Lab, part: &str, places: std::ops::Range<usize>) -> Points {
    let digits = Digits::read(lab.data.as_deref(), part);
    let available = digits.labels.len();
    if places.end > available {
        fail(&format!(
            "{} digits are needed, but there are {available} in the part `{part}`; `--data DIR` reads the full set",
            places.end
        ));
    }
    let places: Vec<usize> = places.collect();
    Points {
        x: digits.images(&places),
        targets: Targets::Classes(places.iter().map(|i| digits.labels[*i]).collect()),
    }
}

pub fn run(lab: &Lab) -> Value {
    let rows = lab.size("--rows", &lab.rows, 500, 20);
    let test = lab
        .options
        .size(if lab.data.is_some() { 10_000 } else { 1000 }, 40);
    let methods = lab.methods(match lab.options.quick {
        true => &[Method::Ohsmc],
        false => &[Method::Ohsmc, Method::Swag, Method::Variational],
    });
    let published = |method: Method| {
        let text = match method {
            Method::Ohsmc => ".029 (.002)  .0035 (.0006)  .990 (.001)",
            Method::Swag => ".043 (.008)  .0117 (.0043)  .978 (.007)",
            Method::Variational => ".045 (.003)  .0044 (.0008)  .985 (.001)",
            _ => "",
        };
        text.to_owned()
    };
    let study = Study {
        name: "mnist",
        methods: &methods,
        scores: &OF_CLASSES,
        published: &published,
        repeats: lab.size("--repeats", &lab.repeats, 1, 1),
        particles: lab.size("--particles", &lab.particles, 16, 8),
        epochs: lab.size("--epochs", &lab.epochs, 4, 1),
    };
    let quick = lab.options.quick;
    let found = table::run(lab, &study, |_| Task {
        narrow: narrow(layers(), 0),
        net: network(),
        train: points(lab, "train", 0..rows),
        validation: points(
            lab,
            "train",
            rows..rows + if quick { 4 } else { VALIDATION },
        ),
        test: points(lab, "t10k", 0..test),
        minibatch: if quick { 10 } else { 100 },
        rate: 0.002,
    });
    // guessing has ln 10; the two steps of the quick mode only show that the code runs
    let worst = if quick { 20.0 } else { 10f64.ln() };
    table::require_nlpd(&found, 0.0..worst);
    found
}
