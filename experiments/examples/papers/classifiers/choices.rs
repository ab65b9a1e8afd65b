//! Choices that the comparison leaves open about its network for digits, varied one at a time, in SMC with tau = 0.02, M = 20 and N = 32
//! (tables 4 and 9). `--data`, `--islands` and `--only` work as in [`super`]; the choice sets rows and recipe.

use super::data::{DIGITS, Data, Rows, classifier};
use super::published::{QUICK, Row, rows};
use super::unit::{Path, Recipe, Unit};
use super::{Subject, finished};
use crate::Lab;
use crate::statistics::mean_and_error;
use bayes::density::Posterior;
use bayes::nn::WeightPrior;
use bayes_experiments::cells::{Cell, file_name};
use bayes_experiments::common::number;
use bayes_experiments::mnist::{Digits, network, standardise};
use serde::Serialize;
use serde_json::{Value, json};

/// One combination of choices.
#[derive(Clone, Copy, Serialize)]
struct Choice {
    name: &'static str,
    prior: Variance,
    is_standardised: bool,
    /// Whether no leapfrog step is longer than tau, and the number of steps is rounded instead of cut.
    is_bounded: bool,
    recipe: Recipe,
}

/// The prior variance of weights and biases.
#[derive(Clone, Copy, Serialize)]
enum Variance {
    /// This number over the inputs of an output.
    OverFanIn(f64),
    /// Two over the outputs of an input.
    OverFanOut,
    /// The same variance in both layers.
    Same(f64),
}

impl From<Variance> for WeightPrior {
    fn from(variance: Variance) -> Self {
        match variance {
            Variance::OverFanIn(variance) => Self::FanIn { variance },
            Variance::OverFanOut => Self::KaimingFanOut,
            Variance::Same(variance) => Self::Separate {
                weight_sd: variance.sqrt(),
                bias_sd: variance.sqrt(),
            },
        }
    }
}

/// The choices for the tables of `mnist`.
const TAKEN: Choice = Choice {
    name: "as taken here",
    prior: Variance::OverFanIn(2.0),
    is_standardised: false,
    is_bounded: false,
    recipe: Recipe::TAKEN,
};

const CHOICES: [Choice; 11] = [
    TAKEN,
    Choice {
        name: "variance 2 / fan-out",
        prior: Variance::OverFanOut,
        ..TAKEN
    },
    Choice {
        name: "variance 1 / fan-in",
        prior: Variance::OverFanIn(1.0),
        ..TAKEN
    },
    // the variance of PyTorch's uniform initialisation
    Choice {
        name: "variance 1 / (3 fan-in)",
        prior: Variance::OverFanIn(1.0 / 3.0),
        ..TAKEN
    },
    Choice {
        name: "variance 2 / 784 in both layers",
        prior: Variance::Same(2.0 / 784.0),
        ..TAKEN
    },
    Choice {
        name: "standardised pixels",
        is_standardised: true,
        ..TAKEN
    },
    Choice {
        name: "standardised, 2 / fan-out",
        prior: Variance::OverFanOut,
        is_standardised: true,
        ..TAKEN
    },
    Choice {
        name: "steps of at most tau, rounded",
        is_bounded: true,
        ..TAKEN
    },
    Choice {
        name: "masses of the particles",
        recipe: Recipe {
            fits_mass: true,
            ..Recipe::TAKEN
        },
        ..TAKEN
    },
    Choice {
        name: "steps by the moves before",
        recipe: Recipe {
            follows_moves: true,
            ..Recipe::TAKEN
        },
        ..TAKEN
    },
    // as many temperatures as in the authors' ladder, which halves its increments until the effective sample size is above a half: they are
    // 0.5 to 1 of the largest allowed one, 0.72 on average, which for a normal log weight is an effective sample size of 0.7
    Choice {
        name: "an ESS of 0.7",
        recipe: Recipe {
            ess: 0.7,
            ..Recipe::TAKEN
        },
        ..TAKEN
    },
];

