//! Gradients per effective draw: `Inference::nuts()` compared with the crate `nuts-rs` on the same densities.
//!
//! Both samplers draw 4 chains of 1000 draws after 1000 steps of warm-up with their default settings, from compiled `#[model]`
//! functions; `nuts-rs` evaluates them through [`Posterior`]. Effective draws are the smallest bulk ESS over all quantities,
//! computed by this library for both. Figures are means over seeds. Seconds are not a fair comparison: `nuts-rs` evaluates
//! one position at a time by a density that could evaluate eight.
//!
//! Asserted: at most 1.15 times the gradients of `nuts-rs` on at least six models.

mod models;
mod peer;

use bayes::density::{Posterior, Quantities};
use bayes::diagnose::ess;
use bayes::prelude::*;
use bayes_experiments::common::{Options, Report};
use models::Data;
use serde_json::json;
use std::time::Instant;

/// Number of chains of both samplers.
const CHAINS: usize = 4;
/// Number of warm-up steps, and of draws of a chain.
const STEPS: usize = 1000;
/// The largest ratio of gradients per effective draw that counts as equal.
const BAR: f64 = 1.15;

/// The results of a sampler on a model.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    /// Gradients after the warm-up.
    gradients: f64,
    /// Gradients including the warm-up.
    all_gradients: f64,
    /// The smallest bulk ESS.
    ess: f64,
    seconds: f64,
}

/// Both samplers on a model, mean over seeds.
struct Row {
    name: &'static str,
    ours: Work,
    peer: Work,
}

impl Row {
    /// Gradients per effective draw: this library's divided by the peer's.
    fn ratio(&self) -> f64 {
        self.ours.gradients / self.ours.ess / (self.peer.gradients / self.peer.ess)
    }
}

fn main() {
    let options = Options::from_args();
    let seeds = options.size(5, 1) as u64;
    let mut report = Report::new("nuts", options);
    let data = Data::load();
    let mut table = Table {
        seeds: options.seed..options.seed + seeds,
        rows: Vec::new(),
    };
    table.fill(&data);
    report.say(&table.text());
    for row in &table.rows {
        let work = |work: &Work| {
            json!({
                "gradients": work.gradients,
                "all_gradients": work.all_gradients,
                "ess": work.ess,
            })
        };
        let figures =
            json!({ "ours": work(&row.ours), "nuts_rs": work(&row.peer), "ratio": row.ratio() });
        report.note(row.name, figures);
    }
    let on_par = table.rows.iter().filter(|row| row.ratio() <= BAR).count();
    report.say(&format!(
        "ratio at most {BAR} on {on_par} of {} models",
        table.rows.len()
    ));
    if !options.quick {
        assert!(
            on_par >= 6,
            "a ratio of at most {BAR} on only {on_par} models"
        );
    }
    report.finish();
}

/// The finished models.
struct Table {
    seeds: std::ops::Range<u64>,
    rows: Vec<Row>,
}

impl Table {
    fn fill(&mut self, data: &Data) {
        self.add("eight_schools", &data.eight_schools());
        self.add("credit", &data.credit());
        self.add(
            "gaussian_spread",
            &models::gaussian_spread(&models::spread()),
        );
        self.add("regression", &data.regression());
        self.add("kidiq", &data.kidiq());
        self.add("earnings", &data.earnings());
        self.add("arK", &data.ark());
        self.add("counts", &data.counts());
    }

    fn add<Mo: Model + AllSampled + Differentiable>(&mut self, name: &'static str, model: &Mo) {
        let mean = |work: &dyn Fn(u64) -> Work| {
            let all: Vec<Work> = self.seeds.clone().map(work).collect();
            let of =
                |field: fn(&Work) -> f64| all.iter().map(field).sum::<f64>() / all.len() as f64;
            Work {
                gradients: of(|w| w.gradients),
                all_gradients: of(|w| w.all_gradients),
                ess: of(|w| w.ess),
                seconds: of(|w| w.seconds),
            }
        };
        let row = Row {
            name,
            ours: mean(&|seed| ours(model, seed)),
            peer: mean(&|seed| peer(model, seed)),
        };
        self.rows.push(row);
    }

