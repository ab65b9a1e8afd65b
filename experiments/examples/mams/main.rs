//! Gradients until the second moments are known: NUTS, HMC and the microcanonical sampler on the targets of its paper (Robnik, Cohn-Gordon
//! and Seljak 2025, table 1).
//!
//! ```text
//! cargo run --release -p bayes-experiments --example mams                  all targets, 8 seeds of 16 chains
//! cargo run --release -p bayes-experiments --example mams -- --only credit targets whose names contain this
//! cargo run --release -p bayes-experiments --example mams -- --seeds 2     fewer chains
//! cargo run --release -p bayes-experiments --example mams -- --draws 1000  shorter chains
//! ```
//!
//! The error of a chain is the largest of `(mean of x² − E x²)² / Var x²` over the quantities. The figure is the mean number of gradients
//! of the shortest chains from which on the median error of all chains stays below 0.01, the accuracy of 100 independent draws. As in the
//! paper the burn-in is not counted; its gradients are in the last column.

mod models;
mod targets;

use bayes::engine::Engine;
use bayes::kernel::Kernel;
use bayes::prelude::*;
use bayes_experiments::common::{Options, Report, number, or_fail};
use serde_json::json;
use targets::{Target, targets};

/// Makes the chains of a kernel.
type Make = fn() -> Box<dyn Kernel>;

const KERNELS: [(&str, Make); 5] = [
    ("NUTS", || Box::new(Nuts::new())),
    ("HMC", || Box::new(Hmc::new())),
    ("MAMS", || Box::new(Mams::new())),
    ("NUTS low rank", || {
        Box::new(Nuts::new().mass(Mass::LowRank))
    }),
    ("MAMS low rank", || {
        Box::new(Mams::new().mass(Mass::LowRank))
    }),
];
/// The chains of a run: those that are tuned together.
const CHAINS: usize = 16;
/// The error that is small enough.
const SMALL: f64 = 0.01;

fn main() {
    let names = ["--only", "--seeds", "--draws"];
    let (options, [only, seeds, draws]) = Options::with(names);
    let size = Size {
        seeds: number("--seeds", seeds, options.size(8, 1)) as u64,
        burn_in: options.size(1000, 150),
        draws: number("--draws", draws, options.size(4000, 150)),
        first: options.seed,
    };
    let mut report = Report::new("mams", options);
    report.say(&format!(
        "{:<12} {:>10} {:>10}  {:<14} {:>10} {:>12} {:>10}",
        "", "paper NUTS", "paper MAMS", "", "gradients", "of a draw", "burn-in"
    ));
    let all = targets();
    let few = &all[..options.size(all.len(), 2)];
    let chosen = few.iter();
    for target in chosen.filter(|t| only.as_ref().is_none_or(|only| t.name.contains(only))) {
        let mut variance = target.variance.clone();
        for (label, make) in KERNELS {
            let runs = size.runs(target, make);
            // where it is not known exactly, that of the draws of the first kernel
            let variance = variance.get_or_insert_with(|| target.variance_of(&runs));
            let found = Found::of(target, variance, &runs);
            report.say(&found.text(target, label));
            report.note(&format!("{} {label}", target.name), found.json());
        }
    }
    report.finish();
}

/// The size of the experiment.
struct Size {
    seeds: u64,
    burn_in: usize,
    draws: usize,
    first: u64,
}

impl Size {
    fn runs(&self, target: &Target, make: Make) -> Vec<Run> {
        let run = |seed| {
            let engine = Inference::chains(make())
                .chains(CHAINS)
                .burn_in(self.burn_in)
                .draws(self.draws)
                .seed(seed)
                .progress(false);
            or_fail((target.run)(&engine as &dyn Engine))
        };
        (self.first..self.first + self.seeds).map(run).collect()
    }
}

/// What a kernel needed on a target.
struct Found {
    /// Gradients of a chain until the median error stays small; `None` if it did not.
    gradients: Option<f64>,
    /// All gradients of a chain after the burn-in.
    all: f64,
    /// Gradients of a draw.
    of_a_draw: f64,
    /// Gradients of a chain in its burn-in.
    burn_in: f64,
}

impl Found {
    fn of(target: &Target, variance: &[f64], runs: &[Run]) -> Self {
        let groups = || runs.iter().flat_map(|run| &run.groups);
        let errors: Vec<Vec<f64>> = groups()
            .map(|group| target.errors(variance, group))
            .collect();
        let (chains, draws) = (errors.len(), errors[0].len());
        let is_large = |draw: &usize| median(errors.iter().map(|chain| chain[*draw])) > SMALL;
        // the first draw after the last one with a large error
        let enough = (0..draws).rev().find(is_large).map_or(0, |last| last + 1);
        let steps = |group: &bayes::run::Group, count: usize| -> u64 {
            group.statistics.leapfrogs[..count].iter().sum()
        };
        let mean = |count| groups().map(|group| steps(group, count)).sum::<u64>() as f64;
        let (all, needed) = (mean(draws), mean((enough + 1).min(draws)));
        let total = runs.iter().map(|run| run.counts().gradient_evaluations);
        let chains = chains as f64;
        Self {
            gradients: (enough < draws).then_some(needed / chains),
            all: all / chains,
            of_a_draw: all / chains / draws as f64,
            burn_in: (total.sum::<u64>() as f64 - all) / chains,
        }
    }

    fn text(&self, target: &Target, label: &str) -> String {
        let paper = |gradients: f64| match gradients.is_finite() {
            true => format!("{gradients:.0}"),
            false => "> 10^8".to_owned(),
        };
        let gradients = match self.gradients {
            Some(gradients) => format!("{gradients:.0}"),
            None => format!("> {:.0}", self.all),
        };
        let [nuts, mams] = target.paper.map(paper);
        format!(
            "{:<12} {nuts:>10} {mams:>10}  {label:<14} {gradients:>10} {:>12.1} {:>10.0}",
            target.name, self.of_a_draw, self.burn_in
        )
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "gradients": self.gradients,
            "all": self.all,
            "of_a_draw": self.of_a_draw,
            "burn_in": self.burn_in,
        })
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
