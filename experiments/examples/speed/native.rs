//! This program compared with a build for this processor only (`target-cpu=native`).

use super::block::{Evaluation, PARTICLES};
use super::clock::{Ratio, interleave};
use super::hand::lanes::Set;
use super::table::{Promise, Row};
use super::{Context, models};
use bayes::prelude::*;
use serde_json::{Map, Value, json};
use std::process::Command;

/// Number of alternating timings of the two programs.
const TURNS: usize = 5;

/// The answer: the workload with the largest loss.
pub fn rows(context: &Context) -> Vec<Row> {
    let (work, promise) = (
        "plain build / build for this processor, speed",
        Promise::AtLeast(0.8, 0.95),
    );
    let Some(program) = &context.options.native else {
        return vec![Row::missing(
            work,
            promise,
            "give the other build with --native PROGRAM",
        )];
    };
    let mut ratios: Map<String, Value> = Map::new();
    let mut readings: Vec<(String, Vec<f64>)> = Vec::new();
    for _ in 0..TURNS {
        let output = Command::new(program).args(["--probe", "--quick"]).output();
        let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
        let other: Value = text
            .ok()
            .and_then(|t| serde_json::from_str(&t).ok())
            .unwrap_or(Value::Null);
        for (name, mine) in times(context) {
            let Some(theirs) = other[&name].as_f64() else {
                return vec![Row::missing(
                    work,
                    promise,
                    format!("{} gave no times", program.display()),
                )];
            };
            match readings.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) => values.push(theirs / mine),
                None => readings.push((name, vec![theirs / mine])),
            }
        }
    }
    let found: Vec<(String, Ratio)> = readings
        .into_iter()
        .map(|(n, v)| (n, Ratio::of(v)))
        .collect();
    for (name, ratio) in &found {
        ratios.insert(name.clone(), json!((ratio.value * 100.0).round() / 100.0));
    }
    let least = found
        .into_iter()
        .min_by(|a, b| a.1.value.total_cmp(&b.1.value));
    let (name, ratio) = least.expect("there are workloads");
    vec![Row::new(
        work,
        ratio,
        promise,
        format!("least on {name}; {}", Value::Object(ratios)),
    )]
}

/// Prints the times of this build as JSON.
pub fn probe(context: &Context) {
    let times: Map<String, Value> = times(context)
        .into_iter()
        .map(|(n, t)| (n, json!(t)))
        .collect();
    println!("{}", Value::Object(times));
}

/// Microseconds of a value and gradient, workload by workload.
fn times(context: &Context) -> Vec<(String, f64)> {
    let problems = &context.problems;
    let (gauss, (y, sigma)) = (&problems.gauss, &problems.schools);
    vec![
        time(
            context,
            "credit",
            &models::credit(&problems.credit.0, &problems.credit.1),
        ),
        time(
            context,
            "gauss",
            &models::gauss(&gauss.x, &gauss.y, gauss.noise),
        ),
        time(context, "gmm", &models::gmm(16)),
        time(context, "eight_schools", &models::eight_schools(y, sigma)),
        time(context, "arK", &models::ark(&problems.ark)),
        time(
            context,
            "garch11",
            &models::garch(&problems.garch.0, problems.garch.1),
        ),
    ]
}

fn time<Mo: Model>(context: &Context, name: &str, model: &Mo) -> (String, f64) {
    let mut evaluation = Evaluation::new(model, PARTICLES);
    let times = interleave(
        &mut [&mut || evaluation.gradients()],
        context.options.budget() / 10,
    );
    (name.to_owned(), times[0].best() * 1e6 / PARTICLES as f64)
}

/// The machine of the figures.
pub fn machine() -> Value {
    let sets: Vec<String> = Set::available()
        .iter()
        .map(|set| format!("{set:?}"))
        .collect();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    json!({ "architecture": std::env::consts::ARCH, "instruction_sets": sets, "cores": cores })
}
