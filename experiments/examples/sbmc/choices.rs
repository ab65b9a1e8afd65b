//! Choices that the paper leaves open, one by one: the effect of each on the point estimate and on HMC∥ around it, on the digits.

use crate::detection::Detectors;
use crate::found::strange;
use crate::method::{Effort, Job};
use crate::mnist7;
use crate::score::{self, Scores};
use crate::task::{Start, Stop, Task};
use bayes::Error;
use bayes::metrics::{self, ClassProbabilities};
use bayes::prelude::Fit;
use bayes_experiments::cells::{Cell, Cells};
use bayes_experiments::common::{Options, Report, estimate, fail};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt::Write;

/// Number of point estimates of a seed, which share their minibatches.
const POINTS: usize = 8;
/// The scale of the anchored prior.
const SCALE: f64 = 0.1;

/// A choice: its name and its changes.
struct Choice {
    name: &'static str,
    task: Task,
    /// Whether chains start from the anchored prior but target another prior, of variance 1, as in the authors' package.
    has_two_priors: bool,
}

impl Choice {
    /// The settings that a cell's result depends on.
    fn describe(&self) -> Value {
        let settings = &self.task.settings;
        json!({
            "name": self.name,
            "points": POINTS,
            "scale": SCALE,
            "task": self.task.describe(),
            "start": format!("{:?}", settings.start),
            "stop": format!("{:?}", settings.stop),
            "first image": self.task.data.inputs.row(0).sum(),
        })
    }
}

/// The settings that determine the result of a cell.
#[derive(Serialize)]
struct Setting<'a> {
    #[serde(skip)]
    choice: usize,
    task: Value,
    seed: u64,
    effort: &'a Effort,
}

/// The results of a choice and a seed.
#[derive(Serialize, Deserialize)]
struct Found {
    /// Means over the point estimates.
    epochs: f64,
    accuracy: f64,
    nll: f64,
    /// Scores of HMC∥ with the most members, around the first point estimate.
    sampled: Scores,
}

/// Runs all choices, and reports a row for each.
pub fn run(
    options: Options,
    cells: &Cells,
    data: Option<&str>,
    seeds: &[u64],
    report: &mut Report,
) {
    let effort = Effort::of(options.quick);
    let detectors = Detectors::new(options.seed);
    let choices = choices(|| mnist7::task(data, options.quick, options.seed));
    let cell = |k: usize, seed: u64| Cell {
        name: format!("mnist choice {} seed {seed}", choices[k].name).replace(' ', "-"),
        settings: Setting {
            choice: k,
            task: choices[k].describe(),
            seed,
            effort: &effort,
        },
    };
    let all: Vec<_> = (0..choices.len())
        .flat_map(|k| seeds.iter().map(move |seed| (k, *seed)))
        .map(|(k, seed)| cell(k, seed))
        .collect();
    let found: Vec<Found> = cells.run(&all, |setting| {
        let choice = &choices[setting.choice];
        let job = Job {
            task: &choice.task,
            effort: &effort,
            seed: setting.seed,
        };
        find(choice, &job, &detectors)
            .unwrap_or_else(|error| fail(&format!("{}: {error}", choice.name)))
    });
    let rows: Vec<_> = choices.iter().zip(found.chunks(seeds.len())).collect();
    report.say(&text(&rows));
    report.note("choices", json(&rows));
}

/// Each single choice, the specification's first.
fn choices(task: impl Fn() -> Task) -> Vec<Choice> {
    let with = |name, change: &dyn Fn(&mut Task)| {
        let mut task = task();
        change(&mut task);
        Choice {
            name,
            task,
            has_two_priors: false,
        }
    };
    vec![
        with("as specified", &|_| ()),
        with("Kaiming start", &|task| {
            task.settings.start = Start::Kaiming;
        }),
        with("best weights", &|task| task.settings.stop = Stop::Best),
        with("160 epochs", &|task| task.settings.stop = Stop::After(160)),
        with("160 epochs, all rows", &|task| {
            task.settings.stop = Stop::After(160);
            task.training = task.data.labels.len();
        }),
        with("standardised pixels", &mnist7::standardise),
        with("prior variance 1", &|task| task.net = mnist7::network(1.0)),
        Choice {
            has_two_priors: true,
            ..with("two priors", &|_| ())
        },
    ]
}

