//! A partially Bayesian network: the weights of one layer have a posterior, those of the others are learnt.
//!
//! ```text
//! y = x sin(x tanh x) + Normal(0, 1)    x ~ Uniform(-6, 6)    network 1-20-10-1, of which the layer 20-10 is sampled
//! ```
//!
//! "On Feynman-Kac training of partial Bayesian neural networks", table 1: mean over data sets of 100 points each to train, to validate
//! and to test. NLPD is that of the mixture of all particles. RMSE is against the function without noise: the paper's is the mean over
//! particles of the error of each; that of the mean of the particles is smaller.

mod common;

use bayes::autodiff::Value;
use bayes::nn::{Dense, Gelu, Partial, Sequential, WeightPrior};
use bayes::prelude::*;
use bayes::rng::{RngExt, stream};
use common::{Options, Report, number};
use serde_json::json;

#[model]
fn regression(net: &Partial, #[rows] x: &DMatrix<f64>, #[rows] y: &[f64]) {
    let phi = sample(net.prior());
    let psi = param(net.start());
    let theta = net.weights(&phi, &psi);
    observe(y, Normal::new(net.forward(x, &theta).column(0), 1.0));
}

fn network() -> Result<Partial, bayes::Error> {
    Sequential::flat(1)
        .layer(Dense::new(1, 20))
        .layer(Gelu)
        .layer(Dense::new(20, 10))
        .layer(Gelu)
        .layer(Dense::new(10, 1))
        .prior(WeightPrior::Separate {
            weight_sd: 1.0,
            bias_sd: 1.0,
        })
        .build()?
        .partial(&[1])
}

fn function(x: f64) -> f64 {
    x * (x * x.tanh()).sin()
}

/// A hundred points.
struct Points {
    x: DMatrix<f64>,
    y: Vec<f64>,
}

impl Points {
    fn drawn(stream: &mut bayes::rng::Stream) -> Self {
        let x: Vec<f64> = (0..100).map(|_| stream.random_range(-6.0..6.0)).collect();
        let noise = |x: &f64| Normal::new(function(*x), 1.0).draw_one(stream);
        let y = x.iter().map(noise).collect();
        Self {
            x: DMatrix::from_vec(100, 1, x),
            y,
        }
    }

    fn model<'a>(&'a self, net: &'a Partial) -> regression<'a, 'a, 'a> {
        regression(net, &self.x, &self.y)
    }
}

/// NLPD, RMSE of the particles and RMSE of their mean on the test points.
fn scores(
    net: &Partial,
    test: &Points,
    run: &Run,
    params: &[(&str, &[f64])],
) -> Result<[f64; 3], bayes::Error> {
    let model = test.model(net);
    let fixed = model.with_params(params)?;
    let terms = run.predict(&fixed)?.log_likelihood()?;
    let densities = terms.log_predictive_densities();
    let nlpd = -densities.iter().sum::<f64>() / densities.len() as f64;
    let psi = params.iter().find(|(name, _)| *name == "psi");
    let psi = Vector::<Value>::constant(psi.map_or(&[], |(_, values)| values));
    let draws = run.draws("phi")?;
    let theta = |phi: &[f64]| -> Vec<f64> {
        let weights = net.weights(&Vector::<Value>::constant(phi), &psi);
        weights.elements().iter().map(|weight| weight.0).collect()
    };
    let weights: Vec<Vec<f64>> = draws.rows().map(theta).collect();
    let weights: Vec<&[f64]> = weights.iter().map(Vec::as_slice).collect();
    let truth = test.x.map(function);
    let mut mean = truth.map(|_| 0.0);
    let mut rmse = 0.0;
    for (prediction, weight) in net
        .net()
        .predict(&test.x, &weights)
        .iter()
        .zip(&draws.weights)
    {
        rmse += weight * (prediction - &truth).norm() / 10.0;
        mean += prediction * *weight;
    }
    Ok([nlpd, rmse, (mean - truth).norm() / 10.0])
}

/// The scores of OHSMC and of the baseline on one data set.
fn solve(seed: u64, options: Options) -> Result<[[f64; 3]; 2], bayes::Error> {
    let net = network()?;
    let mut data = stream(seed);
    let [train, validation, test] = std::array::from_fn(|_| Points::drawn(&mut data));
    let (model, held_out) = (train.model(&net), validation.model(&net));
    let learnt = Inference::ohsmc()
        .particles(options.size(1000, 200))
        .minibatch(20)
        .epochs(options.size(200, 50))
        .seed(seed)
        .run_validated(&model, &held_out)?;
    let ohsmc = scores(&net, &test, &learnt.particles, &learnt.values())?;
    // both parts at the mode, by Adam, then a posterior of the sampled part there
    let map = Inference::map()
        .adam(0.01)
        .restarts(1)
        .minibatch(20)
        .epochs(200)
        .seed(seed)
        .run_validated(&model, &held_out)?;
    let fixed = model.with_params(&map.values())?;
    let run = Inference::hmc()
        .kernel(Hmc::new().leapfrog_steps(50))
        .chains(8)
        .burn_in(options.size(500, 200))
        .draws(125)
        .seed(seed)
        .run(&fixed)?;
    Ok([ohsmc, scores(&net, &test, &run, &map.values())?])
}

/// Mean and standard deviation.
fn moments(values: &[f64]) -> [f64; 2] {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    [mean, (squares / (n - 1.0).max(1.0)).sqrt()]
}

fn main() -> Result<(), bayes::Error> {
    let (options, [repeats]) = Options::with(["--repeats"]);
    let mut report = Report::new("pbnn_regression", options);
    let repeats = number("--repeats", repeats, options.size(10, 1) as u64);
    let seeds = options.seed..options.seed + repeats;
    let rows = seeds.map(|seed| solve(seed, options));
    let rows: Vec<[[f64; 3]; 2]> = rows.collect::<Result<_, _>>()?;
    report.say(&format!("{repeats} data sets: mean (sd)"));
    report.say("          NLPD         RMSE         RMSE of the mean   published NLPD, RMSE");
    let published = [
        ("ohsmc", "1.49 (0.07)  0.53 (0.07)"),
        ("map-hmc", "1.53 (0.09)  0.59 (0.11)"),
    ];
    for (method, (name, text)) in published.into_iter().enumerate() {
        let of = |score: usize| {
            rows.iter()
                .map(|row| row[method][score])
                .collect::<Vec<_>>()
        };
        let found = [of(0), of(1), of(2)].map(|values| moments(&values));
        let cells = found.map(|[mean, sd]| format!("{mean:.2} ({sd:.2})  "));
        report.say(&format!("{name:8}  {}       {text}", cells.concat()));
        report.note(name, json!(found.map(|[mean, _]| mean)));
        // no predictive density is above that of the noise, but by chance; the mean of y alone has an NLPD of 3.1
        let nlpd = found[0][0];
        assert!(
            nlpd > 1.2 && nlpd < options.size(17, 21) as f64 / 10.0,
            "{name}: NLPD {nlpd}"
        );
    }
    report.finish();
    Ok(())
}
