//! Common parts of experiments: options, data files and the JSON line at the end.

use bayes::Run;
use nalgebra::DMatrix;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::time::Instant;

/// The options of every experiment.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// `--quick`: fewer particles and draws, for a fast check.
    pub quick: bool,
    /// `--seed N`: the seed of every random number (1 if not given).
    pub seed: u64,
    /// `--json`: a JSON object as the last line of stdout, and nothing else there.
    pub json: bool,
    /// `--times`: seconds in the JSON, which then differs from run to run.
    pub times: bool,
}

impl Options {
    /// Prints a line of text: to stdout, or to stderr if stdout is for JSON.
    pub fn say(self, text: &str) {
        if self.json {
            eprintln!("{text}");
        } else {
            println!("{text}");
        }
    }

    /// Reads the command line; prints usage and exits on anything else.
    pub fn from_args() -> Self {
        Self::with([]).0
    }

    /// Reads the command line with the additional options `names`, each with a value; returns the values. A first name without
    /// dashes, such as `DIR`, is an argument without an option.
    pub fn with<const N: usize>(names: [&str; N]) -> (Self, [Option<String>; N]) {
        let (options, values, []) = Self::with_flags(names, []);
        (options, values)
    }

    /// As [`Options::with`], with additional options `flags` that have no value; returns which were given.
    pub fn with_flags<const N: usize, const M: usize>(
        names: [&str; N],
        flags: [&str; M],
    ) -> (Self, [Option<String>; N], [bool; M]) {
        let mut given = [false; M];
        let mut options = Self {
            quick: false,
            seed: 1,
            json: false,
            times: false,
        };
        let mut values = [const { None }; N];
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--quick" => options.quick = true,
                "--json" => options.json = true,
                "--times" => options.times = true,
                "--seed" => options.seed = parse_seed(args.next()),
                "--help" | "-h" => {
                    println!("{}", self::options(&names, &flags));
                    std::process::exit(0)
                }
                other => {
                    let name = names.iter().position(|name| *name == other);
                    let flag = flags.iter().position(|flag| *flag == other);
                    match (name, flag) {
                        (Some(i), _) => values[i] = args.next(),
                        (_, Some(i)) => given[i] = true,
                        _ if !other.starts_with("--") && names.first().is_some_and(is_plain) => {
                            values[0] = Some(other.to_owned());
                        }
                        _ => usage(&format!("unknown option `{other}`"), &names, &flags),
                    }
                }
            }
        }
        (options, values, given)
    }

    /// `full`, or `quick` with `--quick`.
    pub fn size(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }
}

/// Whether this is the name of an argument without an option.
fn is_plain(name: &&str) -> bool {
    !name.starts_with("--")
}

fn parse_seed(text: Option<String>) -> u64 {
    let seed = text.as_deref().and_then(|t| t.parse().ok());
    seed.unwrap_or_else(|| usage("`--seed` takes a whole number from 0", &[], &[]))
}

fn usage(problem: &str, names: &[&str], flags: &[&str]) -> ! {
    eprintln!("{problem}\n{}", options(names, flags));
    std::process::exit(2)
}

/// The options in one line.
fn options(names: &[&str], flags: &[&str]) -> String {
    let values = names.iter().map(|name| match is_plain(name) {
        true => format!(" [{name}]"),
        false => format!(" [{name} VALUE]"),
    });
    let flags = flags.iter().map(|flag| format!(" [{flag}]"));
    let more: String = values.chain(flags).collect();
    format!("options: [--quick] [--seed N] [--json] [--times]{more}")
}

/// Ends the program with a message.
pub fn fail(problem: &str) -> ! {
    eprintln!("error: {problem}");
    std::process::exit(1)
}

/// The value, or the end of the program with the error's message.
pub fn or_fail<T>(found: Result<T, bayes::Error>) -> T {
    found.unwrap_or_else(|error| fail(&error.to_string()))
}

/// The value of an option that takes a number, or `default` if it was not given.
pub fn number<T: std::str::FromStr>(name: &str, text: Option<String>, default: T) -> T {
    let Some(text) = text else { return default };
    text.parse()
        .unwrap_or_else(|_| usage(&format!("`{name}` takes a number, not `{text}`"), &[], &[]))
}

/// A folder, created if missing.
pub fn folder(name: Option<String>) -> Option<PathBuf> {
    let folder = PathBuf::from(name?);
    if let Err(error) = std::fs::create_dir_all(&folder) {
        fail(&format!("cannot make {}: {error}", folder.display()));
    }
    Some(folder)
}

/// Mean and standard error of independent values; the error of a single one is NaN.
pub fn estimate(values: &[f64]) -> [f64; 2] {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    [mean, (squares / (n - 1.0) / n).sqrt()]
}