/// The row of the tables on which the choices are tried.
fn row() -> &'static Row {
    let is_it = |row: &&Row| row.label() == "smc tau=0.02 M=20 N=32";
    let row = rows(Subject::Digits).iter().find(is_it);
    row.unwrap_or_else(|| unreachable!("it is among the published rows"))
}

impl Choice {
    fn data(&self, lab: &Lab) -> Data {
        let folder = lab.choices.data.as_deref();
        let read = |part, quick| {
            let rows = lab.options.size(1000, quick);
            let (mut x, labels) = Digits::first(folder, part, rows);
            if self.is_standardised {
                standardise(&mut x);
            }
            Rows { x, labels }
        };
        Data {
            net: network(DIGITS, self.prior.into()),
            train: read("train", 50),
            test: read("t10k", 100),
            made_up: false,
        }
    }

    fn run(&self, lab: &Lab, row: &Row, seed: u64) -> Unit {
        let data = self.data(lab);
        let model = classifier(&data.net, &data.train.x, &data.train.labels);
        let posterior = finished(Posterior::new(&model, lab.cells.seed));
        let path = match row.path {
            Path::AtLeast(time) if self.is_bounded => Path::Time(time),
            path => path,
        };
        let row = Row { path, ..*row };
        Unit::run((&row, self.recipe), &posterior, &data, seed)
    }
}

pub fn run(lab: &Lab) -> Value {
    let row = match lab.options.quick {
        true => &QUICK[1],
        false => row(),
    };
    let islands = number("--islands", lab.choices.islands.clone(), 2);
    let chosen = lab.chosen(&CHOICES, |choice| choice.name.to_owned());
    let is_shipped = lab.choices.data.is_none();
    let mut cells = Vec::new();
    for number in 0..islands {
        cells.extend(chosen.iter().map(|choice| {
            let source = if is_shipped { "" } else { "-folder" };
            Cell {
                name: format!("mnist-choices-{}{source}-{number}", file_name(choice.name)),
                settings: (*choice, row, number),
            }
        }));
    }
    let found = lab.cells.run(&cells, |(choice, row, number)| {
        choice.run(lab, row, 1000 * lab.cells.seed + *number as u64)
    });
    let data = TAKEN.data(lab);
    lab.say("the same row of the tables, one choice at a time; means over islands\n");
    lab.say(&format!(
        "{:<34}{:>7}{:>16}{:>18}{:>16}",
        "", "epochs", "accuracy", "NLL", "log evidence"
    ));
    let line = |(place, choice): (usize, &&Choice)| {
        let units: Vec<&Unit> = found.iter().skip(place).step_by(chosen.len()).collect();
        let of = |value: fn(&Unit, &Data) -> f64| {
            let values: Vec<f64> = units.iter().map(|unit| value(unit, &data)).collect();
            mean_and_error(&values)
        };
        let (epochs, evidence) = (of(|unit, _| unit.epochs), of(|unit, _| unit.log_evidence));
        let accuracy = of(|unit, data| 100.0 * unit.own_scores(data).accuracy);
        let nll = of(|unit, data| unit.own_scores(data).negative_log_likelihood);
        lab.say(&format!(
            "{:<34}{:>7.0}{:>9.2} ± {:<4.2}{:>10.4} ± {:.4}{:>9.1} ± {:<4.1}",
            choice.name, epochs.0, accuracy.0, accuracy.1, nll.0, nll.1, evidence.0, evidence.1
        ));
        json!({ "choice": choice.name, "epochs": epochs.0, "accuracy": accuracy, "nll": nll, "log_evidence": evidence })
    };
    let lines: Vec<Value> = chosen.iter().enumerate().map(line).collect();
    if let Some((_, accuracy, nll, _)) = row.published.first().filter(|_| !lab.options.quick) {
        lab.say(&format!(
            "{:<34}{:>7.0}{accuracy:>9.2}{nll:>17.4}",
            "published",
            row.epochs.unwrap_or(f64::NAN)
        ));
    }
    Value::Array(lines)
}
