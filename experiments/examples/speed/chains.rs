//! Many short HMC chains: effective draws per second, including burn-in.

use super::clock::{Clock, Ratio};
use super::table::{Promise, Row};
use super::{Context, models};
use bayes::diagnose::{ess, rhat};
use bayes::prelude::*;

/// Chains, burn-in and draws of each.
const SHAPES: [(usize, usize, usize); 4] =
    [(32, 100, 250), (32, 60, 500), (64, 60, 250), (128, 40, 120)];

/// The answer.
pub fn rows(context: &Context) -> Vec<Row> {
    let gauss = &context.problems.gauss;
    let model = models::gauss(&gauss.x, &gauss.y, gauss.noise);
    let promise = Promise::AtLeast(155_000.0, 500_000.0);
    let work = "HMC chains on gauss: least bulk ESS a second, R-hat < 1.01";
    let found: Vec<(Ratio, String)> = SHAPES
        .iter()
        .filter_map(|s| rate(context, &model, *s))
        .collect();
    match found
        .into_iter()
        .max_by(|a, b| a.0.value.total_cmp(&b.0.value))
    {
        Some((ratio, note)) => vec![Row::new(work, ratio, promise, note)],
        None => vec![Row::missing(
            work,
            promise,
            "no shape of the runs reached R-hat < 1.01",
        )],
    }
}

/// The median rate over seeds; `None` if a run has not converged.
fn rate<Mo: Model + AllSampled + Differentiable>(
    context: &Context,
    model: &Mo,
    (chains, burn_in, draws): (usize, usize, usize),
) -> Option<(Ratio, String)> {
    let seeds = context.options.size(15, 3) as u64;
    let (mut rates, mut worst) = (Vec::new(), 0.0f64);
    for seed in context.options.seed..context.options.seed + seeds {
        let sampler = Inference::hmc()
            .chains(chains)
            .burn_in(burn_in)
            .draws(draws)
            .thin(1)
            .seed(seed)
            .progress(false);
        let (seconds, run) = Clock::Thread.time(|| sampler.run(model));
        let run = run.expect("the model can be run");
        let mut least = f64::INFINITY;
        for k in 0..run.layout.dim {
            let columns = run.map_draws(|draw| draw.vector("beta")[k]);
            least = least.min(ess::bulk(&columns));
            worst = worst.max(rhat::chains(&columns));
        }
        rates.push(least / seconds);
    }
    let note =
        format!("{chains} chains, {burn_in} burn-in, {draws} draws; R-hat at most {worst:.4}");
    (worst < 1.01).then(|| (Ratio::of(rates), note))
}
