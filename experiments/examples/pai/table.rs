//! The tables: mean and standard error over seeds, next to the published mean and standard deviation.

use crate::Task;
use crate::problem::Problem;
use crate::score::Score;
use crate::solve::{Answer, Solved};
use bayes_experiments::common::estimate;
use serde_json::{Value, json};
use std::fmt::Write;

/// Three digits, with an exponent if needed.
fn short(x: f64) -> String {
    match x.abs() {
        size if size >= 1e4 || (size > 0.0 && size < 1e-3) => format!("{x:.1e}"),
        size if size >= 100.0 => format!("{x:.0}"),
        size if size >= 10.0 => format!("{x:.1}"),
        _ => format!("{x:.3}"),
    }
}

fn with_error([mean, error]: [f64; 2]) -> String {
    match error.is_finite() {
        true => format!("{} ± {}", short(mean), short(error)),
        false => short(mean),
    }
}

/// The values of a method over the seeds.
fn over_seeds(answers: &[Answer], place: usize, of: impl Fn(&Score) -> f64) -> Vec<f64> {
    answers
        .iter()
        .map(|answer| of(&answer.scores[place]))
        .collect()
}

/// A figure of a score.
type Figure = fn(&Score) -> f64;

/// The distances, in the order of the published ones.
const DISTANCES: [(&str, Figure); 3] = [
    ("MMTV", |score| score.mmtv),
    ("W2", |score| score.w2),
    ("GsKL", |score| score.gskl),
];

/// A text table.
pub fn text(problem: &Problem, task: &Task, solved: &Solved) -> String {
    let (answers, floor) = (&solved.answers, &solved.truth.floor);
    let mut text = heading(problem, task, answers);
    let published = match problem.published {
        [] => "",
        _ => "published",
    };
    let _ = write!(text, "\n{:<15}", "method");
    for (name, _) in DISTANCES {
        let _ = write!(text, " {name:<19} {published:<17}");
    }
    let _ = writeln!(
        text,
        " {:>6} {:>6} {:>5} {:>8}  masses",
        "ESS", "exact", "s", "warnings"
    );
    for place in 0..answers[0].scores.len() {
        text += &line(problem, answers, place);
    }
    let _ = write!(text, "{:<15}", "floor");
    for (_, of) in DISTANCES {
        let _ = write!(text, " {:<37}", short(of(floor)));
    }
    text + "\n"
}

fn heading(problem: &Problem, task: &Task, answers: &[Answer]) -> String {
    let effort = task.effort;
    let evaluations: Vec<f64> = answers.iter().map(|a| a.evaluations).collect();
    let seconds: Vec<f64> = answers.iter().map(|a| a.chain_seconds).collect();
    let published = match problem.published {
        [] => "",
        _ => "; published: mean ± standard deviation",
    };
    let mut text = format!(
        "\n{}: {} parts, 4 chains of {} draws each; {} seeds: mean ± standard error{published}\n\
         chains: {} evaluations of all data, {} s",
        problem.name,
        problem.parts,
        effort.chain,
        answers.len(),
        with_error(estimate(&evaluations)),
        with_error(estimate(&seconds)),
    );
    if problem.region.is_some() {
        let seen = answers
            .iter()
            .flat_map(|a| a.seen.iter().map(|s| *s as f64));
        let missed: Vec<f64> = answers.iter().map(|a| a.missed as f64).collect();
        let _ = write!(
            text,
            "; modes seen by a part: {} of 4; parts with the warning: {}",
            with_error(estimate(&seen.collect::<Vec<f64>>())),
            with_error(estimate(&missed))
        );
    }
    text
}

fn line(problem: &Problem, answers: &[Answer], place: usize) -> String {
    let first = &answers[0].scores[place];
    let published = problem.published.iter().find(|row| row.0 == first.method);
    let mut text = format!("{:<15}", first.method);
    for (k, (_, of)) in DISTANCES.iter().enumerate() {
        let ours = with_error(estimate(&over_seeds(answers, place, of)));
        let theirs = published.map_or_else(String::new, |row| {
            let [mean, sd] = row.1[k];
            format!("{} ± {}", short(mean), short(sd))
        });
        let _ = write!(text, " {ours:<19} {theirs:<17}");
    }
    let mean = |of: Figure| estimate(&over_seeds(answers, place, of))[0];
    let ess = mean(|score| score.ess);
    let ess = if ess.is_nan() {
        String::new()
    } else {
        format!("{ess:.0}")
    };
    let (evaluations, seconds) = (mean(|s| s.evaluations), mean(|s| s.seconds));
    let is_known = answers.iter().all(|a| !a.scores[place].regions.is_empty());
    let masses: Vec<String> = (0..if is_known { 4 } else { 0 })
        .map(|region| {
            let shares = over_seeds(answers, place, |score| score.regions[region]);
            with_error(estimate(&shares))
        })
        .collect();
    let masses = masses.join(", ");
    let warnings = warnings(answers, place);
    text + &format!(" {ess:>6} {evaluations:>6.0} {seconds:>5.1} {warnings:>8}  {masses}\n")
}

/// The warnings of a method for each seed; nothing if there is none.
fn warnings(answers: &[Answer], place: usize) -> String {
    let counts = answers.iter().map(|answer| answer.scores[place].warnings);
    let counts: Vec<usize> = counts.collect();
    match counts.iter().sum::<usize>() {
        0 => String::new(),
        _ => {
            let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
            counts.join(",")
        }
    }
}

/// All figures of all seeds; seconds only if asked for.
pub fn json(solved: &Solved, with_times: bool) -> Value {
    let (answers, floor) = (&solved.answers, &solved.truth.floor);
    let round = |values: Vec<f64>| -> Vec<Value> {
        // four digits, because people read the line too
        let short = |x: f64| format!("{x:.3e}").parse::<f64>().ok();
        values.into_iter().map(|x| json!(short(x))).collect()
    };
    let of = |place: usize| {
        let values = |of: Figure| round(over_seeds(answers, place, of));
        let mut object = json!({
            "mmtv": values(|s| s.mmtv),
            "w2": values(|s| s.w2),
            "gskl": values(|s| s.gskl),
            "ess": values(|s| s.ess),
            "evaluations": values(|s| s.evaluations),
            "warnings": values(|s| s.warnings as f64),
        });
        if !answers[0].scores[place].regions.is_empty() {
            let regions = answers
                .iter()
                .map(|a| round(a.scores[place].regions.clone()));
            object["masses"] = regions.collect();
        }
        if with_times {
            object["seconds"] = json!(values(|s| s.seconds));
        }
        (answers[0].scores[place].method.to_owned(), object)
    };
    let methods: serde_json::Map<String, Value> = (0..answers[0].scores.len()).map(of).collect();
    let all = |of: fn(&Answer) -> f64| round(answers.iter().map(of).collect());
    let mut object = json!({
        "methods": methods,
        "floor": round(DISTANCES.iter().map(|(_, of)| of(floor)).collect()),
        "evaluations": all(|a| a.evaluations),
        "parts_with_warning": all(|a| a.missed as f64),
        "modes_seen": answers.iter().map(|a| json!(a.seen)).collect::<Value>(),
    });
    if with_times {
        object["chain_seconds"] = json!(all(|a| a.chain_seconds));
    }
    object
}
