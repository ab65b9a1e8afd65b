//! The log evidence of small runs of pSMC: its bias, the coverage of its interval, and its warnings, over many seeds.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example small_runs                                    4 x 64 and 8 x 256, 100 seeds
//! cargo run --release -p bayes-experiments --example small_runs -- --sizes 1x64,4x32 --only normal --runs 400 --keep FILE
//! ```
//!
//! The columns: the mean of the log evidence less the truth, the same in its standard errors, the root mean square, the mean printed error,
//! the 95% intervals that hold the truth or end below or above it, runs that are wrong without a warning (more than 3.5 printed errors off
//! and outside of their own 99.8% interval), runs with a warning, and calls, where a gradient counts as three. `--setting` takes the words of
//! the experiment `battery`.
//!
//! Asserted: at most one run, and one more of 40, is wrong without a warning on each problem.

mod problems;
mod record;
#[allow(dead_code, reason = "the text is for the battery")]
#[path = "../battery/setting.rs"]
mod setting;

use bayes_experiments::common::{Options, Report, number, or_fail};
use problems::{Problem, problems};
use record::Record;
use setting::{Setting, Size};
use std::fs::OpenOptions;
use std::io::Write;

/// The numbers of islands and of particles in each: the default, and with `--quick`.
const SIZES: [&str; 2] = ["4x64,8x256", "2x32"];

fn main() {
    let (options, [sizes, only, runs, keep, setting]) =
        Options::with(["--sizes", "--only", "--runs", "--keep", "--setting"]);
    let runs: u64 = number("--runs", runs, options.size(100, 2) as u64);
    let default = SIZES[usize::from(options.quick)];
    let sizes = sizes.unwrap_or_else(|| default.to_owned());
    let sizes: Vec<Size> = sizes.split(',').map(size).collect();
    let setting = Setting::read(setting.as_deref().unwrap_or("default"));
    let is_chosen = |problem: &Problem| {
        only.as_ref()
            .is_none_or(|only| only.split(',').any(|part| problem.name.contains(part)))
    };
    let chosen: Vec<Problem> = problems().into_iter().filter(is_chosen).collect();
    let mut report = Report::new("small_runs", options);
    report.say(record::HEAD);
    let mut wrong = Vec::new();
    for &size in &sizes {
        for problem in &chosen {
            let mut records = Vec::new();
            for seed in options.seed * 10_000..options.seed * 10_000 + runs {
                let run = or_fail((problem.run)(&setting.engine(size, seed)));
                let record = Record::of(&run, problem, [size.islands, size.particles], seed);
                if let Some(file) = &keep {
                    let file = OpenOptions::new().create(true).append(true).open(file);
                    let line = serde_json::to_string(&record).expect("numbers and words");
                    writeln!(file.expect("the file opens"), "{line}").expect("the file takes all");
                }
                records.push(record);
            }
            let silent = records.iter().filter(|record| record.is_silent()).count() as u64;
            if silent > 1 + runs / 40 {
                wrong.push(format!("{}: {silent} of {runs} runs", problem.name));
            }
            let (line, content) = record::summary(&records);
            let name = format!("{}x{} {}", size.islands, size.particles, problem.name);
            report.say(&format!("{name:<40}{line}"));
            report.note(&name, content);
        }
    }
    assert!(
        wrong.is_empty(),
        "wrong without a warning: {}",
        wrong.join(", ")
    );
    report.finish();
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
