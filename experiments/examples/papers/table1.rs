//! Table 1 of the comparison: pCN as one chain and within SMC at three costs, on four accurate observations of 16 coefficients.
//!
//! With T steps for a draw, one chain makes 100 T steps (after T of burn-in) and keeps 100 draws; SMC has N = 200 particles and
//! `M = T / 2J` moves at each of J temperatures, 100 T moves in all. T is the integrated autocorrelation time of the chain, or a tenth or a
//! hundredth of it. The paper does not define "relative"; here it is the error over the squared length of the posterior mean.

use crate::Lab;
use crate::problem::{ACCURATE, Posterior};
use crate::statistics::mean;
use crate::trial::{self, Method, Moves, Trial, chains};
use bayes_experiments::cells::Cell;
use serde_json::{Value, json};

/// Number of particles of SMC, and of draws of the chain.
const PARTICLES: usize = 200;
const DRAWS: usize = 100;
/// The paper's figures for SMC and pCN, at high, medium and low cost.
const PUBLISHED: [[f64; 2]; 3] = [[0.0563, 0.0676], [0.1237, 0.3663], [0.2160, 1.7411]];
/// Number of steps between the states that estimate the autocorrelation time, and number of chains.
const THIN: usize = 64;
const CHAINS: usize = 4;

pub fn run(lab: &Lab) -> Value {
    let posterior = Posterior::new(ACCURATE, lab.cells.seed);
    let squares: f64 = posterior.truth.iter().map(|m| m * m).sum();
    let time = autocorrelation_time(lab);
    lab.say(&format!(
        "autocorrelation time of pCN: {time:.0} steps (published 72160); squared mean {squares:.3}, posterior variance {:.3}",
        posterior.variance
    ));
    let costs = [("high", 1.0), ("medium", 10.0), ("low", 100.0)];
    let costs = if lab.options.quick {
        &costs[1..]
    } else {
        &costs
    };
    let steps: Vec<usize> = costs
        .iter()
        .map(|c| (time / c.1).round() as usize)
        .collect();
    let temperatures = temperatures(lab, steps[steps.len() - 1] / 40);
    let trials: Vec<(String, Trial)> = costs
        .iter()
        .zip(&steps)
        .flat_map(|((name, _), steps)| {
            let smc = Method::Smc {
                islands: 1,
                particles: PARTICLES,
                moves: (*steps as f64 / (2.0 * temperatures)).round().max(1.0) as usize,
            };
            let chain = Method::Chain {
                burn_in: *steps,
                draws: DRAWS,
                thin: *steps,
            };
            let named = |what: &str, method| (format!("table1-{name}-{what}"), trial(method, 1));
            [named("smc", smc), named("chain", chain)]
        })
        .collect();
    let found = trial::run(&lab.cells, &trials, lab.options.size(16, 2));
    lab.say(&format!(
        "{:<8}{:>7} {:>6}   {:<22}{:<10}{:<22}{:<10}",
        "cost", "T", "M", "SMC, relative MSE", "published", "pCN, relative MSE", "published"
    ));
    let mut rows = Vec::new();
    for (k, pair) in found.chunks(2).enumerate() {
        let (name, published) = (costs[k].0, PUBLISHED[PUBLISHED.len() - costs.len() + k]);
        let relative = [&pair[0], &pair[1]].map(|scatter| {
            let (mse, error) = scatter.mse();
            [mse / squares, error / squares]
        });
        let [smc, chain] = relative.map(|[mse, error]| format!("{mse:.4} ± {error:.4}"));
        lab.say(&format!(
            "{name:<8}{:>7} {:>6.0}   {smc:<22}{:<10}{chain:<22}{:<10}",
            steps[k], pair[0].last_moves, published[0], published[1]
        ));
        lab.say(&format!(
            "{:25}{:.2e} likelihoods, {:.1} s    {:.2e} likelihoods, {:.1} s",
            "", pair[0].evaluations, pair[0].seconds, pair[1].evaluations, pair[1].seconds
        ));
        rows.push(json!({ "cost": name, "steps": steps[k], "smc": relative[0], "pcn": relative[1], "published": published }));
    }
    json!({ "autocorrelation_time": time, "rows": rows })
}

fn trial(method: Method, repeats: usize) -> Trial {
    Trial {
        problem: ACCURATE,
        kernel: Moves::Pcn,
        method,
        repeats,
        batch: 0,
    }
}

/// The autocorrelation time of long chains of pCN, in steps: the mean over coordinates.
fn autocorrelation_time(lab: &Lab) -> f64 {
    let steps = lab.options.size(1 << 24, 1 << 18);
    let cell = Cell {
        name: "table1-time".to_owned(),
        settings: steps,
    };
    let found = lab.cells.run(&[cell], |steps| {
        let posterior = Posterior::new(ACCURATE, lab.cells.seed);
        let settings = [CHAINS, 20_000, steps / THIN / CHAINS, THIN];
        let run = chains(Moves::Pcn, settings, &posterior, lab.cells.seed);
        let dim = posterior.truth.len();
        let time = |k: usize| {
            let column = |group: &bayes::run::Group| -> Vec<f64> {
                group.draws[k..].iter().step_by(dim).copied().collect()
            };
            let columns: Vec<Vec<f64>> = run.groups.iter().map(column).collect();
            THIN as f64 * bayes::diagnose::ess::autocorrelation_time(&columns)
        };
        mean((0..dim).map(time))
    });
    found[0]
}

/// The number of temperatures of SMC, which hardly depends on the number of moves.
fn temperatures(lab: &Lab, moves: usize) -> f64 {
    let method = Method::Smc {
        islands: 1,
        particles: PARTICLES,
        moves: moves.max(1),
    };
    let pilot = ("table1-pilot".to_owned(), trial(method, 4));
    trial::run(&lab.cells, &[pilot], 1)[0].temperatures
}
