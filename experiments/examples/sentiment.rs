//! Sentiment of film reviews: a Bayesian neural network on sentence embeddings by SMC∥.
//!
//! ```text
//! theta[k] ~ Normal(0, 0.1), biases Normal(0, 0.01)    label[i] ~ Categorical(softmax(network(embedding[i], theta)))
//! ```
//!
//! The head of "Comparison of parallel SMC and MCMC for Bayesian deep learning", appendix D.4.2, on embeddings of 384
//! numbers: 384-128-2 with ReLU (d = 49,538). The 25,000 + 25,000 reviews are the Large Movie Review Dataset (Maas et al.
//! 2011); the embeddings are not shipped: `--data DIR` names a folder with `train_minilm384_f16.npy`,
//! `test_minilm384_f16.npy`, `train_labels_u8.npy` and `test_labels_u8.npy`. `--rows N` takes more of each part than the
//! first 2000.
//!
//! With `--quick` and without `--data`, two clouds of points replace the reviews, as a check that everything runs.

use bayes::Error;
use bayes::nn::{Dense, NetworkError, Precision, Relu, Sequential, WeightPrior};
use bayes::prelude::*;
use bayes_experiments::classification::Scores;
use bayes_experiments::common::{Options, Report, fail, number};
use bayes_experiments::frozen::IMDB;
use serde_json::json;
use std::path::Path;

/// Length of an embedding.
const WIDTH: usize = IMDB.width;

/// A Bayesian classifier of embeddings.
#[model]
fn sentiment(net: &Sequential, embeddings: &DMatrix<f64>, labels: &[usize]) {
    let theta = sample(net.prior());
    observe(
        labels,
        CategoricalLogit::new(net.forward(embeddings, &theta)),
    );
}

/// One hidden layer, with the prior of appendix D.4.2.
fn network() -> Result<Sequential, NetworkError> {
    Sequential::flat(WIDTH)
        .layer(Dense::new(WIDTH, 128))
        .layer(Relu)
        .layer(Dense::new(128, 2))
        .prior(WeightPrior::Separate {
            weight_sd: 0.1,
            bias_sd: 0.01,
        })
        .precision(Precision::Single)
        .build()
}

fn main() -> Result<(), Error> {
    let names = [
        "--data",
        "--rows",
        "--tau",
        "--islands",
        "--particles",
        "--mutations",
    ];
    let (options, [data, rows, tau, islands, particles, mutations]) = Options::with(names);
    let rows = number("--rows", rows, options.size(2000, 200));
    let tau = number("--tau", tau, if options.quick { 0.02 } else { 0.1 });
    let particles = number("--particles", particles, options.size(16, 8));
    let mutations = number("--mutations", mutations, 1);
    let islands = number("--islands", islands, 1);
    let read = |part: &str| match &data {
        Some(folder) => IMDB.labelled(Path::new(folder), part, Some(rows)),
        None if options.quick => clouds(part, rows),
        None => fail(&format!(
            "`--data DIR` is missing: a folder with the embeddings of {}; `--quick` alone runs on made-up points",
            IMDB.what
        )),
    };
    let ((x, labels), (test_x, test_labels)) = (read("train"), read("test"));

    let net = network().expect("these layers fit");
    let model = sentiment(&net, &x, &labels);
    let mut report = Report::new("sentiment", options);
    let run = report.work("psmc", || {
        Inference::psmc()
            .islands(islands)
            .particles(particles)
            .kernel(Hmc::new().integration_time(tau).mass(Mass::Identity))
            // the paper's kernel has one step size
            .step_size_mixture(0.0)
            .mutations(mutations)
            .seed(options.seed)
            .run(&model)
    });
    let scores = Scores::of(&run, "theta", &net, &test_x, &test_labels);
    report.say(&scores.line("SMC∥", test_labels.len()));
    let guessing_error = 0.5 / (test_labels.len() as f64).sqrt();
    assert!(scores.accuracy > 0.5 + 3.0 * guessing_error, "{scores:?}");
    assert!(scores.negative_log_likelihood < 2f64.ln(), "{scores:?}");
    assert!(scores.epistemic_entropy > 0.0, "{scores:?}");
    report.note("scores", json!({ "psmc": scores.json() }));
    report.note("made_up", json!(data.is_none()));
    report.finish();
    Ok(())
}

/// Points on the unit sphere around two opposite points, as a replacement for reviews.
fn clouds(part: &str, rows: usize) -> (DMatrix<f64>, Vec<usize>) {
    let shift = if part == "train" { 0 } else { rows };
    let labels: Vec<usize> = (0..rows).map(|i| i % 2).collect();
    let x = DMatrix::from_fn(rows, WIDTH, |i, k| {
        let sign = if labels[i] == 0 { -1.0 } else { 1.0 };
        let middle = if k % 3 == 0 { 0.4 * sign } else { 0.0 };
        // pseudo-random in (-1, 1)
        let noise = ((((i + shift) * WIDTH + k) as f64 * 0.754_877_666).fract() * 1013.0).fract();
        (middle + 2.0 * noise - 1.0) / (WIDTH as f64 / 3.0).sqrt()
    });
    (x, labels)
}