fn find(choice: &Choice, job: &Job<'_>, detectors: &Detectors) -> Result<Found, Error> {
    let fits = job.maps(POINTS)?.split();
    let [mut epochs, mut accuracy, mut nll] = [0.0; 3];
    for fit in &fits {
        let found = of_point(job.task, fit)?;
        epochs += crate::method::epochs(fit) / fits.len() as f64;
        accuracy += found[0] / fits.len() as f64;
        nll += found[1] / fits.len() as f64;
    }
    let members = match choice.has_two_priors {
        true => job.with_two_priors(&fits[0], SCALE, &mnist7::network(1.0))?,
        false => job.hmc(&fits[0], SCALE)?,
    };
    let mut scores = score::scores(job.task, &members, detectors)?;
    Ok(Found {
        epochs,
        accuracy,
        nll,
        sampled: scores.pop().expect("there is a number of members"),
    })
}

/// Accuracy and NLL on the test rows.
fn of_point(task: &Task, fit: &Fit) -> Result<[f64; 2], Error> {
    let theta = fit.value("theta")?.to_vec();
    let values = score::probabilities(task, &[theta]);
    let test = task.predicted.test.clone();
    let classes = task.net.outputs();
    let values = values[test.start * classes..test.end * classes].to_vec();
    let p = ClassProbabilities::new(values, classes)?;
    let labels: Vec<usize> = task.predicted.labels[test]
        .iter()
        .flatten()
        .copied()
        .collect();
    Ok([
        metrics::accuracy(&p, &labels)?.value,
        metrics::nll(&p, &labels)?.value,
    ])
}

type Row<'a> = (&'a Choice, &'a [Found]);
type Column = (&'static str, usize, fn(&Found) -> f64);

const COLUMNS: [Column; 9] = [
    ("MAP: epochs", 1, |f| f.epochs),
    ("accuracy %", 2, |f| 100.0 * f.accuracy),
    ("NLL", 4, |f| f.nll),
    ("HMC∥: accuracy %", 2, |f| 100.0 * f.sampled.accuracy),
    ("NLL", 4, |f| f.sampled.nll),
    ("H right", 3, |f| f.sampled.epistemic[0]),
    ("H wrong", 3, |f| f.sampled.epistemic[1]),
    ("H strange", 3, |f| strange(&f.sampled)),
    ("AUC", 3, |f| f.sampled.detection[1].auc),
];

fn text(rows: &[Row<'_>]) -> String {
    let sampled = &rows[0].1[0].sampled;
    let mut text = format!(
        "{} seeds of {POINTS} point estimates each, and of HMC∥ with s = {SCALE} and {} members about the first: mean ± standard error\n\n{:<22}",
        rows[0].1.len(),
        sampled.members,
        "choice"
    );
    for (name, ..) in COLUMNS {
        let _ = write!(text, " {name:>17}");
    }
    text += "\n";
    for (choice, found) in rows {
        let _ = write!(text, "{:<22}", choice.name);
        for (_, digits, of) in COLUMNS {
            let [mean, error] = over_seeds(found, of);
            let cell = match error.is_finite() {
                true => format!("{mean:.digits$} ± {error:.digits$}"),
                false => format!("{mean:.digits$}"),
            };
            let _ = write!(text, " {cell:>17}");
        }
        text += "\n";
    }
    text
}

fn json(rows: &[Row<'_>]) -> Value {
    let figures = |found: &[Found]| -> Vec<Value> {
        let figure = |(_, _, of): &Column| {
            let [mean, error] = over_seeds(found, *of);
            json!([mean, error.is_finite().then_some(error)])
        };
        COLUMNS.iter().map(figure).collect()
    };
    rows.iter()
        .map(|(choice, found)| json!({ "choice": choice.name, "figures": figures(found) }))
        .collect()
}

fn over_seeds(found: &[Found], of: fn(&Found) -> f64) -> [f64; 2] {
    let values: Vec<f64> = found.iter().map(of).collect();
    estimate(&values)
}
