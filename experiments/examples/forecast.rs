//! Times of default runs beside the forecasts of `check`, on the 17 posteriors of `posteriordb`.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example forecast                  all models
//! cargo run --release -p bayes-experiments --example forecast -- --only a,b    models whose names contain one of these
//! ```
//!
//! `check` runs NUTS and an island for a second each, and extrapolates from their progress. For each model it prints the
//! forecast, the time of the run, and their ratio. The last lines count the runs within a factor of two. Times are wall times, so nothing
//! else should run. No time is asserted, but every run of a second must show its progress.

use bayes::density::ArithmeticSettings;
use bayes::engine::{Engine, probe};
use bayes::prelude::*;
use bayes_experiments::AnyModel;
use bayes_experiments::common::{Options, Report, fail, or_fail};
use bayes_experiments::published::{NAMES, Problem};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// What `check` allows each engine.
const SECOND: Duration = Duration::from_secs(1);

/// A run that is shorter than its forecast's resolution shows nothing.
const SHORT: f64 = 0.05;

/// Forecast and time of a run, in seconds.
struct Times {
    forecast: f64,
    run: f64,
}

impl Times {
    fn ratio(&self) -> f64 {
        self.run / self.forecast
    }

    fn are_near(&self) -> bool {
        (0.5..=2.0).contains(&self.ratio()) || self.run.max(self.forecast) < SHORT
    }

    fn json(&self) -> Value {
        json!({ "forecast": self.forecast, "run": self.run, "ratio": self.ratio(), "near": self.are_near() })
    }
}

fn main() {
    let (options, [only]) = Options::with(["--only"]);
    let only: Vec<String> = only.map_or(Vec::new(), |list| {
        list.split(',').map(str::to_owned).collect()
    });
    let mut names: Vec<&str> = NAMES.into_iter().collect();
    names.retain(|name| only.is_empty() || only.iter().any(|part| name.contains(part.as_str())));
    names.truncate(options.size(names.len(), 2));
    let mut report = Report::new("forecast", options);
    report.say(&format!(
        "{:<44} {:>9} {:>9} {:>6}   {:>9} {:>9} {:>6}",
        "", "nuts", "", "ratio", "psmc", "", "ratio"
    ));
    let mut figures = Map::new();
    let mut near = [[0; 2]; 2];
    for name in names {
        let problem = Problem::read(None, name).unwrap_or_else(|error| fail(&error));
        let mut found = Vec::new();
        or_fail(problem.model(&mut |model| {
            found.push(times(model, options.seed, true));
            Ok(())
        }));
        if problem.log_evidence().is_some() {
            or_fail(problem.model_for_particles(&mut |model| {
                found.push(times(model, options.seed, false));
                Ok(())
            }));
        }
        let cell = |times: &Times| {
            let (forecast, run, ratio) = (times.forecast, times.run, times.ratio());
            format!("{forecast:>9.2} {run:>9.2} {ratio:>6.2}")
        };
        let cells: Vec<String> = found.iter().map(cell).collect();
        report.say(&format!("{name:<44} {}", cells.join("   ")));
        for (times, near) in found.iter().zip(&mut near) {
            near[0] += usize::from(times.are_near());
            near[1] += 1;
        }
        figures.insert(
            name.to_owned(),
            found.iter().map(Times::json).collect::<Vec<Value>>().into(),
        );
    }
    for (engine, [near, all]) in ["nuts", "psmc"].iter().zip(near) {
        report.say(&format!("{engine}: {near} of {all} within a factor of two"));
    }
    report.note("problems", Value::Object(figures));
    report.finish();
}

/// Of NUTS, or of pSMC.
fn times(model: &dyn AnyModel, seed: u64, chains: bool) -> Times {
    let density = or_fail(model.density(seed, ArithmeticSettings::default()));
    let threads = rayon::current_num_threads();
    let forecast = match chains {
        true => probe::nuts(&*density, seed, SECOND),
        // eight islands, as `check` has it
        false => probe::island(&*density, seed, SECOND)
            .map(|island| island * 8.0 / threads.clamp(1, 8) as f64),
    };
    let start = Instant::now();
    let engine: Box<dyn Engine> = match chains {
        true => Box::new(Inference::nuts().seed(seed).progress(false)),
        false => Box::new(Inference::psmc().seed(seed).progress(false)),
    };
    or_fail(engine.run_on(&*density));
    Times {
        forecast: forecast.expect("the beginning of a run shows its progress"),
        run: start.elapsed().as_secs_f64(),
    }
}
