//! Steps that fit the place: gradients for an effective draw of the worst quantity by NUTS and by WALNUTS, and whether both are right.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example walnuts                      all models, 4 seeds
//! cargo run --release -p bayes-experiments --example walnuts -- --only schools    models whose names contain this
//! cargo run --release -p bayes-experiments --example walnuts -- --tolerance 0.3,4 WALNUTS with these tolerances too
//! cargo run --release -p bayes-experiments --example walnuts -- --acceptance 0.6  and with these targets of the acceptance
//! cargo run --release -p bayes-experiments --example walnuts -- --low-rank       both with a mass of low rank
//! ```
//!
//! 4 chains of 1000 draws after 1000 steps. Gradients are counted with the burn-in; the figure is the geometric mean over the seeds. A
//! mean is compared with its reference in Monte Carlo standard errors: of every quantity of the posteriors of posteriordb, of the log
//! scales of the funnels, whose standard deviations are compared too. The largest of all seeds is printed. A run warns if trajectories
//! diverged or if mean slopes are not 0.

mod models;

use bayes::diagnose::Warning;
use bayes::engine::Engine;
use bayes::kernel::Kernel;
use bayes::prelude::*;
use bayes::{Error, Run};
use bayes_experiments::common::{Options, Report, or_fail};
use bayes_experiments::published::{Problem, Score};
use serde_json::json;

/// Posteriors of posteriordb.
const PUBLISHED: [&str; 12] = [
    "eight_schools-eight_schools_centered",
    "eight_schools-eight_schools_noncentered",
    "extra_brownian_unknown_scales",
    "extra_brownian_known_scales",
    "arK-arK",
    "garch-garch11",
    "kidiq-kidscore_momiq",
    "earnings-logearn_height_male",
    "radon_mn-radon_hierarchical_intercept_noncentered",
    "gp_pois_regr-gp_regr",
    "low_dim_gauss_mix-low_dim_gauss_mix",
    "hmm_example-hmm_example",
];

/// Runs an engine on a model.
type Infer<'a> = dyn Fn(&dyn Engine) -> Result<Run, Error> + 'a;

/// The largest deviation of a run from what is known, in standard errors.
type Deviation<'a> = dyn Fn(&Run) -> f64 + 'a;

/// Makes the chains of a kernel.
type Make = Box<dyn Fn() -> Box<dyn Kernel>>;

fn main() {
    let (options, [only, tolerances, acceptances], [low_rank]) =
        Options::with_flags(["--only", "--tolerance", "--acceptance"], ["--low-rank"]);
    let mass = if low_rank {
        Mass::LowRank
    } else {
        Mass::Variance
    };
    let own = mass.clone();
    let nuts: Make = Box::new(move || Box::new(Nuts::new().mass(own.clone())));
    let walnuts = Walnuts::new().mass(mass);
    let mut kernels = vec![("NUTS".to_owned(), nuts), made("WALNUTS", walnuts.clone())];
    for tolerance in numbers(tolerances) {
        let kernel = walnuts.clone().energy_tolerance(tolerance);
        kernels.push(made(&format!("tolerance {tolerance}"), kernel));
    }
    for acceptance in numbers(acceptances) {
        let kernel = walnuts.clone().target_acceptance(acceptance);
        kernels.push(made(&format!("acceptance {acceptance}"), kernel));
    }
    let mut battery = Battery {
        report: Report::new("walnuts", options),
        options,
        only,
        kernels,
        log_ratios: Vec::new(),
    };
    options.say(HEADER);
    published(&mut battery);
    funnels(&mut battery);
    battery.finish();
}

fn made(label: &str, kernel: Walnuts) -> (String, Make) {
    (label.to_owned(), Box::new(move || Box::new(kernel.clone())))
}

const HEADER: &str = "                                               gradients of a draw, ratio   |z|   divergent  runs that warn  largest R-hat";

fn numbers(list: Option<String>) -> Vec<f64> {
    let parse = |text: &str| text.parse().expect("numbers between commas");
    list.map_or(Vec::new(), |list| list.split(',').map(parse).collect())
}

fn published(battery: &mut Battery) {
    for name in &PUBLISHED[..battery.options.size(PUBLISHED.len(), 1)] {
        let problem = Problem::shipped(name);
        let infer = |engine: &dyn Engine| problem.solve_as_published(engine);
        let short = name.rsplit('-').next().unwrap_or(name);
        battery.add(short, &infer, &|run| Score::of(run, &problem).z_mean);
    }
}

fn funnels(battery: &mut Battery) {
    let neal = models::funnel(3.0, 0.5, 9);
    battery.add("funnel", &|engine| engine.run(&neal), &|run| {
        of_scales(run, 1, 3.0)
    });
    let steep = models::funnel(1.0, 2.0, 20);
    battery.add("funnel_steep", &|engine| engine.run(&steep), &|run| {
        of_scales(run, 1, 1.0)
    });
    let two = models::two_funnels(2.0, 5);
    battery.add("funnels_two", &|engine| engine.run(&two), &|run| {
        of_scales(run, 2, 2.0)
    });
}

