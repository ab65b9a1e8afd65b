//! Simulation-based calibration: every engine on small models, and models with deliberate bugs.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example sbc -- --only NAME              rows whose label contains this
//! cargo run --release -p bayes-experiments --example sbc -- --only NAME --svg FILE   also a picture of the first of these rows
//! ```
//!
//! Asserts that no correct model is rejected at the 1% level (Bonferroni over all models, engines and quantities), and
//! that the bugs are rejected: a prior that is 10% too wide, a dropped Jacobian and particles that do not move. With
//! `--quick` the level is 0.01%, and the bugs are only shown. In a row with `N` quantities, p is their smallest p value
//! times `N`.

mod models;

use bayes::prelude::*;
use bayes::sbc::SbcReport;
use bayes::{Error, Run};
use bayes_experiments::common::{Options, Report, fail, number};
use models::*;
use serde_json::{Value, json};

const ENGINES: [&str; 11] = [
    "nuts",
    "walnuts",
    "mams",
    "hmc",
    "pcn",
    "random_walk",
    "smc",
    "psmc",
    "ais",
    "island_model",
    "tempering",
];
/// The significance level over the whole table.
const LEVEL: f64 = 0.01;
/// The same for the few simulations of `--quick`, for which the asymptotic distribution of the statistic is inaccurate.
const QUICK_LEVEL: f64 = 1e-4;

/// Runs `engine` long enough for some hundreds of effective draws of a small model: the hundred ranked draws must be nearly independent.
fn infer<M>(engine: &str, model: &M, seed: u64) -> Result<Run, Error>
where
    M: Model + AllSampled + Differentiable + GaussianReference,
{
    match engine {
        "nuts" => Inference::nuts()
            .burn_in(300)
            .draws(400)
            .seed(seed)
            .run(model),
        "walnuts" => Inference::walnuts()
            .burn_in(300)
            .draws(400)
            .seed(seed)
            .run(model),
        "mams" => Inference::mams()
            .burn_in(300)
            .draws(400)
            .seed(seed)
            .run(model),
        "hmc" => Inference::hmc()
            .burn_in(300)
            .draws(400)
            .seed(seed)
            .run(model),
        "pcn" => Inference::pcn()
            .burn_in(500)
            .draws(100)
            .thin(20)
            .seed(seed)
            .run(model),
        "random_walk" => Inference::random_walk()
            .burn_in(500)
            .draws(100)
            .thin(30)
            .seed(seed)
            .run(model),
        "tempering" => Inference::tempering()
            .burn_in(200)
            .draws(100)
            .seed(seed)
            .run(model),
        "smc" => Inference::smc().particles(512).seed(seed).run(model),
        "ais" => Inference::ais().particles(512).seed(seed).run(model),
        "island_model" => Inference::psmc()
            .islands(8)
            .particles(64)
            .pilot(64)
            .interacting(1.0)
            .seed(seed)
            .run(model),
        _ => Inference::psmc()
            .islands(4)
            .particles(256)
            .seed(seed)
            .run(model),
    }
}

/// Data annealing: the likelihood is added in three batches of rows.
fn in_batches<M>(_: &str, model: &M, seed: u64) -> Result<Run, Error>
where
    M: Rows + AllSampled + Differentiable + GaussianReference,
{
    let engine = Inference::smc().particles(512).seed(seed);
    engine.run_in_batches(model, 3)
}

/// The calibrations so far.
struct Table {
    options: Options,
    simulations: usize,
    only: String,
    report: Report,
    rows: Vec<(String, SbcReport)>,
}