/// Collects the runs of an experiment, prints each, and prints the JSON line at the end.
pub struct Report {
    options: Options,
    model: &'static str,
    engines: Map<String, Value>,
    notes: Map<String, Value>,
    times: Map<String, Value>,
}

impl Report {
    /// An empty report on `model`.
    pub fn new(model: &'static str, options: Options) -> Self {
        Self {
            options,
            model,
            engines: Map::new(),
            notes: Map::new(),
            times: Map::new(),
        }
    }

    /// Runs an engine, prints its result and keeps it under `engine`; ends the program on an error.
    pub fn run(&mut self, engine: &str, run: impl FnOnce() -> Result<Run, bayes::Error>) -> Run {
        let run = self.keep(engine, run);
        self.say(&format!("{run}"));
        run
    }

    /// Runs an engine and keeps its result under `engine` without printing it; ends the program on an error.
    ///
    /// # Panics
    /// Never: the engine applies.
    pub fn keep(&mut self, engine: &str, run: impl FnOnce() -> Result<Run, bayes::Error>) -> Run {
        self.keep_some(engine, || Some(run()))
            .expect("the engine applies")
    }

    /// As [`Report::keep`], for an engine that may not apply.
    pub fn keep_some(
        &mut self,
        engine: &str,
        run: impl FnOnce() -> Option<Result<Run, bayes::Error>>,
    ) -> Option<Run> {
        let start = Instant::now();
        let run = run()?.unwrap_or_else(|error| {
            eprintln!("error: {error}");
            std::process::exit(1)
        });
        self.times
            .insert(engine.to_owned(), json!(start.elapsed().as_secs_f64()));
        self.engines.insert(engine.to_owned(), run.record());
        Some(run)
    }

    /// Runs an engine and keeps only its work under `engine`, for models with thousands of quantities.
    pub fn work(&mut self, engine: &str, run: impl FnOnce() -> Result<Run, bayes::Error>) -> Run {
        let start = Instant::now();
        let run = run().unwrap_or_else(|error| fail(&error.to_string()));
        let seconds = start.elapsed().as_secs_f64();
        self.times.insert(engine.to_owned(), json!(seconds));
        let counts = run.counts();
        self.say(&format!(
            "{engine}: {} gradients in {seconds:.1} s",
            counts.gradient_evaluations
        ));
        let record = json!({
            "log_evidence": run.log_evidence(),
            "log_evidence_se": run.log_evidence_se(),
            "density_evaluations": counts.density_evaluations,
            "gradient_evaluations": counts.gradient_evaluations,
        });
        self.engines.insert(engine.to_owned(), record);
        run
    }

    /// Seconds that `engine` took, for the printed text; the JSON has them only with `--times`.
    pub fn seconds(&self, engine: &str) -> f64 {
        self.times[engine].as_f64().unwrap_or(f64::NAN)
    }

    /// Keeps a figure that is not part of a run, under `name` in the JSON object.
    pub fn note(&mut self, name: &str, value: Value) {
        self.notes.insert(name.to_owned(), value);
    }

    /// Prints a line of text: to stdout, or to stderr if stdout is for JSON.
    pub fn say(&self, text: &str) {
        self.options.say(text);
    }

    /// Prints the JSON line, if asked for.
    pub fn finish(self) {
        if !self.options.json {
            return;
        }
        let mut object =
            json!({ "model": self.model, "seed": self.options.seed, "engines": self.engines });
        for (name, value) in self.notes {
            object[name] = value;
        }
        if self.options.times {
            object["seconds"] = Value::Object(self.times);
        }
        println!("{object}");
    }
}

/// Reads a CSV file of numbers with a header line into a matrix.
///
/// # Panics
/// If a cell is not a number, or there is no row.
pub fn read_csv(text: &str) -> DMatrix<f64> {
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|line| {
            line.split(',')
                .map(|cell| cell.trim().parse().expect("the shipped data are numbers"))
                .collect()
        })
        .collect();
    DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

/// The credit applications of `australian_credit`: an intercept with the 14 standardised covariates, and whether each was approved.
pub fn credit_applications() -> (DMatrix<f64>, Vec<bool>) {
    let table = read_csv(include_str!("../../examples/data/australian.csv"));
    let x = standardise(&table.columns(0, 14).into_owned()).insert_column(0, 1.0);
    let y = table.column(14).iter().map(|label| *label > 0.5).collect();
    (x, y)
}

/// Subtracts each column's mean and divides by its population standard deviation.
pub fn standardise(x: &DMatrix<f64>) -> DMatrix<f64> {
    let mut x = x.clone();
    for mut column in x.column_iter_mut() {
        let mean = column.mean();
        let sd = column.map(|v| (v - mean).powi(2)).mean().sqrt();
        column.apply(|v| *v = (*v - mean) / sd);
    }
    x
}