/// The largest deviation of the means and standard deviations of the first elements, which are normal around 0.
fn of_scales(run: &Run, elements: usize, sd: f64) -> f64 {
    let of = |k: usize| {
        let mean = run.estimate(|draw| draw.values()[k]);
        let square = run.estimate(|draw| draw.values()[k].powi(2));
        let of_square = (square.mean - sd * sd).abs() / square.se;
        (mean.mean.abs() / mean.se).max(of_square)
    };
    (0..elements).map(of).fold(0.0, f64::max)
}

/// The models done so far.
struct Battery {
    report: Report,
    options: Options,
    only: Option<String>,
    kernels: Vec<(String, Make)>,
    /// The logarithm of the cost of each kernel over that of the first, of each model.
    log_ratios: Vec<Vec<f64>>,
}

/// What a kernel did on a model.
#[derive(Default)]
struct Row {
    log_costs: Vec<f64>,
    deviation: f64,
    divergent: u64,
    warned: usize,
    r_hat: f64,
}

impl Row {
    fn add(&mut self, run: &Run, deviation: f64) {
        self.log_costs.push(log_cost(run));
        self.deviation = self.deviation.max(deviation);
        let trajectories = run.groups.iter().filter_map(|g| g.trajectories());
        self.divergent += trajectories.map(|t| t.divergent).sum::<u64>();
        let misses = |warning: &Warning| {
            matches!(
                warning,
                Warning::Divergences(_) | Warning::UnbalancedSlopes(_)
            )
        };
        self.warned += usize::from(run.warnings().iter().any(misses));
        let rows = run.summary().rows.into_iter();
        let r_hats = rows.map(|row| row.r_hat).filter(|r| r.is_finite());
        self.r_hat = r_hats.fold(self.r_hat, f64::max);
    }

    fn log_cost(&self) -> f64 {
        self.log_costs.iter().sum::<f64>() / self.log_costs.len() as f64
    }
}

impl Battery {
    fn add(&mut self, name: &str, infer: &Infer<'_>, deviation: &Deviation<'_>) {
        if self.only.as_ref().is_some_and(|only| !name.contains(only)) {
            return;
        }
        let seeds = self.options.size(4, 1) as u64;
        let mut logs = Vec::new();
        for (label, make) in &self.kernels {
            let mut row = Row::default();
            for seed in self.options.seed..self.options.seed + seeds {
                let engine = Inference::chains(make())
                    .burn_in(self.options.size(1000, 200))
                    .draws(self.options.size(1000, 200))
                    .seed(seed)
                    .progress(false);
                let run = or_fail(infer(&engine));
                row.add(&run, deviation(&run));
            }
            logs.push(row.log_cost());
            let ratio = (row.log_cost() - logs[0]).exp();
            self.options.say(&text(name, label, &row, ratio));
            self.report.note(
                &format!("{name} {label}"),
                json!({
                    "gradients_per_draw": row.log_cost().exp(),
                    "ratio": ratio,
                    "deviation": row.deviation,
                    "divergent": row.divergent,
                    "warned": row.warned,
                }),
            );
        }
        self.log_ratios
            .push(logs.iter().map(|log| log - logs[0]).collect());
    }

    fn finish(self) {
        for (k, (label, _)) in self.kernels.iter().enumerate().skip(1) {
            let logs = || self.log_ratios.iter().map(|logs| logs[k]);
            let mean = (logs().sum::<f64>() / self.log_ratios.len() as f64).exp();
            let worst = logs().fold(f64::NEG_INFINITY, f64::max).exp();
            self.report.say(&format!(
                "{label} / {}: {mean:.3} in the geometric mean, at worst {worst:.2}",
                self.kernels[0].0
            ));
        }
        self.report.finish();
    }
}

/// The logarithm of the gradients for an effective draw, burn-in counted.
fn log_cost(run: &Run) -> f64 {
    let ess = run.summary().rows.into_iter().map(|row| row.ess_bulk);
    let least = ess
        .filter(|ess| ess.is_finite())
        .fold(f64::INFINITY, f64::min);
    (run.counts().gradient_evaluations as f64 / least).ln()
}

fn text(name: &str, label: &str, row: &Row, ratio: f64) -> String {
    format!(
        "{name:<34.34} {label:<15} {:>12.1} {ratio:>9.2} {:>8.1} {:>8} {:>8} {:>14.2}",
        row.log_cost().exp(),
        row.deviation,
        row.divergent,
        row.warned,
        row.r_hat,
    )
}