    fn text(&self) -> String {
        let mut text = format!(
            "{:<16} {:>10} {:>10} {:>7} {:>10} {:>10} {:>8} {:>8}\n",
            "gradients/ESS",
            "bayes",
            "nuts-rs",
            "ratio",
            "all bayes",
            "nuts-rs",
            "s bayes",
            "nuts-rs"
        );
        for row in &self.rows {
            let Row { name, ours, peer } = row;
            let each = |w: &Work| (w.gradients / w.ess, w.all_gradients / w.ess);
            let ((a, all_a), (b, all_b)) = (each(ours), each(peer));
            text += &format!(
                "{name:<16} {a:>10.2} {b:>10.2} {:>7.2} {all_a:>10.2} {all_b:>10.2} {:>8.3} {:>8.3}\n",
                row.ratio(),
                ours.seconds,
                peer.seconds
            );
        }
        text
    }
}

/// This library's chains.
fn ours<Mo: Model + AllSampled + Differentiable>(model: &Mo, seed: u64) -> Work {
    let start = Instant::now();
    let engine = Inference::nuts()
        .chains(CHAINS)
        .burn_in(STEPS)
        .draws(STEPS)
        .seed(seed)
        .progress(false);
    let run = engine.run(model).expect("the model fits its data");
    let leapfrogs = |group: &bayes::run::Group| {
        group
            .trajectories()
            .map_or(0, |trajectories| trajectories.leapfrogs)
    };
    Work {
        gradients: run.groups.iter().map(leapfrogs).sum::<u64>() as f64,
        all_gradients: run.counts().gradient_evaluations as f64,
        ess: least_ess(&columns(
            &run.groups.iter().map(|g| &g.draws[..]).collect::<Vec<_>>(),
            run.layout.elements(),
        )),
        seconds: start.elapsed().as_secs_f64(),
    }
}

/// The chains of `nuts-rs`, from draws of the prior.
fn peer<Mo: Model>(model: &Mo, seed: u64) -> Work {
    let start = Instant::now();
    let posterior = Posterior::new(model, seed).expect("the model fits its data");
    let chains: Vec<peer::Chain> = (0..CHAINS as u64)
        .map(|chain| peer::sample(&posterior, seed, chain, STEPS))
        .collect();
    let draws: Vec<Vec<f64>> = chains
        .iter()
        .map(|chain| {
            chain
                .positions
                .iter()
                .flat_map(|p| posterior.output(p))
                .collect()
        })
        .collect();
    let elements = posterior.layout().elements();
    Work {
        gradients: chains.iter().map(|c| c.gradients).sum::<u64>() as f64,
        all_gradients: chains.iter().map(|c| c.all_gradients).sum::<u64>() as f64,
        ess: least_ess(&columns(
            &draws.iter().map(Vec::as_slice).collect::<Vec<_>>(),
            elements,
        )),
        seconds: start.elapsed().as_secs_f64(),
    }
}

/// The values of each element, chain by chain, from draws `[draws, elements]` of each chain.
fn columns(chains: &[&[f64]], elements: usize) -> Vec<Vec<Vec<f64>>> {
    let column = |element: usize| {
        let of = |chain: &&[f64]| {
            chain
                .iter()
                .skip(element)
                .step_by(elements)
                .copied()
                .collect()
        };
        chains.iter().map(of).collect()
    };
    (0..elements).map(column).collect()
}

fn least_ess(columns: &[Vec<Vec<f64>>]) -> f64 {
    columns
        .iter()
        .map(|c| ess::bulk(c))
        .fold(f64::INFINITY, f64::min)
}
