//! Settings of pSMC on many problems with known answers, compared to choose the defaults.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example battery                                     the default settings on all problems
//! cargo run --release -p bayes-experiments --example battery -- --settings "ess 0.5; ess 0.9 steps 8"
//! cargo run --release -p bayes-experiments --example battery -- --only credit,blr --repeats 10 --islands 8 --particles 256
//! ```
//!
//! A setting is a list of words, each followed by its value; other settings keep their defaults. The words are in
//! `setting.rs`. Every setting solves every problem `--repeats` times with different seeds. For each the program prints:
//!
//! - `mean Z`, `mean ln Z`: the log of the mean evidence of all islands, and the mean of their log evidences, minus the truth,
//!   with standard errors. The first is unbiased if nothing is adapted; the second is always too low.
//! - `covers`: the share of the printed 95% intervals of the log evidence that hold the truth, and the same for the posterior
//!   means.
//! - `mse x Mg`: the mean squared error of an island's log evidence times its cost in millions of gradients: smaller is better,
//!   and for the same setting about the same for any number of particles. The next column has the same for the posterior means
//!   of a run, in posterior standard deviations.
//!
//! The kinds of warnings are counted below the line.
//!
//! `--save FILE` writes the evidence estimates of single islands, a line of JSON for each run.
//!
//! The last table ranks the settings by the geometric mean of these products over the problems.

mod islands;
mod problems;
mod setting;
mod trial;

use bayes_experiments::common::{Options, Report, number};
use islands::Islands;
use problems::{Case, cases};
use serde_json::{Value, json};
use setting::{Setting, Size};
use std::collections::BTreeMap;
use trial::{Trial, score};

/// The problems of `--quick`.
const QUICK: &str = "normal_mean,credit,funnel_likelihood,two_modes";

fn main() {
    let names = [
        "--settings",
        "--only",
        "--repeats",
        "--islands",
        "--particles",
        "--save",
    ];
    let (options, [settings, only, repeats, islands, particles, save]) = Options::with(names);
    let settings: Vec<Setting> = settings
        .as_deref()
        .unwrap_or("default")
        .split(';')
        .map(Setting::read)
        .collect();
    let size = Size {
        islands: number("--islands", islands, options.size(8, 4)),
        particles: number("--particles", particles, options.size(256, 128)),
    };
    let repeats: u64 = number("--repeats", repeats, options.size(40, 2) as u64);
    let chosen: Vec<Case> = match &only {
        Some(list) => named(cases(), list),
        None if options.quick => named(cases(), QUICK),
        None => cases(),
    };
    let mut saved = Islands::to(save);
    let mut report = Report::new("battery", options);
    report.say(&format!(
        "{} islands of {} particles, {repeats} runs",
        size.islands, size.particles
    ));
    let mut scores = vec![Vec::new(); settings.len()];
    for case in &chosen {
        report.say(&format!(
            "\n{}: d = {}\n{}",
            case.name,
            case.dim(),
            Trial::HEADER
        ));
        for (setting, scores) in settings.iter().zip(&mut scores) {
            let seeds = options.seed * 1000..options.seed * 1000 + repeats;
            let mut warned = Warned::default();
            let trial = Trial::of(case, setting, size, seeds, &mut |seed, run| {
                saved.add(case, &setting.text, seed, run);
                warned.add(run);
            });
            report.say(&trial.line(&setting.text));
            warned.say(&report, repeats);
            report.note(&format!("{} | {}", case.name, setting.text), trial.json());
            scores.push(trial);
        }
    }
    rank(&mut report, &settings, &scores);
    report.finish();
}

/// The number of runs with each kind of warning.
#[derive(Default)]
struct Warned(BTreeMap<String, u64>);

impl Warned {
    fn add(&mut self, run: &bayes::Run) {
        for warning in run.warnings() {
            let debug = format!("{warning:?}");
            let kind = debug.split('(').next().unwrap_or_default();
            *self.0.entry(kind.to_owned()).or_default() += 1;
        }
    }

    fn say(&self, report: &Report, repeats: u64) {
        if self.0.is_empty() {
            return;
        }
        let kinds = self.0.iter().map(|(kind, runs)| format!("{kind} {runs}"));
        let kinds: Vec<String> = kinds.collect();
        report.say(&format!(
            "  warnings of {repeats} runs: {}",
            kinds.join(", ")
        ));
    }
}

/// The cases selected by a comma-separated list of names or parts of names. A whole name selects only its case.
fn named(cases: Vec<Case>, list: &str) -> Vec<Case> {
    let whole: Vec<String> = cases.iter().map(|case| case.name.clone()).collect();
    let asks = |part: &str, name: &str| {
        name == part || (name.contains(part) && !whole.iter().any(|name| name == part))
    };
    cases
        .into_iter()
        .filter(|case| list.split(',').any(|part| asks(part, &case.name)))
        .collect()
}

/// Prints the settings in the order of their score.
fn rank(report: &mut Report, settings: &[Setting], trials: &[Vec<Trial>]) {
    // a problem without known means has no score of means
    let mean = |trials: &[Trial], of: fn(&Trial) -> f64| {
        let known = trials.iter().map(of).filter(|score| !score.is_nan());
        let logs: Vec<f64> = known.map(f64::ln).collect();
        logs.iter().sum::<f64>() / logs.len() as f64
    };
    let mut rows: Vec<(f64, f64, f64, &str)> = settings
        .iter()
        .zip(trials)
        .map(|(setting, trials)| {
            let evidence = mean(trials, Trial::evidence_score).exp();
            let means = mean(trials, Trial::means_score).exp();
            let covers = trials.iter().map(Trial::coverage).sum::<f64>() / trials.len() as f64;
            (evidence, means, covers, setting.text.as_str())
        })
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    report.say(
        "\nevidence: mse x Mg    means: mse x Mg    covers   (geometric means over the problems)",
    );
    for (evidence, means, covers, text) in &rows {
        report.say(&format!(
            "{:>18} {:>18} {covers:>9.3}   {text}",
            score(*evidence),
            score(*means),
        ));
    }
    let ranks: Vec<Value> = rows
        .iter()
        .map(|(evidence, means, covers, text)| {
            json!({ "setting": text, "evidence": evidence, "means": means, "covers": covers })
        })
        .collect();
    report.note("ranks", Value::Array(ranks));
}
