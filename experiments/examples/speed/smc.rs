//! Whole SMC runs: N = 1000, ESS target one half, one thread; mean squared error of the posterior mean times seconds.

use super::clock::{Clock, Ratio};
use super::table::{Promise, Row};
use super::{Context, models, peers};
use bayes::kernel::{Hmc, Moves, Mutation, Pcn, RandomWalk};
use bayes::prelude::*;

/// A problem with its known posterior.
struct Problem<'a, Mo> {
    name: &'static str,
    model: &'a Mo,
    /// Posterior means of the elements in their order.
    mean: Vec<f64>,
    /// The log evidence, if runs that miss it do not count.
    log_evidence: Option<f64>,
    /// MSE times seconds of the best peer on another machine.
    peer: f64,
}

/// The results of several runs of a kernel.
struct Outcome {
    kernel: &'static str,
    mse: f64,
    seconds: f64,
    /// Product of the mean squared error and the seconds, run by run.
    products: Vec<f64>,
    evidence_off: f64,
}

/// The answers.
pub fn rows(context: &Context) -> Vec<Row> {
    let problems = &context.problems;
    let [gauss, hard] = [&problems.gauss, &problems.gauss_hard]
        .map(|p| (models::gauss(&p.x, &p.y, p.noise), &p.mean));
    // The file counts class by class, the draws column by column.
    let iris_mean = (0..15)
        .map(|e| problems.iris_mean[e % 3 * 5 + e / 3])
        .collect();
    let known = |name, model, mean: &Vec<f64>, peer| Problem {
        name,
        model,
        mean: mean.clone(),
        log_evidence: None,
        peer,
    };
    vec![
        row(context, &known("gauss", &gauss.0, gauss.1, 0.9e-4)),
        row(context, &known("gauss_hard", &hard.0, hard.1, 1.8e-4)),
        row(
            context,
            &Problem {
                name: "gmm",
                model: &models::gmm(16),
                mean: vec![-0.6; 16],
                log_evidence: None,
                peer: 0.35e-4,
            },
        ),
        row(
            context,
            &Problem {
                name: "credit",
                model: &models::credit(&problems.credit.0, &problems.credit.1),
                mean: problems.credit_mean.clone(),
                log_evidence: Some(problems.credit_evidence),
                peer: 9e-3,
            },
        ),
        row(
            context,
            &Problem {
                name: "iris",
                model: &models::iris(&problems.iris.0, &problems.iris.1),
                mean: iris_mean,
                log_evidence: None,
                peer: 3e-4,
            },
        ),
    ]
}

fn row<Mo: Model + AllSampled + Differentiable + GaussianReference>(
    context: &Context,
    problem: &Problem<'_, Mo>,
) -> Row {
    let promise = Promise::AtLeast(2.0, 5.0);
    let work = format!(
        "whole SMC on {}, MSE x seconds: best peer / best kernel",
        problem.name
    );
    let mut outcomes = vec![runs(context, problem, "hmc", Hmc::new(), None)];
    if !context.options.quick {
        outcomes.extend([
            runs(context, problem, "hmc, 2 moves", Hmc::new(), Some(2)),
            runs(context, problem, "random walk", RandomWalk::new(), None),
            runs(
                context,
                problem,
                "random walk, 20 moves",
                RandomWalk::new(),
                Some(20),
            ),
            runs(context, problem, "pcn, 20 moves", Pcn::new(), Some(20)),
        ]);
    }
    let text: Vec<String> = outcomes.iter().map(Outcome::text).collect();
    // On a problem with known evidence, a kernel that misses it does not count.
    let valid = outcomes
        .iter()
        .filter(|o| problem.log_evidence.is_none() || o.evidence_off < 0.5);
    let Some(best) = valid.min_by(|a, b| a.cost().total_cmp(&b.cost())) else {
        return Row::missing(work, promise, text.join("; "));
    };
    let measured = peer(context, problem.name);
    let peer = measured.unwrap_or(problem.peer);
    let place = if measured.is_some() {
        "in this run"
    } else {
        "on another machine"
    };
    let spread = Ratio::of(best.products.iter().map(|product| peer / product).collect()).spread;
    let found = Ratio {
        value: peer / best.cost(),
        spread,
    };
    let note = format!(
        "best {}, peer {peer:.1e} {place}; {}",
        best.kernel,
        text.join("; ")
    );
    Row::new(work, found, promise, note)
}

/// Runs with several seeds.
fn runs<Mo: Model, K: Mutation + Clone + Moves<Mo>>(
    context: &Context,
    problem: &Problem<'_, Mo>,
    kernel: &'static str,
    moves: K,
    mutations: Option<usize>,
) -> Outcome {
    let seeds = context.options.size(10, 1) as u64;
    let mutations = mutations.map_or_else(Mutations::adaptive, Mutations::from);
    let (mut errors, mut times, mut evidences) = (Vec::new(), Vec::new(), Vec::new());
    for seed in context.options.seed..context.options.seed + seeds {
        let sampler = Inference::smc()
            .particles(1000)
            .ess_target(0.5)
            .kernel(moves.clone())
            .mutations(mutations)
            .seed(seed)
            .progress(false);
        let (seconds, run) = Clock::Thread.time(|| sampler.run(problem.model));
        let run = run.expect("the model can be run");
        times.push(seconds);
        errors.push(squared_error(&run, &problem.mean));
        evidences.push(run.log_evidence().unwrap_or(f64::NAN));
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let off = problem
        .log_evidence
        .map_or(0.0, |exact| (mean(&evidences) - exact).abs());
    Outcome {
        kernel,
        mse: mean(&errors),
        seconds: mean(&times),
        products: errors.iter().zip(&times).map(|(e, t)| e * t).collect(),
        evidence_off: off,
    }
}

impl Outcome {
    fn cost(&self) -> f64 {
        self.mse * self.seconds
    }

    fn text(&self) -> String {
        format!("{} {:.1e} x {:.3} s", self.kernel, self.mse, self.seconds)
    }
}

/// Mean squared error of the posterior mean over the elements.
fn squared_error(run: &Run, mean: &[f64]) -> f64 {
    let rows: Vec<&[f64]> = run.groups[0].rows(mean.len()).collect();
    let errors = mean.iter().enumerate().map(|(k, exact)| {
        let estimate = rows.iter().map(|row| row[k]).sum::<f64>() / rows.len() as f64;
        (estimate - exact).powi(2)
    });
    errors.sum::<f64>() / mean.len() as f64
}

/// The best product among the peer's samplers in this run, each averaged over its seeds.
fn peer(context: &Context, workload: &str) -> Option<f64> {
    let products = ["smc_hmc", "smc_rw", "smc_pcn"]
        .iter()
        .filter_map(|sampler| {
            let lines = peers::run(context, workload, sampler);
            let mean = |key: &str| {
                let values: Vec<f64> = lines.iter().filter_map(|line| line[key].as_f64()).collect();
                (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
            };
            let off = mean("logz_err").map_or(0.0, f64::abs);
            (workload != "credit" || off < 0.5).then_some(())?;
            Some(mean("mse_mean")? * mean("cpu_s")?)
        });
    products.reduce(f64::min)
}
