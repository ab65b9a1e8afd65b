//! The mass matrix of NUTS: gradients for an effective draw of the worst quantity, burn-in counted, with a mass from variances, from
//! draws and gradients, and from these with a few directions.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example mass                   all models, 8 seeds
//! cargo run --release -p bayes-experiments --example mass -- --only arK     models whose names contain this
//! ```
//!
//! 4 chains of 1000 draws after 1000 steps, on the posteriors of `posteriordb`, models that people write on their first day, those of the
//! experiment `nuts`, and Gaussians whose axes are not those of the coordinates. Ratios are geometric means over the seeds, each with the
//! standard error of its logarithm.

#[path = "../everyday/models.rs"]
#[allow(dead_code, reason = "its network takes minutes")]
mod everyday;
mod models;
#[path = "../nuts/models.rs"]
#[allow(dead_code, reason = "some of its models are those of posteriordb")]
mod simple;

use bayes::engine::Engine;
use bayes::prelude::*;
use bayes::{Error, Run};
use bayes_experiments::common::{Options, Report, or_fail};
use bayes_experiments::published::{NAMES, Problem};
use serde_json::json;

const MASSES: [Mass; 3] = [Mass::Variance, Mass::Fisher, Mass::LowRank];

/// Runs an engine on a model.
type Infer<'a> = dyn Fn(&dyn Engine) -> Result<Run, Error> + 'a;

/// What the masses did on a model.
struct Row {
    name: String,
    /// Gradients for an effective draw, the geometric mean over the seeds, of each mass.
    cost: Vec<f64>,
    /// The logarithm of the ratio to the first mass, and its standard error.
    log_ratios: Vec<[f64; 2]>,
    /// Divergent transitions of all seeds.
    divergent: Vec<u64>,
    r_hat: Vec<f64>,
}

fn main() {
    let (options, [only]) = Options::with(["--only"]);
    let mut battery = Battery {
        report: Report::new("mass", options),
        options,
        only,
        rows: Vec::new(),
    };
    battery.options.say(&header());
    published(&mut battery);
    first_day(&mut battery);
    others(&mut battery);
    gaussians(&mut battery);
    battery.finish();
}

fn published(battery: &mut Battery) {
    for name in &NAMES[..battery.options.size(NAMES.len(), 2)] {
        let problem = Problem::shipped(name);
        let infer = |engine: &dyn Engine| problem.solve_as_published(engine);
        let short = name.rsplit('-').next().unwrap_or(name);
        battery.add(short, &infer);
    }
}

fn first_day(battery: &mut Battery) {
    let data = everyday::Data::simulated();
    let (groups, group, x) = (data.groups, &data.group, &data.x);
    let slopes = everyday::varying_slopes(groups, group, x, &data.y);
    battery.add("varying_slopes", &|engine| engine.run(&slopes));
    let mixture = everyday::mixture(&data.clusters);
    battery.add("mixture", &|engine| engine.run(&mixture));
    let volatility = everyday::volatility(&data.returns);
    battery.add("volatility", &|engine| engine.run(&volatility));
    let survival = everyday::survival(groups, group, x, &data.time, &data.end);
    battery.add("survival", &|engine| engine.run(&survival));
    let polynomial = everyday::polynomial(&data.powers, &data.curve);
    battery.add("polynomial", &|engine| engine.run(&polynomial));
}

fn others(battery: &mut Battery) {
    let data = simple::Data::load();
    let deviations = simple::spread();
    let spread = simple::gaussian_spread(&deviations);
    battery.add("gaussian_spread", &|engine| engine.run(&spread));
    battery.add("credit", &|engine| engine.run(&data.credit()));
    battery.add("regression", &|engine| engine.run(&data.regression()));
    battery.add("counts", &|engine| engine.run(&data.counts()));
}

fn gaussians(battery: &mut Battery) {
    let roots = [
        ("rotated_spread", models::rotated(&models::spread())),
        ("rotated_few", models::rotated(&models::few())),
        ("series_0.95", models::series(50, 0.95)),
    ];
    for (name, root) in roots {
        let zeros = vec![0.0; root.nrows()];
        let model = models::gaussian(&root, &zeros);
        battery.add(name, &|engine| engine.run(&model));
    }
}

