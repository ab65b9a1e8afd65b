//! A param learnt by maximum marginal likelihood, where the random values have a posterior in the shape of a crescent.
//!
//! ```text
//! phi_0 ~ Normal(0, √2)    phi_1 ~ Normal(0, 1)    y_i ~ Normal(phi_1 / psi + (phi_0² + psi²) / 2, 1)    i = 1..100
//! ```
//!
//! "On Feynman-Kac training of partial Bayesian neural networks", section 4.1. The data come from psi = 1 and phi = 0. The mean of the data
//! is sufficient, and phi_1 integrates out by hand, so that quadrature over phi_0 gives the exact marginal likelihood; its maximum, near
//! 1.1, is what an unbiased method finds. It depends on psi² alone: signs are left out below.
//!
//! The random walk of the paper forgets the prior, and its particles draw together from step to step: psi is 0.2 too small, which here
//! happens to be nearer to 1, and the arms of the crescent are half as long as those of the posterior. An Ornstein-Uhlenbeck process that
//! keeps the prior mends both.

mod common;

use bayes::prelude::*;
use bayes::rng::stream;
use common::{Options, Report};
use serde_json::json;

/// The crescent; psi starts at 0.1.
#[model]
fn crescent(#[rows] y: &[f64]) {
    let psi = param(Normal::new(0.1, 0.001));
    let phi_0 = sample(Normal::new(0.0, 2f64.sqrt()));
    let phi_1 = sample(Normal::new(0.0, 1.0));
    let _arm = deterministic(phi_0.abs());
    let mean = phi_1 / psi + 0.5 * (phi_0 * phi_0 + psi * psi);
    observe(y, Normal::new(mean, 1.0));
}

/// The log marginal likelihood of psi, up to a constant: `mean(y) | phi_0 ~ Normal((phi_0² + psi²) / 2, 1/psi² + 1/100)`, by the
/// trapezoidal rule over phi_0, whose error is far below 1e-9 here.
fn log_marginal(psi: f64, mean: f64) -> f64 {
    let variance = 1.0 / (psi * psi) + 0.01;
    let term = |phi: f64| {
        let r = mean - 0.5 * (phi * phi + psi * psi);
        (-0.5 * r * r / variance - 0.25 * phi * phi).exp()
    };
    let sum: f64 = (-1600..=1600).map(|i| term(0.005 * f64::from(i))).sum();
    sum.ln() - 0.5 * variance.ln()
}

/// The psi of highest marginal likelihood, to 0.001.
fn exact(y: &[f64]) -> f64 {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let grid = (100..3000).map(|i| 0.001 * f64::from(i));
    let scored = grid.map(|psi| (log_marginal(psi, mean), psi));
    scored
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(f64::NAN, |best| best.1)
}

/// The rate of the paper: 0.1, which falls by 4% in each epoch of ten steps.
fn rate() -> Adam {
    Adam::new(LearningRate::exponential(0.1, 0.96))
}

/// The psi of one data set by each method, and what it knows of phi.
struct Row {
    psi: [(&'static str, f64); 5],
    /// The particles of OHSMC by random walk and by Ornstein-Uhlenbeck process, and the posterior at the exact psi.
    runs: [Run; 3],
}

fn solve(y: &[f64], seed: u64, options: Options) -> Result<Row, bayes::Error> {
    let model = crescent(y);
    let psi = |fit: &Fit| Ok::<f64, bayes::Error>(fit.value("psi")?[0].abs());
    let ohsmc = || {
        Inference::ohsmc()
            .minibatch(10)
            .optimiser(rate())
            .seed(seed)
    };
    let walk = ohsmc().random_walk(0.001).run(&model)?;
    let keeping_prior = ohsmc().ornstein_uhlenbeck(0.1).run(&model)?;
    // the ten rows of a step are taken one by one, with ten moves between them: fewer particles and epochs
    let sgsmc = Inference::sgsmc()
        .particles(options.size(200, 100))
        .epochs(options.size(100, 30))
        .minibatch(10)
        .optimiser(rate())
        .seed(seed)
        .run(&model)?;
    let map = Inference::map()
        .restarts(1)
        .epochs(200)
        .minibatch(10)
        .optimiser(rate())
        .seed(seed)
        .run(&model)?;
    let exact = exact(y);
    let posterior = Inference::psmc()
        .seed(seed)
        .run(&model.with_params(&[("psi", &[exact])])?)?;
    Ok(Row {
        psi: [
            ("exact", exact),
            ("ohsmc", psi(&walk.fit)?),
            ("ohsmc_ou", psi(&keeping_prior.fit)?),
            ("sgsmc", psi(&sgsmc.fit)?),
            ("map", psi(&map)?),
        ],
        runs: [walk.particles, keeping_prior.particles, posterior],
    })
}

/// The quartiles of |phi_0|: how far the particles reach towards both ends of the crescent.
fn compare_arms(row: &Row, report: &mut Report) -> Result<(), bayes::Error> {
    report.say("\nquartiles of |phi_0|, first data set");
    for (run, name) in row.runs.iter().zip(["ohsmc", "ohsmc_ou", "posterior"]) {
        let quartile = |probability| Ok::<f64, bayes::Error>(run.quantile("arm", probability)?[0]);
        let quartiles = [quartile(0.25)?, quartile(0.5)?, quartile(0.75)?];
        let cells = quartiles.map(|value| format!("{value:8.3}"));
        report.say(&format!("{name:9}{}", cells.concat()));
        report.note(&format!("{name}_arms"), json!(quartiles));
    }
    Ok(())
}

fn main() -> Result<(), bayes::Error> {
    let options = Options::from_args();
    let mut report = Report::new("crescent", options);
    let seeds = options.size(10, 3);
    report.say("seed     exact     ohsmc  ohsmc_ou     sgsmc       map");
    let mut rows = Vec::new();
    for seed in (options.seed..).take(seeds) {
        let mut data = stream(seed);
        let draw = |_| Normal::new(0.5, 1.0).draw_one(&mut data);
        let y: Vec<f64> = (0..100).map(draw).collect();
        let row = solve(&y, seed, options)?;
        let cells = row.psi.map(|(_, psi)| format!("{psi:10.3}"));
        report.say(&format!("{seed:4}{}", cells.concat()));
        rows.push(row);
    }
    for (place, (method, _)) in rows[0].psi.into_iter().enumerate() {
        let found = || rows.iter().map(|row| row.psi[place].1);
        let near = |centre: f64, psi: f64| usize::from((psi - centre).abs() < 0.15);
        let of_truth: usize = found().map(|psi| near(1.0, psi)).sum();
        let exact = rows.iter().map(|row| row.psi[0].1);
        let of_exact: usize = found()
            .zip(exact)
            .map(|(psi, exact)| near(exact, psi))
            .sum();
        report.say(&format!(
            "{method}: {of_truth} of {seeds} within 0.15 of 1, {of_exact} within 0.15 of the exact maximum"
        ));
        report.note(method, json!(found().collect::<Vec<f64>>()));
        let wanted = match method {
            "ohsmc" => of_truth,
            "ohsmc_ou" | "sgsmc" => of_exact,
            _ => seeds,
        };
        assert!(
            wanted + 2 >= seeds,
            "{method} found psi in {wanted} of {seeds} data sets"
        );
    }
    compare_arms(&rows[0], &mut report)?;
    report.finish();
    Ok(())
}
