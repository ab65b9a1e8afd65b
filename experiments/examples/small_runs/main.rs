//! The log evidence of small runs of pSMC: its bias, the coverage of its interval, and its warnings, over many seeds.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example small_runs                                    4 x 64 and 8 x 256, 100 seeds
//! cargo run --release -p bayes-experiments --example small_runs -- --sizes 1x64,4x32 --only normal --runs 400
//! cargo run --release -p bayes-experiments --example small_runs -- --sizes 8x256 --runs 1000 --keep FILE
//! ```
//!
//! `--keep` writes each run to the file when it is finished, a line of JSON, and does not repeat the runs that the file has. The seeds go
//! up one after the other for all problems, so an interrupted experiment has about as many runs of each. `--runs 0` prints the table of the
//! file. `--setting` takes the words of the experiment `battery`. `--only` takes parts of names, with commas between them, and a name that
//! starts with `-` is left out.
//!
//! The columns: the mean of the log evidence less the truth, the same in its standard errors, the root mean square, the mean printed error,
//! the 95% intervals that hold the truth or end below or above it, the intervals that hold it in the runs without a warning of the evidence,
//! runs that are wrong without such a warning (more than 3.5 printed errors off and outside of their own 99.8% interval), runs with such a
//! warning, calls, where a gradient counts as three, seconds, and the kinds of warnings.
//!
//! Below the line of a problem whose trouble no run of these sizes can see is the reason.
//!
//! Asserted: at most one run, and one more of 40, is wrong without a warning on each problem. The adversaries are printed only.

mod adversaries;
#[allow(dead_code, reason = "the moments are for the battery")]
#[path = "../battery/problems.rs"]
mod battery;
mod problems;
mod record;
#[allow(dead_code, reason = "the text is for the battery")]
#[path = "../battery/setting.rs"]
mod setting;
mod summary;

use bayes_experiments::common::{Options, Report, number, or_fail};
use problems::{Problem, problems};
use record::{Cell, Record};
use setting::{Setting, Size};
use std::fs::OpenOptions;
use std::io::Write;
use std::time::Instant;

/// The numbers of islands and of particles in each: the default, and with `--quick`.
const SIZES: [&str; 2] = ["4x64,8x256", "2x32"];

/// The problems of `--quick`: a run takes less than a tenth of a second.
const QUICK: &str = "normal,-scales,beta,gamma,banana,student,schools,shells,plateau,spike,tails";

fn main() {
    let (options, [sizes, only, runs, keep, setting]) =
        Options::with(["--sizes", "--only", "--runs", "--keep", "--setting"]);
    let runs: u64 = number("--runs", runs, options.size(100, 2) as u64);
    let default = SIZES[usize::from(options.quick)];
    let sizes = sizes.unwrap_or_else(|| default.to_owned());
    let sizes: Vec<Size> = sizes.split(',').map(size).collect();
    let setting = setting.unwrap_or_else(|| "default".to_owned());
    let quick = options.quick.then(|| QUICK.to_owned());
    let only = only.or(quick);
    let all = problems();
    let is_chosen = |problem: &&Problem| is_chosen(&problem.name, only.as_deref());
    let chosen: Vec<&Problem> = all.iter().filter(is_chosen).collect();
    let mut kept: Vec<Record> = keep.as_deref().map(record::read).unwrap_or_default();
    for seed in options.seed * 10_000..options.seed * 10_000 + runs {
        for &size in &sizes {
            for problem in &chosen {
                let cell = Cell {
                    problem: &problem.name,
                    setting: &setting,
                    size: [size.islands, size.particles],
                    seed,
                };
                if !kept.iter().any(|record| record.is_of(&cell)) {
                    kept.push(solve(problem, &cell, keep.as_deref()));
                }
            }
        }
    }
    print(&options, &chosen, &sizes, &setting, &kept);
}

/// Prints the summary of every cell, and fails if an ordinary problem is wrong without a warning too often.
fn print(options: &Options, chosen: &[&Problem], sizes: &[Size], setting: &str, kept: &[Record]) {
    let mut report = Report::new("small_runs", *options);
    report.say(summary::HEAD);
    let mut wrong = Vec::new();
    for &size in sizes {
        for problem in chosen {
            let of = |record: &&Record| {
                record.problem == problem.name
                    && record.setting == setting
                    && record.size == [size.islands, size.particles]
            };
            let records: Vec<&Record> = kept.iter().filter(of).collect();
            if records.is_empty() {
                continue;
            }
            let silent = records.iter().filter(|record| record.is_silent()).count();
            if silent > 1 + records.len() / 40 && !problem.is_adversary {
                wrong.push(format!("{}: {silent} of {}", problem.name, records.len()));
            }
            let (line, content) = summary::of(&records);
            let name = format!("{}x{} {}", size.islands, size.particles, problem.name);
            report.say(&format!("{name:<40}{line}"));
            report.note(&name, content);
            if let Some(reason) = problem.undetectable {
                report.say(&format!("    undetectable: {reason}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "wrong without a warning: {}",
        wrong.join(", ")
    );
    report.finish();
}

/// Whether a problem has one of the names, or all but those with a minus.
fn is_chosen(name: &str, only: Option<&str>) -> bool {
    let parts: Vec<&str> = only
        .map(|only| only.split(',').collect())
        .unwrap_or_default();
    let (without, with): (Vec<&str>, Vec<&str>) =
        parts.into_iter().partition(|part| part.starts_with('-'));
    let is_left_out = without.iter().any(|part| name.contains(&part[1..]));
    !is_left_out && (with.is_empty() || with.iter().any(|part| name.contains(part)))
}

/// Runs pSMC, and appends the result to a file.
fn solve(problem: &Problem, cell: &Cell, file: Option<&str>) -> Record {
    let setting = Setting::read(&format!("{} {}", cell.setting, problem.moves));
    let [islands, particles] = cell.size;
    let size = Size { islands, particles };
    let start = Instant::now();
    let run = or_fail((problem.run)(&setting.engine(size, cell.seed)));
    let record = Record::of(&run, problem, cell, start.elapsed().as_secs_f64());
    if let Some(file) = file {
        let file = OpenOptions::new().create(true).append(true).open(file);
        let line = serde_json::to_string(&record).expect("numbers and words");
        writeln!(file.expect("the file opens"), "{line}").expect("the file takes all");
    }
    record
}

/// Reads `4x64`.
fn size(text: &str) -> Size {
    let (islands, particles) = text.split_once('x').unwrap_or(("", ""));
    let read = |text: &str| {
        text.parse()
            .unwrap_or_else(|_| bayes_experiments::common::fail("a size is like 4x64"))
    };
    Size {
        islands: read(islands),
        particles: read(particles),
    }
}