/// The models done so far.
struct Battery {
    report: Report,
    options: Options,
    only: Option<String>,
    rows: Vec<Row>,
}

impl Battery {
    fn add(&mut self, name: &str, infer: &Infer<'_>) {
        if self.only.as_ref().is_some_and(|only| !name.contains(only)) {
            return;
        }
        let row = measured(name, infer, self.options);
        self.options.say(&text(&row));
        self.report.note(
            name,
            json!({ "gradients_per_draw": row.cost, "log_ratios": row.log_ratios, "divergent": row.divergent }),
        );
        self.rows.push(row);
    }

    fn finish(mut self) {
        for (k, mass) in MASSES.iter().enumerate().skip(1) {
            let logs = || self.rows.iter().map(|row| row.log_ratios[k][0]);
            let mean = (logs().sum::<f64>() / self.rows.len() as f64).exp();
            let worst = logs().fold(f64::NEG_INFINITY, f64::max).exp();
            self.report.say(&format!(
                "{mass:?} / {:?}: {mean:.3} in the geometric mean, at worst {worst:.2}",
                MASSES[0]
            ));
            self.report.note(
                &format!("{mass:?}"),
                json!({ "mean": mean, "worst": worst }),
            );
        }
        self.report.finish();
    }
}

fn measured(name: &str, infer: &Infer<'_>, options: Options) -> Row {
    let seeds = options.size(8, 1) as u64;
    let mut logs = vec![Vec::new(); MASSES.len()];
    let mut row = Row {
        name: name.to_owned(),
        cost: Vec::new(),
        log_ratios: Vec::new(),
        divergent: vec![0; MASSES.len()],
        r_hat: vec![0.0; MASSES.len()],
    };
    for seed in options.seed..options.seed + seeds {
        for (k, mass) in MASSES.iter().enumerate() {
            let engine = Inference::chains(Nuts::new().mass(mass.clone()))
                .burn_in(options.size(1000, 200))
                .draws(options.size(1000, 200))
                .seed(seed)
                .progress(false);
            let run = or_fail(infer(&engine));
            logs[k].push(log_cost(&run));
            let trajectories = run.groups.iter().filter_map(|g| g.trajectories());
            row.divergent[k] += trajectories.map(|t| t.divergent).sum::<u64>();
            let rows = run.summary().rows.into_iter();
            let r_hats = rows.map(|row| row.r_hat).filter(|r| r.is_finite());
            row.r_hat[k] = r_hats.fold(row.r_hat[k], f64::max);
        }
    }
    for log in &logs {
        row.cost.push(mean(log).exp());
        let ratios: Vec<f64> = log.iter().zip(&logs[0]).map(|(a, b)| a - b).collect();
        let centre = mean(&ratios);
        let squares: Vec<f64> = ratios.iter().map(|r| (r - centre).powi(2)).collect();
        let error = (mean(&squares) / (ratios.len() as f64 - 1.0)).sqrt();
        row.log_ratios.push([centre, error]);
    }
    row
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

/// The logarithm of the gradients for an effective draw, burn-in counted.
fn log_cost(run: &Run) -> f64 {
    let ess = run.summary().rows.into_iter().map(|row| row.ess_bulk);
    let least = ess
        .filter(|ess| ess.is_finite())
        .fold(f64::INFINITY, f64::min);
    (run.counts().gradient_evaluations as f64 / least).ln()
}

fn header() -> String {
    let masses: Vec<String> = MASSES[1..]
        .iter()
        .map(|mass| format!("{:>16}", format!("{mass:?}")))
        .collect();
    format!(
        "{:<26} {:>10} {}   divergent, largest R-hat",
        "gradients for a draw",
        format!("{:?}", MASSES[0]),
        masses.join(" ")
    )
}

fn text(row: &Row) -> String {
    let ratios: Vec<String> = row.log_ratios[1..]
        .iter()
        .map(|[log, error]| format!("{:>9.2} ± {error:.2}", log.exp()))
        .collect();
    let r_hats: Vec<String> = row.r_hat.iter().map(|r| format!("{r:.2}")).collect();
    format!(
        "{:<26.26} {:>10.1} {}   {:?} {}",
        row.name,
        row.cost[0],
        ratios.join(" "),
        row.divergent,
        r_hats.join(" ")
    )
}
