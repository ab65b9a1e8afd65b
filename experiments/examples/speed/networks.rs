//! Networks: full-batch values and gradients on one core.

use super::Context;
use super::block::Evaluation;
use super::clock::{Ratio, interleave};
use super::table::{Promise, Row};
use bayes::nn::{Conv2d, Dense, MaxPool, NetworkError, Precision, Relu, Sequential};
use bayes::prelude::*;
use std::hint::black_box;

/// Number of particles in a block: one for each lane.
const PARTICLES: usize = 8;

/// A network that classifies rows.
#[model]
fn classify(inputs: &DMatrix<f64>, labels: &[usize], net: &Sequential) {
    let theta = sample(net.prior());
    observe(labels, CategoricalLogit::new(net.forward(inputs, &theta)));
}

/// The answers.
pub fn rows(context: &Context) -> Vec<Row> {
    let single = convolutional(context, Precision::Single);
    let double = convolutional(context, Precision::Double);
    let rate = |seconds: f64| Ratio::of(vec![1.0 / seconds]);
    vec![
        Row::new(
            "CNN, 1000 images: values and gradients a second and core, f32",
            rate(single),
            Promise::AtLeast(150.0, 350.0),
            "full batch, blocks of 8 particles",
        ),
        Row::new(
            "CNN, 1000 images: values and gradients a second and core, f64",
            rate(double),
            Promise::AtLeast(150.0, 350.0),
            "",
        ),
        perceptron(context),
    ]
}

/// Seconds of a value and gradient of the network of "Comparison of parallel SMC and MCMC", appendix D.4.1.
fn convolutional(context: &Context, precision: Precision) -> f64 {
    let net = Sequential::image(1, 28, 28)
        .layer(Conv2d::new(1, 4, 3).padding(1))
        .layer(Relu)
        .layer(MaxPool::new(2))
        .layer(Dense::new(784, 10))
        .precision(precision)
        .build();
    let rows = 1000;
    let inputs = DMatrix::from_fn(rows, 784, |i, k| (0.5 * (i * 784 + k) as f64).sin().abs());
    let labels: Vec<usize> = (0..rows).map(|i| i % 10).collect();
    seconds(context, &inputs, &labels, net)
}

/// The network on text features: its operations per second relative to a matrix product.
fn perceptron(context: &Context) -> Row {
    let rows = context.options.size(25_000, 2_500);
    let net = Sequential::flat(768)
        .layer(Dense::new(768, 128))
        .layer(Relu)
        .layer(Dense::new(128, 2))
        .precision(Precision::Single)
        .build();
    let inputs = DMatrix::from_fn(rows, 768, |i, k| (0.5 * (i * 768 + k) as f64).sin());
    let labels: Vec<usize> = (0..rows).map(|i| i % 2).collect();
    let before = product();
    let seconds = seconds(context, &inputs, &labels, net);
    let peak = before.max(product());
    // Forwards and the gradient in the weights for both layers; backwards through the second.
    let operations = 2.0 * rows as f64 * (2.0 * 768.0 * 128.0 + 3.0 * 128.0 * 2.0);
    let found = operations / seconds;
    Row::new(
        format!("MLP 768-128-2, {rows} rows, f32: arithmetic / that of a matrix product"),
        Ratio::of(vec![found / peak]),
        Promise::AtLeast(0.6, 0.8),
        format!(
            "{:.1} evaluations a second, {:.1} of {:.1} GFLOP/s",
            1.0 / seconds,
            found * 1e-9,
            peak * 1e-9
        ),
    )
}

/// Seconds of a value and gradient of one particle, in blocks of eight.
fn seconds(
    context: &Context,
    inputs: &DMatrix<f64>,
    labels: &[usize],
    net: Result<Sequential, NetworkError>,
) -> f64 {
    let net = net.expect("the layers fit");
    let model = classify(inputs, labels, &net);
    let mut evaluation = Evaluation::new(&model, PARTICLES);
    evaluation
        .particles
        .positions
        .iter_mut()
        .for_each(|x| *x *= 0.1);
    let times = interleave(
        &mut [&mut || evaluation.gradients()],
        context.options.budget(),
    );
    times[0].best() / PARTICLES as f64
}

/// Operations per second of a matrix product in f32 with the shape of the first layer, by the crate that nalgebra uses.
fn product() -> f64 {
    let a = nalgebra::DMatrix::<f32>::from_fn(1024, 768, |i, j| (i + j) as f32);
    let b = nalgebra::DMatrix::<f32>::from_fn(768, 1024, |i, j| (i * j % 7) as f32);
    let mut c = nalgebra::DMatrix::<f32>::zeros(1024, 1024);
    let mut multiply = || c.gemm(1.0, black_box(&a), &b, 0.0);
    let times = interleave(&mut [&mut multiply], std::time::Duration::from_millis(300));
    2.0 * 1024.0 * 1024.0 * 768.0 / times[0].best()
}
