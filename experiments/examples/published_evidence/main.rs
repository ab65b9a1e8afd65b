//! The log evidence of published problems: the engines of this library at their defaults, compared with other programs.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example published_evidence                       runs the engines, and prints a table
//! cargo run --release -p bayes-experiments --example published_evidence -- --keep FILE        adds each run to a file, and runs what it lacks
//! cargo run --release -p bayes-experiments --example published_evidence -- --page FOLDER      writes the page and its picture from the kept runs
//! ```
//!
//! Kept runs are in `data/evidence`: of this library, and of other programs by `peers/evidence.py`. The program prints for each problem and
//! engine: the mean and the root mean square of the estimates less the truth, the mean printed error, the number of 95% intervals that hold
//! the truth, the largest deviation in printed errors, the number of runs with a warning, calls (a gradient counts as three values) and
//! seconds of processor time.
//!
//! Asserted: no run is wrong without a warning, which means more than 3.5 printed errors off and outside of its own 99.8% interval, except
//! for the faults in [`OPEN`]; and in a full run the faults in `OPEN` still occur.

mod engines;
mod page;
mod picture;
mod record;
mod row;

use bayes_experiments::common::{Options, Report, number};
use bayes_experiments::targets::{Target, targets};
use engines::{ENGINES, solve};
use record::Record;
use row::Row;
use serde_json::json;
use std::path::PathBuf;

/// Open faults: problem, engine, and the number of runs that are wrong without a warning. Remove a fault from the list when it is
/// mended.
///
/// Rosenbrock: only seed 18, which is 3.8 errors off; all 20 together are unbiased. The normal of many scales: one of five; the true error is
/// twice the printed one.
const OPEN: [(&str, &str, usize); 2] = [
    ("Rosenbrock, 2 d", "psmc", 1),
    ("normal of many scales, 32 d", "nested", 1),
];

/// Problems that take more than five seconds per seed: five seeds, and none with `--quick`.
const LONG: [&str; 6] = [
    "correlated normal, 25 d",
    "normal of many scales, 32 d",
    "many-well, 32 d",
    "seeds, 26 d",
    "Rosenbrock, 10 d",
    "credit, 15 d",
];

/// The numbers of seeds of a short and of a long problem, for the counts of [`OPEN`]; with `--quick` two of a short one.
const SEEDS: [usize; 2] = [20, 5];

fn main() {
    let names = ["--keep", "--page", "--only", "--seeds"];
    let (options, [keep, folder, only, seeds]) = Options::with(names);
    if let Some(folder) = folder {
        return page::write(&PathBuf::from(folder));
    }
    let keep = keep.map(PathBuf::from);
    let is_full = seeds.is_none() && options.seed == 1 && !options.quick;
    let seeds = number("--seeds", seeds, options.size(SEEDS[0], 1));
    let mut report = Report::new("published_evidence", options);
    let is_chosen = |target: &Target| {
        let is_left_out = options.quick && LONG.contains(&target.name);
        let is_named = only.as_ref().is_none_or(|only| target.name.contains(only));
        is_named && !is_left_out
    };
    let chosen: Vec<Target> = targets().into_iter().filter(is_chosen).collect();
    for target in &chosen {
        let [there, error] = target.checked;
        let off = (target.log_evidence - there).abs();
        // the closed forms ignore the mass outside of the box, which is at most 2e-5
        let name = target.name;
        assert!(
            off < 2e-5 + 5.0 * error,
            "{name}: {there} by peers/truth.py"
        );
    }
    let mut kept: Vec<Record> = keep.as_deref().map(record::read).unwrap_or_default();
    // seed by seed, so that an interrupted run has all problems
    for seed in (options.seed..).take(seeds) {
        for target in &chosen {
            let is_long = LONG.contains(&target.name);
            if !is_long || seed < options.seed + SEEDS[1] as u64 {
                run(target, seed, &mut kept, keep.as_deref());
            }
        }
    }
    report.say(HEAD);
    let rows: Vec<(&Target, Row)> = chosen
        .iter()
        .flat_map(|target| {
            let of = |engine: &&str| Row::of(&kept, engine, target).map(|row| (target, row));
            ENGINES.iter().filter_map(of).collect::<Vec<_>>()
        })
        .collect();
    for (target, row) in &rows {
        say(&mut report, target, row);
    }
    let wrong = unexpected(&rows, is_full);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    report.finish();
}

/// Runs all engines with a seed, unless they are among the kept runs.
fn run(target: &Target, seed: u64, kept: &mut Vec<Record>, file: Option<&std::path::Path>) {
    let is_kept = |r: &Record| r.problem == target.name && r.seed == seed;
    if kept.iter().any(is_kept) {
        return;
    }
    for record in solve(target, seed) {
        if let Some(file) = file {
            record::append(file, &record);
        }
        kept.push(record);
    }
}

const HEAD: &str = "problem                     engine       truth  mean off   rms off   printed  covered  worst z  warned      calls  seconds";

fn say(report: &mut Report, target: &Target, row: &Row) {
    let silent = match row.silent.is_empty() {
        true => String::new(),
        false => format!("  wrong without a warning at seeds {:?}", row.silent),
    };
    report.say(&format!(
        "{:<28}{:<9}{:>9.4}{:>10.4}{:>10.4}{:>10.4}{:>9}{:>9.2}{:>8}{:>11.0}{:>9.2}{silent}",
        target.name,
        row.program,
        target.log_evidence,
        row.bias,
        row.off,
        row.error,
        format!("{}/{}", row.covered, row.runs),
        row.worst,
        row.warned,
        row.calls,
        row.seconds
    ));
    let content = json!({
        "mean_off": row.bias, "off": row.off, "error": row.error, "covered": row.covered, "runs": row.runs,
        "warned": row.warned, "silent": row.silent, "calls": row.calls,
    });
    report.note(&format!("{}, {}", target.name, row.program), content);
}

/// Unknown runs that are wrong without a warning, and known faults that no longer occur.
fn unexpected(rows: &[(&Target, Row)], is_full: bool) -> Vec<String> {
    let mut all = Vec::new();
    for (target, row) in rows {
        let known = OPEN
            .iter()
            .find(|(problem, engine, _)| *problem == target.name && *engine == row.program);
        let known = known.map_or(0, |(_, _, runs)| *runs);
        let found = row.silent.len();
        let name = format!("{}, {}", target.name, row.program);
        if found > known {
            let seeds = &row.silent;
            all.push(format!(
                "{name}: wrong without a warning at seeds {seeds:?}, known of {known} runs"
            ));
        }
        if is_full && found < known {
            all.push(format!(
                "{name}: {found} runs are wrong without a warning, not {known}: take it off OPEN"
            ));
        }
    }
    all
}
