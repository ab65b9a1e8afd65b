//! The tables: mean and standard error over seeds, and the published figures below.

use crate::found::{Found, Results, strange};
use crate::published::{Published, find};
use crate::score::Scores;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// A column: its name, and the figure in it.
type Column = (&'static str, fn(&Scores) -> f64);

const SCORES: [Column; 9] = [
    ("epochs", |s| s.epochs),
    ("accuracy %", |s| 100.0 * s.accuracy),
    ("NLL", |s| s.nll),
    ("Brier", |s| s.brier),
    ("ECE", |s| s.calibration_error),
    ("H right", |s| s.epistemic[0]),
    ("H wrong", |s| s.epistemic[1]),
    ("H strange", strange),
    ("effective members", |s| s.effective_members),
];

/// Columns of all rows of known classes, for the JSON.
const KNOWN: [Column; 2] = [
    ("accuracy % of all known", |s| 100.0 * s.of_all_known[0]),
    ("NLL of all known", |s| s.of_all_known[1]),
];

/// Columns of the meta-classifier with a hidden layer, the optimal rule first; the logistic regression last.
const DETECTION: [Column; 8] = [
    ("precision", |s| s.detection[1].optimal[0]),
    ("recall", |s| s.detection[1].optimal[1]),
    ("F1", |s| s.detection[1].optimal[2]),
    ("AUC", |s| s.detection[1].auc),
    ("F1 at 1/2", |s| s.detection[1].default[2]),
    ("two-level", |s| highest(&s.detection[1].two_level)),
    ("logistic F1", |s| s.detection[0].optimal[2]),
    ("logistic AUC", |s| s.detection[0].auc),
];

fn highest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// Digits after the point, by the size of the figure.
fn digits(x: f64) -> usize {
    match x {
        x if x >= 100.0 => 0,
        x if x >= 10.0 => 2,
        _ => 4,
    }
}

fn with_error([mean, error]: [f64; 2]) -> String {
    let digits = digits(mean);
    match error.is_finite() {
        true => format!("{mean:.digits$} ± {error:.digits$}"),
        false => format!("{mean:.digits$}"),
    }
}

/// The tables of a task as text.
pub fn text(results: &Results<'_>) -> String {
    let task = results.task;
    let seeds = results.found[0].scores.len();
    let mut text = format!(
        "{}: {} weights; {} rows, {} of them for the optimiser; tested on {}; {seeds} seeds: mean ± standard error; published in the line below\n\
         H: mean epistemic entropy in nats where the class is right, wrong, and out of distribution\n\n",
        task.name,
        task.net.parameters(),
        task.data.labels.len(),
        task.training,
        task.predicted.test.len(),
    );
    text += &table(results, &SCORES, scores_published);
    let _ = writeln!(
        text,
        "\nDetection of wrong predictions, hidden layer of 32, threshold of the best F1 on other rows:\n"
    );
    text += &table(results, &DETECTION, detection_published);
    let _ = writeln!(text, "\nEpistemic entropy:\n");
    text += &entropies(results);
    for found in results.of("HMC s chosen").take(1) {
        let scales: Vec<String> = found
            .scores
            .iter()
            .filter_map(|s| s.scale)
            .map(|s| s.to_string())
            .collect();
        let _ = writeln!(
            text,
            "\nScales of the lowest validation NLL, seed by seed: {}",
            scales.join(", ")
        );
    }
    text
}

fn table(
    results: &Results<'_>,
    columns: &[Column],
    published: fn(&Published) -> Vec<Option<f64>>,
) -> String {
    let mut text = format!("{:<16}{:>8}", "method", "members");
    for (name, _) in columns {
        let _ = write!(text, " {name:>17}");
    }
    text += "\n";
    for found in &results.found {
        let _ = write!(text, "{:<16}{:>8}", found.method, found.members());
        for (_, of) in columns {
            let _ = write!(text, " {:>17}", with_error(found.mean(of)));
        }
        text += "\n";
        let name = found.method.trim_end_matches(" equal");
        let Some(theirs) = find(results.task.name, name, found.members()) else {
            continue;
        };
        let theirs = published(theirs);
        if theirs.iter().all(Option::is_none) {
            continue;
        }
        let _ = write!(text, "{:<24}", "  published");
        for cell in theirs {
            let cell = cell.map_or(String::new(), |x| format!("{x:.*}", digits(x)));
            let _ = write!(text, " {cell:>17}");
        }
        text += "\n";
    }
    text
}

fn scores_published(row: &Published) -> Vec<Option<f64>> {
    let epistemic = |k: usize| row.epistemic.map(|h| h[k]);
    let first = [
        Some(row.epochs),
        Some(row.accuracy[0]),
        Some(row.nll),
        row.brier,
        None,
    ];
    first.into_iter().chain([0, 1, 2].map(epistemic)).collect()
}

fn detection_published(row: &Published) -> Vec<Option<f64>> {
    let optimal = |k: usize| row.detection.map(|d| d[k]);
    let first = [0, 1, 2, 3].map(optimal);
    first
        .into_iter()
        .chain([row.default.map(|d| d[2])])
        .collect()
}

/// Epistemic entropies by set.
fn entropies(results: &Results<'_>) -> String {
    let mut text = format!("{:<16}{:>8}", "method", "members");
    let sets = results.sets();
    for name in &sets {
        let _ = write!(text, " {name:>17}");
    }
    text += "\n";
    for found in results.found.iter().filter(|found| found.members() > 1) {
        let _ = write!(text, "{:<16}{:>8}", found.method, found.members());
        for set in 0..sets.len() {
            let _ = write!(
                text,
                " {:>17}",
                with_error(found.mean(|s| s.epistemic[set]))
            );
        }
        text += "\n";
        let name = found.method.trim_end_matches(" equal");
        let theirs = find(results.task.name, name, found.members());
        if let Some((sets, [right, wrong, _])) = theirs.and_then(|row| row.sets.zip(row.epistemic))
        {
            let _ = write!(text, "{:<24}", "  published");
            for x in [right, wrong].into_iter().chain(sets) {
                let _ = write!(text, " {x:>17.4}");
            }
            text += "\n";
        }
    }
    text
}

/// The same as JSON: by method and number of members, each figure with its standard error over seeds.
pub fn json(results: &Results<'_>) -> Value {
    let mut methods = Map::new();
    for found in &results.found {
        let mut row = Map::new();
        for (name, of) in SCORES.iter().chain(&KNOWN).chain(&DETECTION) {
            row.insert((*name).to_owned(), figure(found.mean(of)));
        }
        for (set, name) in results.sets().into_iter().enumerate() {
            let epistemic = found.mean(|s| s.epistemic[set]);
            let total = found.mean(|s| s.total[set]);
            row.insert(format!("epistemic entropy: {name}"), figure(epistemic));
            row.insert(format!("total entropy: {name}"), figure(total));
        }
        methods.insert(key(found), Value::Object(row));
    }
    Value::Object(methods)
}

fn key(found: &Found) -> String {
    format!("{}, {}", found.method, found.members())
}

/// A figure with its error; a single seed has no error.
fn figure([mean, error]: [f64; 2]) -> Value {
    match error.is_finite() {
        true => json!([mean, error]),
        false => json!(mean),
    }
}
