//! Handwritten digits: a Bayesian convolutional network by parallel SMC.
//!
//! ```text
//! theta[k] ~ Normal(0, sqrt(2 / fan_in))    label[i] ~ Categorical(softmax(network(image[i], theta)))
//! ```
//!
//! The network has a convolution of four channels with 3 x 3 kernels, ReLU, max pooling of 2 x 2 and a linear layer to ten classes:
//! 7890 weights. It learns from 300 digits and is tested on 1000 others. The folder `data/mnist` beside this program has the first
//! 1000 of both parts of MNIST (LeCun, Cortes, Burges 1998); the whole files, compressed or not, may take their place.
//!
//! Networks need the feature `networks` of bayes: `cargo run --release --features networks --example mnist`, and
//! `bayes = { path = "..", features = ["networks"] }` in a project of your own.

use bayes::Error;
use bayes::data::Array;
use bayes::metrics::{self, Bins};
use bayes::nn::{Conv2d, Dense, MaxPool, Precision, Relu, Sequential, WeightPrior};
use bayes::prelude::*;

/// Images and labels to learn from.
const TRAIN: (&[u8], &[u8]) = (
    include_bytes!("data/mnist/train-images-idx3-ubyte.gz"),
    include_bytes!("data/mnist/train-labels-idx1-ubyte.gz"),
);

/// Images and labels to test on.
const TEST: (&[u8], &[u8]) = (
    include_bytes!("data/mnist/t10k-images-idx3-ubyte.gz"),
    include_bytes!("data/mnist/t10k-labels-idx1-ubyte.gz"),
);

/// A Bayesian classifier of images.
#[model]
fn digits(net: &Sequential, images: &DMatrix<f64>, labels: &[usize]) {
    let theta = sample(net.prior());
    observe(labels, CategoricalLogit::new(net.forward(images, &theta)));
}

fn main() -> Result<(), Error> {
    let net = Sequential::image(1, 28, 28)
        .layer(Conv2d::new(1, 4, 3).padding(1))
        .layer(Relu)
        .layer(MaxPool::new(2))
        .layer(Dense::new(784, 10))
        .prior(WeightPrior::Kaiming)
        .precision(Precision::Single)
        .build()?;

    let (images, labels) = read(TRAIN.0, TRAIN.1, 300)?;
    let run = Inference::psmc()
        .islands(2)
        .particles(8)
        .kernel(Hmc::new().integration_time(0.02).mass(Mass::Identity))
        .mutations(3)
        .seed(1)
        .run(&digits(&net, &images, &labels))?;
    let counts = run.counts();
    println!("{} gradients", counts.gradient_evaluations);
    for warning in run.warnings() {
        println!("warning: {warning}");
    }

    let (images, labels) = read(TEST.0, TEST.1, 1000)?;
    let prediction = run.predict(digits(&net, &images, &labels))?;
    let probabilities = prediction.probabilities("labels")?;
    let scores = metrics::classification(&probabilities, &labels, Bins::equal_width(10))?;
    println!("{} test digits\n{scores}", labels.len());
    // guessing has an accuracy of 0.1
    assert!(scores.accuracy.value > 0.5 && scores.nll.value < 10f64.ln());
    Ok(())
}

/// The first digits of two files of MNIST: images, `[rows, 784]` with pixels from 0 to 1, and labels.
fn read(images: &[u8], labels: &[u8], rows: usize) -> Result<(DMatrix<f64>, Vec<usize>), Error> {
    let pixels = Array::from_idx(images)?.reals()?;
    let labels = Array::from_idx(labels)?.indices()?;
    let images = DMatrix::from_row_slice(rows, 784, &pixels[..rows * 784]);
    Ok((images / 255.0, labels[..rows].to_vec()))
}