impl Table {
    /// Prints and stores a calibration.
    fn take(&mut self, label: &str, outcome: Result<SbcReport, Error>) {
        let found = outcome.unwrap_or_else(|error| fail(&error.to_string()));
        let smallest = found
            .quantities
            .iter()
            .min_by(|a, b| a.p_value.total_cmp(&b.p_value));
        let worst = smallest.map_or("", |quantity| quantity.name.as_str());
        self.report.say(&format!(
            "{label:<28} {:>4} {:>9.4}  {worst:<16} {:>8.0}",
            found.quantities.len(),
            found.p_value(),
            median(&found.ess),
        ));
        self.rows.push((label.to_owned(), found));
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Runs several engines on a model.
macro_rules! calibrate {
    ($table:ident, $infer:ident, $engines:expr, $name:ident, $model:expr; $data:ident => $build:expr) => {
        for engine in $engines {
            let label = format!("{} {engine}", stringify!($name));
            if !label.contains(&$table.only) {
                continue;
            }
            let (simulations, seed) = ($table.simulations, $table.options.seed);
            let found = sbc(&$model, |$data, seed| $infer(engine, &$build, seed))
                .simulations(simulations)
                .seed(seed)
                .run();
            $table.take(&label, found);
        }
    };
}

fn main() {
    let names = ["--simulations", "--svg", "--only"];
    let (options, [simulations, svg, only]) = Options::with(names);
    let mut table = Table {
        options,
        simulations: number("--simulations", simulations, options.size(1000, 20)),
        only: only.unwrap_or_default(),
        report: Report::new("sbc", options),
        rows: Vec::new(),
    };
    table.report.say(&format!(
        "{:<28} {:>4} {:>9}  {:<16} {:>8}",
        "", "N", "p", "smallest of", "ESS"
    ));
    right(&mut table);
    let quantities: usize = table.rows.iter().map(|(_, r)| r.quantities.len()).sum();
    let p_values = table
        .rows
        .iter()
        .flat_map(|(_, r)| r.quantities.iter().map(|q| q.p_value));
    let smallest = p_values.fold(1.0, f64::min) * quantities.max(1) as f64;
    table.report.say(&format!(
        "\nall {quantities} quantities together: p = {:.4}",
        smallest.min(1.0)
    ));
    let level = if options.quick { QUICK_LEVEL } else { LEVEL };
    assert!(smallest >= level, "a right model is rejected");
    let rights = table.rows.len();
    wrong(&mut table);
    if let (Some(path), Some((_, first))) = (svg, table.rows.first()) {
        let outcome = bayes::plot::sbc(first).save(&path);
        outcome.unwrap_or_else(|error| fail(&error.to_string()));
    }
    for (label, found) in &table.rows[rights..] {
        let is_control = label.contains("by_hand") || label.contains("faint");
        assert!(
            options.quick || found.is_calibrated(LEVEL) == is_control,
            "{label}: {found}"
        );
    }
    finish(table);
}

fn right(table: &mut Table) {
    let x = DMatrix::from_fn(12, 2, |i, k| [1.0, i as f64 / 6.0 - 0.9][k]);
    let sigma = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0];
    let two = ["nuts", "psmc"];
    let batches = ["data_annealing"];
    calibrate!(table, infer, ENGINES, location, location(&[0.0; 5]); data => location(&data.reals("y")));
    calibrate!(table, infer, ENGINES, logistic, logistic(&x, &[true; 12]); data => logistic(&x, &data.flags("y")));
    calibrate!(table, in_batches, batches, location, location(&[0.0; 5]); data => location(&data.reals("y")));
    calibrate!(table, in_batches, batches, logistic, logistic(&x, &[true; 12]); data => logistic(&x, &data.flags("y")));
    calibrate!(table, infer, two, schools, schools(&[0.0; 8], &sigma); data => schools(&data.reals("y"), &sigma));
    calibrate!(table, infer, two, counts, counts(&[0; 6]); data => counts(&data.counts("y")));
    calibrate!(table, infer, two, shares, shares(&[0; 10]); data => shares(&data.categories("y")));
    calibrate!(table, infer, two, components, components(&[0.0; 20]); data => components(&data.reals("y")));
}

/// The deliberate bugs, which must be detected, and the correct counterparts of two of them, which must not be rejected.
fn wrong(table: &mut Table) {
    table.report.say("\ndeliberate bugs:");
    let one = ["nuts"];
    let model = location(&[0.0; 5]);
    let weak = faint(&[0.0; 8]);
    calibrate!(table, infer, one, faint, weak; data => faint(&data.reals("y")));
    calibrate!(table, infer, one, wide_prior, weak; data => wide(&data.reals("y")));
    calibrate!(table, infer, one, dropped_jacobian, model; data => dropped(&data.reals("y")));
    still(table);
    calibrate!(table, infer, one, jacobian_by_hand, model; data => by_hand(&data.reals("y")));
}

/// Particles that do not move, as if every proposal were rejected.
fn still(table: &mut Table) {
    let label = "particles that do not move";
    if !label.contains(&table.only) {
        return;
    }
    let found = sbc(&location(&[0.0; 5]), |data, seed| {
        let still = RandomWalk::new().step_size(1e-6);
        let engine = Inference::smc().particles(512).mutations(1).kernel(still);
        engine.seed(seed).run(&location(&data.reals("y")))
    })
    .simulations(table.simulations)
    .seed(table.options.seed)
    .run();
    table.take(label, found);
}

fn finish(mut table: Table) {
    let rows: Vec<Value> = table
        .rows
        .iter()
        .map(|(label, found)| {
            json!({
                "run": label,
                "p": found.p_value(),
                "quantities": found.quantities.iter().map(|q| json!({ "name": q.name, "p": q.p_value })).collect::<Vec<_>>(),
            })
        })
        .collect();
    table.report.note("simulations", json!(table.simulations));
    table.report.note("calibrations", Value::Array(rows));
    table.report.finish();
}
