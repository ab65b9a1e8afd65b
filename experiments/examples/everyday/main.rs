//! pSMC and NUTS at their defaults on six models for beginners: what does an effective draw cost?
//!
//! 8 islands of 256 particles for pSMC, 4 chains of 1000 draws after 1000 steps of warm-up for NUTS. The effective draws of both are
//! `(sd / standard error)²` of a posterior mean, the median over all quantities but the weights of the network, whose posterior has
//! symmetries. Asserted: the means of the two agree within 4 of their errors.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example everyday                    all models, 3 seeds
//! cargo run --release -p bayes-experiments --example everyday -- --only network  one of them
//! ```

mod models;

use bayes::engine::Engine;
use bayes::nn::{Dense, NetworkError, Sequential, Tanh};
use bayes::prelude::*;
use bayes::report::SummaryRow;
use bayes_experiments::common::{Options, Report};
use models::Data;
use serde_json::json;
use std::time::Instant;

/// The largest difference of posterior means that counts as agreement, in standard errors.
const AGREES: f64 = 4.0;

/// The models of `--quick`; all models take minutes.
const QUICK: [&str; 2] = ["mixture", "polynomial"];

/// The results of an engine on a model, as means over seeds.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    gradients: f64,
    draws: f64,
    seconds: f64,
}

impl Work {
    fn add(&mut self, other: Self, seeds: f64) {
        self.gradients += other.gradients / seeds;
        self.draws += other.draws / seeds;
        self.seconds += other.seconds / seeds;
    }
}

/// A model under both engines.
#[derive(Clone, Debug, Default)]
struct Row {
    psmc: Work,
    nuts: Work,
    /// The largest difference of a posterior mean, in its standard errors.
    deviation: f64,
    /// Log evidence and standard error, of the last seed.
    evidence: [f64; 2],
    warnings: [usize; 2],
}

impl Row {
    /// The ratio of gradients per effective draw, pSMC over NUTS.
    fn ratio(&self) -> f64 {
        self.psmc.gradients / self.psmc.draws / (self.nuts.gradients / self.nuts.draws)
    }
}

/// Runs an engine on a model.
type Infer<'a> = dyn Fn(&dyn Engine) -> Result<Run, bayes::Error> + 'a;

