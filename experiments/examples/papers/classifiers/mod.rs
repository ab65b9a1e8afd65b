//! Bayesian networks that classify digits, film reviews and photographs, by islands of SMC and by chains of HMC (the comparison, tables 2 to 5 and
//! 7 to 14).
//!
//! An island, or as many chains, is a cell, and stores its predicted probabilities; P of them together are weighted by their evidence.
//! `--islands` is the largest number for each row, 8 by default; scores of fewer are means over groups of them. `--ess` is the target of
//! the ladder (the paper's is 0.5). `--follow` takes step sizes from the acceptance at the previous temperature instead of trial moves.
//! `--rows` limits the training rows, and `--data` names a folder of data that are not shipped. `mnist-choices` varies the choices that the
//! paper leaves open ([`choices`]).
//!
//! The embeddings are not the paper's: reviews have 384 numbers by all-MiniLM-L6-v2 instead of 768 by all-mpnet-base-v2, photographs 1280
//! by EfficientNet-Lite0 instead of 2048 by ResNet-50. The published figures are only for orientation.

mod choices;
mod data;
mod kernel;
mod published;
mod table;
mod unit;

use crate::Lab;
use crate::trial::finished;
use bayes::density::Posterior;
use bayes_experiments::cells::Cell;
use bayes_experiments::common::number;
use data::{Data, Subject, classifier};
use published::{QUICK, Row, Sampler, rows};
use serde::Serialize;
use serde_json::Value;
use table::Found;
use unit::{Recipe, Unit};

pub use choices::run as digit_choices;

/// The choices of the command line.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// A folder with data that are not shipped.
    pub data: Option<String>,
    /// The largest number of training rows.
    pub rows: Option<String>,
    /// The largest number of islands of a row.
    pub islands: Option<String>,
    /// The effective sample size at which the next temperature is taken, as a share of the particles.
    pub ess: Option<String>,
    /// Whether step sizes follow the acceptance at the previous temperature.
    pub follows_moves: bool,
}

/// Handwritten digits.
pub fn digits(lab: &Lab) -> Value {
    run(lab, Subject::Digits)
}

/// Film reviews.
pub fn reviews(lab: &Lab) -> Value {
    run(lab, Subject::Reviews)
}

/// Photographs.
pub fn photographs(lab: &Lab) -> Value {
    run(lab, Subject::Photographs)
}

/// Everything that a cell depends on, except the seed.
#[derive(Serialize)]
struct Settings<'a> {
    row: &'a Row,
    subject: Subject,
    training_rows: usize,
    /// Whether a folder of data was given.
    folder: bool,
    ess: f64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    follows_moves: bool,
    number: usize,
}

fn run(lab: &Lab, subject: Subject) -> Value {
    let Some(data) = subject.read(&lab.choices, lab.options.quick) else {
        lab.say(&format!(
            "not run: `--data DIR` is missing, a folder with embeddings of {}",
            subject.needs()
        ));
        return Value::Null;
    };
    let model = classifier(&data.net, &data.train.x, &data.train.labels);
    let posterior = finished(Posterior::new(&model, lab.cells.seed));
    let most = number(
        "--islands",
        lab.choices.islands.clone(),
        lab.options.size(8, 2),
    );
    let recipe = Recipe {
        ess: number("--ess", lab.choices.ess.clone(), 0.5),
        follows_moves: lab.choices.follows_moves,
        ..Recipe::TAKEN
    };
    let chosen = chosen(lab, subject);
    let cells = cells(lab, (subject, &data), (&chosen, most), recipe);
    let found = lab.cells.run(&cells, |cell| {
        let seed = 1000 * lab.cells.seed + cell.number as u64;
        Unit::run((cell.row, recipe), &posterior, &data, seed)
    });
    describe(lab, subject, &data);
    if recipe != Recipe::TAKEN {
        lab.say(&format!(
            "SMC with an ESS target of {}; step sizes {}",
            recipe.ess,
            recipe.steps()
        ));
    }
    let mut of_rows: Vec<Vec<Unit>> = chosen.iter().map(|_| Vec::new()).collect();
    for (cell, unit) in cells.iter().zip(found) {
        let place = chosen
            .iter()
            .position(|row| std::ptr::eq(*row, cell.settings.row));
        of_rows[place.unwrap_or_else(|| unreachable!("cells are of the rows"))].push(unit);
    }
    let pairs = chosen.iter().zip(&of_rows);
    let tables: Vec<Found<'_>> = pairs
        .map(|(row, units)| Found::new(row, units, &data))
        .collect();
    tables.iter().for_each(|found| found.print(lab));
    table::draw(lab, subject.name(), &tables);
    tables.iter().map(Found::json).collect()
}

/// The first unit of every row, then the second, so that an interrupted run has some units of each row.
fn cells<'a>(
    lab: &Lab,
    (subject, data): (Subject, &Data),
    (chosen, most): (&[&'a Row], usize),
    recipe: Recipe,
) -> Vec<Cell<Settings<'a>>> {
    let units = |row: &Row| row.most().min(most);
    let mut cells = Vec::new();
    for number in 0..most {
        for row in chosen.iter().filter(|row| number < units(row)) {
            let label = row.label().replace(['=', ' '], "-");
            // chains have no ladder
            let recipe = match row.sampler {
                Sampler::Smc => recipe,
                Sampler::Chains => Recipe::TAKEN,
            };
            let settings = Settings {
                row,
                subject,
                training_rows: data.train.labels.len(),
                folder: lab.choices.data.is_some(),
                ess: recipe.ess,
                follows_moves: recipe.follows_moves,
                number,
            };
            let follows = if recipe.follows_moves { "-follow" } else { "" };
            let ess = recipe.ess;
            let name = format!("{subject:?}-{label}-ess-{ess}{follows}-{number}").to_lowercase();
            cells.push(Cell { name, settings });
        }
    }
    cells
}

/// Describes the data.
fn describe(lab: &Lab, subject: Subject, data: &Data) {
    lab.say(&format!(
        "{} training and {} test rows, {} weights{}",
        data.train.labels.len(),
        data.test.labels.len(),
        data.net.parameters(),
        if data.made_up { "; made-up points" } else { "" }
    ));
    if subject != Subject::Digits {
        lab.say("the embeddings are not the paper's, which has 768 numbers of a review and 2048 of a photograph");
    }
}

fn chosen(lab: &Lab, subject: Subject) -> Vec<&'static Row> {
    let all = match lab.options.quick {
        true => &QUICK[usize::from(subject != Subject::Digits)..],
        false => rows(subject),
    };
    lab.chosen(all, |row| row.label())
}
