//! The target acceptance of NUTS: effective draws per gradient, divergences and R-hat for several targets, on the posteriors of `posteriordb` and on a
//! stochastic volatility model.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example acceptance
//! ```
//!
//! `--quick` takes one seed, 100 draws and two posteriors.

use bayes::engine::Chains;
use bayes::prelude::*;
use bayes::{Error, Run};
use bayes_experiments::common::{Options, or_fail};
use bayes_experiments::published::{NAMES, Problem};
use serde_json::json;

const TARGETS: [f64; 4] = [0.8, 0.85, 0.9, 0.95];

#[model]
fn volatility(y: &[f64]) {
    let mu = sample(Normal::new(-1.0, 1.0));
    let phi = sample(Uniform::new(-1.0, 1.0));
    let sigma = sample(HalfNormal::new(0.5));
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    let mut h: Real = mu + sigma * z[0] / (1.0 - phi.square()).sqrt();
    for t in 0..y.len() {
        if t > 0 {
            h = mu + phi * (h - mu) + sigma * z[t];
        }
        observe(y[t], Normal::new(0.0, (0.5 * h).exp()));
    }
}

/// Returns of 300 days at mu = -1, phi = 0.97 and sigma = 0.2, from a small generator, so that they are the same everywhere.
fn returns() -> Vec<f64> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut normal = || {
        let radius = (-2.0 * (1.0 - uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * uniform()).cos()
    };
    let mut h = -1.0;
    let mut next = || {
        h = -1.0 + 0.97 * (h + 1.0) + 0.2 * normal();
        (0.5_f64 * h).exp() * normal()
    };
    (0..300).map(|_| next()).collect()
}

/// The results of a target over all seeds.
struct Found {
    /// Mean over seeds of the log of the smallest bulk ESS per gradient.
    log_efficiency: f64,
    divergent: u64,
    r_hat: f64,
}

fn measure(
    options: &Options,
    target: f64,
    run: &dyn Fn(&Chains<Nuts>) -> Result<Run, Error>,
) -> Found {
    let seeds = options.size(4, 1) as u64;
    let mut found = Found {
        log_efficiency: 0.0,
        divergent: 0,
        r_hat: 0.0,
    };
    for seed in 0..seeds {
        let engine = Inference::chains(Nuts::new().target_acceptance(target));
        let engine = engine
            .draws(options.size(1000, 100))
            .seed(options.seed + seed);
        let run = or_fail(run(&engine.progress(false)));
        let rows = run.summary().rows;
        let known = |field: fn(&bayes::report::SummaryRow) -> f64| {
            rows.iter()
                .map(field)
                .filter(|x| x.is_finite())
                .collect::<Vec<_>>()
        };
        let ess = known(|row| row.ess_bulk)
            .into_iter()
            .fold(f64::INFINITY, f64::min);
        found.r_hat = known(|row| row.r_hat)
            .into_iter()
            .fold(found.r_hat, f64::max);
        found.log_efficiency +=
            (ess / run.counts().gradient_evaluations as f64).ln() / seeds as f64;
        let trajectories = run.groups.iter().filter_map(|group| group.trajectories());
        found.divergent += trajectories.map(|t| t.divergent).sum::<u64>();
    }
    found
}

fn main() {
    let options = Options::from_args();
    let names = &NAMES[..options.size(NAMES.len(), 2)];
    let problems: Vec<Problem> = names.iter().map(|name| Problem::shipped(name)).collect();
    let y = returns();
    let model = volatility(&y);
    let mut all: Vec<Vec<Found>> = Vec::new();
    let mut add = |name: &str, run: &dyn Fn(&Chains<Nuts>) -> Result<Run, Error>| {
        let row: Vec<Found> = TARGETS
            .iter()
            .map(|target| measure(&options, *target, run))
            .collect();
        if !options.json {
            let cell = |found: &Found| {
                let efficiency = 1000.0 * found.log_efficiency.exp();
                format!("{efficiency:9.3} {:5} {:6.3}", found.divergent, found.r_hat)
            };
            let cells: Vec<String> = row.iter().map(cell).collect();
            println!("{name:<50} {}", cells.join(" |"));
        }
        all.push(row);
    };
    if !options.json {
        println!(
            "target acceptance {TARGETS:?}: least bulk ESS per 1000 gradients, divergences, largest R-hat"
        );
    }
    for problem in &problems {
        add(problem.name, &|engine| problem.solve(engine));
    }
    add("volatility", &|engine| engine.run(&model));
    let mut ratios = Vec::new();
    for (k, target) in TARGETS.iter().enumerate() {
        let logs = all
            .iter()
            .map(|row| row[k].log_efficiency - row[0].log_efficiency);
        let ratio = (logs.sum::<f64>() / all.len() as f64).exp();
        ratios.push(ratio);
        if !options.json {
            println!(
                "{target}: {ratio:.3} of the ESS per gradient at {}",
                TARGETS[0]
            );
        }
    }
    if options.json {
        println!(
            "{}",
            json!({ "targets": TARGETS, "ess_per_gradient": ratios })
        );
    }
}