fn main() -> Result<(), bayes::Error> {
    let (options, [only]) = Options::with(["--only"]);
    let mut report = Report::new("everyday", options);
    let data = Data::simulated();
    let net = network().expect("its layers fit together");
    let slopes = models::varying_slopes(data.groups, &data.group, &data.x, &data.y);
    let mixture = models::mixture(&data.clusters);
    let volatility = models::volatility(&data.returns);
    let network = models::network(&net, &data.inputs, &data.outputs);
    let survival = models::survival(data.groups, &data.group, &data.x, &data.time, &data.end);
    let polynomial = models::polynomial(&data.powers, &data.curve);
    let rows: [(&str, &Infer<'_>); 6] = [
        ("varying_slopes", &|engine| engine.run(&slopes)),
        ("mixture", &|engine| engine.run(&mixture)),
        ("volatility", &|engine| engine.run(&volatility)),
        ("network", &|engine| engine.run(&network)),
        ("survival", &|engine| engine.run(&survival)),
        ("polynomial", &|engine| engine.run(&polynomial)),
    ];
    if !options.json {
        println!("{HEADER}");
    }
    for (name, infer) in rows {
        let asked = match &only {
            Some(only) => only == name,
            None => !options.quick || QUICK.contains(&name),
        };
        if asked {
            let row = compared(infer, options)?;
            if !options.json {
                println!("{}", text(name, &row));
            }
            report.note(
                name,
                json!({
                    "gradients": [row.psmc.gradients, row.nuts.gradients],
                    "draws": [row.psmc.draws, row.nuts.draws],
                    "ratio": row.ratio(),
                    "deviation": row.deviation,
                    "log_evidence": row.evidence,
                }),
            );
            assert!(
                row.deviation < AGREES,
                "{name}: the means differ by {:.1} errors",
                row.deviation
            );
        }
    }
    report.finish();
    Ok(())
}

/// 1-16-16-1, 321 weights.
fn network() -> Result<Sequential, NetworkError> {
    Sequential::flat(1)
        .layer(Dense::new(1, 16))
        .layer(Tanh)
        .layer(Dense::new(16, 16))
        .layer(Tanh)
        .layer(Dense::new(16, 1))
        .build()
}

/// Both engines on a model, mean over seeds.
fn compared(infer: &Infer<'_>, options: Options) -> Result<Row, bayes::Error> {
    let seeds = options.size(3, 1);
    let mut row = Row::default();
    for seed in options.seed..options.seed + seeds as u64 {
        let particles = options.size(256, 64);
        let psmc = Inference::psmc()
            .particles(particles)
            .seed(seed)
            .progress(false);
        let steps = options.size(1000, 200);
        let nuts = Inference::nuts()
            .burn_in(steps)
            .draws(steps)
            .seed(seed)
            .progress(false);
        let (psmc, nuts) = (timed(infer, &psmc)?, timed(infer, &nuts)?);
        row.psmc.add(work(&psmc), seeds as f64);
        row.nuts.add(work(&nuts), seeds as f64);
        row.deviation = row.deviation.max(deviation(&psmc.0, &nuts.0));
        row.evidence = [
            psmc.0.log_evidence().unwrap_or(f64::NAN),
            psmc.0.log_evidence_se().unwrap_or(f64::NAN),
        ];
        row.warnings = [psmc.0.warnings().len(), nuts.0.warnings().len()];
    }
    Ok(row)
}

fn timed(infer: &Infer<'_>, engine: &dyn Engine) -> Result<(Run, f64), bayes::Error> {
    let start = Instant::now();
    let run = infer(engine)?;
    Ok((run, start.elapsed().as_secs_f64()))
}

/// The rows of quantities that are equal in all modes of the posterior and not constant.
fn quantities(run: &Run) -> Vec<SummaryRow> {
    let rows = run.summary().rows.into_iter();
    rows.filter(|row| !row.name.starts_with("theta") && row.sd > 1e-9)
        .collect()
}

fn work((run, seconds): &(Run, f64)) -> Work {
    let rows = quantities(run);
    let mut draws: Vec<f64> = rows.iter().map(|row| (row.sd / row.mcse).powi(2)).collect();
    draws.sort_by(f64::total_cmp);
    Work {
        gradients: run.counts().gradient_evaluations as f64,
        draws: draws[draws.len() / 2],
        seconds: *seconds,
    }
}

/// The largest difference of the means of two runs, in its standard errors.
fn deviation(a: &Run, b: &Run) -> f64 {
    let rows = quantities(a).into_iter().zip(quantities(b));
    let deviations = rows.map(|(a, b)| {
        assert_eq!(a.name, b.name, "both runs have the same quantities");
        (a.mean - b.mean).abs() / a.mcse.hypot(b.mcse)
    });
    deviations.fold(0.0, f64::max)
}

const HEADER: &str = "                 million gradients   effective draws   gradients for a draw       seconds          deviation  log evidence
model               psmc      nuts      psmc     nuts    psmc / nuts             psmc     nuts   of means";

fn text(name: &str, row: &Row) -> String {
    let Row { psmc, nuts, .. } = row;
    format!(
        "{name:16} {:>7.2} {:>9.2} {:>9.0} {:>8.0} {:>14.2} {:>16.1} {:>8.1} {:>10.1}  {:.2} ± {:.2}, warnings {} and {}",
        psmc.gradients / 1e6,
        nuts.gradients / 1e6,
        psmc.draws,
        nuts.draws,
        row.ratio(),
        psmc.seconds,
        nuts.seconds,
        row.deviation,
        row.evidence[0],
        row.evidence[1],
        row.warnings[0],
        row.warnings[1],
    )
}
