//! NUTS at its defaults beside the reference moments.

use bayes::Run;
use bayes::density::LogDensity;
use bayes::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A line: the largest deviations of means and standard deviations in Monte Carlo errors, R-hat, effective draws, warnings and seconds.
pub fn report(density: &dyn LogDensity, folder: &Path, posterior: &str) -> String {
    let path = folder.join(format!("moments/{posterior}.json"));
    let moments = std::fs::read_to_string(&path).unwrap_or("{}".to_owned());
    let moments: Value = serde_json::from_str(&moments).expect("the moments are JSON");
    let start = processor_seconds();
    let run = match Inference::nuts().seed(1).progress(false).run_on(density) {
        Ok(run) => run,
        Err(error) => return format!("{posterior}: {error}"),
    };
    let seconds = processor_seconds() - start;
    let (found, worst, missing) = compare(&run, &moments);
    let rows = run.summary().rows;
    let r_hat = rows.iter().map(|row| row.r_hat).fold(0.0, f64::max);
    let ess = rows
        .iter()
        .map(|row| row.ess_bulk)
        .fold(f64::INFINITY, f64::min);
    let mut line = format!(
        "{posterior:<55} {found:>4} {:>5.1} ({}) {:>5.1} {r_hat:>6.3} {ess:>6.0} {:>3} {:>8} {seconds:>7.1}",
        worst[0].0,
        worst[0].1,
        worst[1].0,
        run.warnings().len(),
        run.counts().gradient_evaluations,
    );
    if !missing.is_empty() {
        line += &format!("\n    not in the run: {}", missing.join(" "));
    }
    for warning in run.warnings() {
        let text: String = warning.to_string().chars().take(150).collect();
        line += &format!("\n    {}", text.replace('\n', " "));
    }
    line
}

/// The seconds of all threads on a processor, which other work on the machine does not change; Linux counts them in hundredths.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.split(' ').collect();
    let ticks = |field: usize| {
        fields
            .get(field)
            .and_then(|ticks| ticks.parse::<f64>().ok())
    };
    (ticks(13).unwrap_or(f64::NAN) + ticks(14).unwrap_or(f64::NAN)) / 100.0
}

/// The number of quantities compared, the largest deviations of a mean and of a standard deviation with their names, and the names without a counterpart.
fn compare(run: &Run, moments: &Value) -> (usize, [(f64, String); 2], Vec<String>) {
    let names = run.layout.element_names();
    let columns: BTreeMap<String, usize> = names
        .iter()
        .enumerate()
        .map(|(i, name)| (from_one(name), i))
        .collect();
    let mut worst = [(0.0, String::new()), (0.0, String::new())];
    let (mut found, mut missing) = (0, Vec::new());
    for (name, reference) in moments.as_object().expect("moments by name") {
        let Some(element) = columns.get(name) else {
            missing.push(name.clone());
            continue;
        };
        found += 1;
        let number = |key: &str| reference[key].as_f64().unwrap_or(0.0);
        let mean = run.estimate(|draw| draw.values()[*element]);
        let variance = run.estimate(|draw| (draw.values()[*element] - mean.mean).powi(2));
        let sd = variance.mean.sqrt();
        let z = [
            (mean.mean - number("mean")).abs() / mean.se.hypot(number("mean_se")),
            (sd - number("sd")).abs() / (variance.se / (2.0 * sd)).hypot(number("sd_se")),
        ];
        for (worst, z) in worst.iter_mut().zip(z) {
            // a NaN is no small deviation
            if z.is_nan() || z > worst.0 {
                *worst = (z, name.clone());
            }
        }
    }
    (found, worst, missing)
}

/// Indices from 1, as in the references; `mu_2` is `mu[2]`.
fn from_one(name: &str) -> String {
    if let Some((start, indices)) = name.split_once('[') {
        let indices = indices.trim_end_matches(']').split(',');
        let indices = indices.map(|index| {
            index
                .parse::<usize>()
                .map_or(index.to_owned(), |i| (i + 1).to_string())
        });
        return format!("{start}[{}]", indices.collect::<Vec<_>>().join(","));
    }
    let split = ["theta", "mu", "phi", "lambda"].into_iter();
    for stem in split {
        if let Some(index) = name
            .strip_prefix(stem)
            .and_then(|rest| rest.strip_prefix('_'))
            && index.parse::<usize>().is_ok()
        {
            return format!("{stem}[{index}]");
        }
    }
    name.to_owned()
}
