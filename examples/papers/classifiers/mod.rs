//! Bayesian networks that classify digits, film reviews and photographs, by islands of SMC and by chains of HMC (the comparison, tables 2 to 5 and
//! 7 to 14).
//!
//! An island, or as many chains, is a cell, and keeps the probabilities that it predicts; P of them together are weighted by their evidence.
//! `--islands` is the most of each row, 8 by default: the scores of fewer together are means over groups of them. `--only TEXT` runs
//! the rows whose label contains the text, `--rows` limits the training rows, and `--data` names a folder of data that are not shipped.
//!
//! The embeddings are not the paper's: reviews have 384 numbers by all-MiniLM-L6-v2 for its 768 by all-mpnet-base-v2, photographs 1280 by
//! EfficientNet-Lite0 for its 2048 by ResNet-50. Their published figures are for orientation.

mod data;
mod published;
mod unit;

use crate::Lab;
use crate::cells::Cell;
use crate::common::{fail, number};
use crate::trial::finished;
use bayes::density::Posterior;
use data::{Data, Subject, classifier};
use published::{QUICK, Row, rows};
use serde::Serialize;
use serde_json::{Value, json};
use unit::Unit;

/// What the command line chooses.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// A folder with data that are not shipped.
    pub data: Option<String>,
    /// The most training rows.
    pub rows: Option<String>,
    /// The most islands of a row.
    pub islands: Option<String>,
    /// What the label of a row contains.
    pub only: Option<String>,
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

/// All that a cell depends on besides the seed.
#[derive(Serialize)]
struct Settings<'a> {
    row: &'a Row,
    subject: Subject,
    training_rows: usize,
    /// Whether a folder of data was given.
    folder: bool,
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
    let chosen = chosen(lab, subject);
    let units = |row: &Row| row.most().min(most);
    // the first of every row, then the second, so that what is stopped early has some of each
    let mut cells = Vec::new();
    for number in 0..most {
        for row in chosen.iter().filter(|row| number < units(row)) {
            let label = row.label().replace(['=', ' '], "-");
            let settings = Settings {
                row,
                subject,
                training_rows: data.train.labels.len(),
                folder: lab.choices.data.is_some(),
                number,
            };
            let name = format!("{subject:?}-{label}-{number}").to_lowercase();
            cells.push(Cell { name, settings });
        }
    }
    let found = lab.cells.run(&cells, |cell| {
        let seed = 1000 * lab.cells.seed + cell.number as u64;
        Unit::run(cell.row, &posterior, &data, seed)
    });
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
    let mut of_rows: Vec<Vec<Unit>> = chosen.iter().map(|_| Vec::new()).collect();
    for (cell, unit) in cells.iter().zip(found) {
        let place = chosen
            .iter()
            .position(|row| std::ptr::eq(*row, cell.settings.row));
        of_rows[place.unwrap_or_else(|| unreachable!("cells are of the rows"))].push(unit);
    }
    let tables = chosen.iter().zip(&of_rows);
    tables
        .map(|(row, units)| table(lab, row, units, &data))
        .collect()
}

fn chosen(lab: &Lab, subject: Subject) -> Vec<&'static Row> {
    let all = match lab.options.quick {
        true => &QUICK[usize::from(subject != Subject::Digits)..],
        false => rows(subject),
    };
    let Some(text) = &lab.choices.only else {
        return all.iter().collect();
    };
    let found: Vec<&Row> = all
        .iter()
        .filter(|row| row.label().contains(text))
        .collect();
    if found.is_empty() {
        let labels: Vec<String> = all.iter().map(Row::label).collect();
        fail(&format!(
            "no row's label contains `{text}`; the labels are {}",
            labels.join(", ")
        ));
    }
    found
}

/// Prints a row for every published number of units that there are, beside what is published.
fn table(lab: &Lab, row: &Row, units: &[Unit], data: &Data) -> Value {
    let average = |of: fn(&Unit) -> f64| units.iter().map(of).sum::<f64>() / units.len() as f64;
    let (epochs, seconds) = (average(|unit| unit.epochs), average(|unit| unit.seconds));
    lab.say(&format!(
        "\n{}: {epochs:.0} epochs with tuning{}{}",
        row.label(),
        row.epochs
            .map_or(String::new(), |epochs| format!(" (published {epochs:.0})")),
        if lab.options.json {
            String::new()
        } else {
            format!(", {seconds:.0} s on a core")
        }
    ));
    lab.say("   P        accuracy             NLL    epistemic        total   published");
    let mut lines = Vec::new();
    for (nodes, accuracy, nll, entropies) in row.published {
        if *nodes > units.len() {
            continue;
        }
        let groups: Vec<_> = units
            .chunks_exact(*nodes)
            .map(|group| Unit::scores(group, data))
            .collect();
        let of = |value: fn(&crate::classification::Scores) -> f64| {
            crate::statistics::mean_and_error(&groups.iter().map(value).collect::<Vec<f64>>())
        };
        let found = [
            of(|s| 100.0 * s.accuracy),
            of(|s| s.negative_log_likelihood),
            of(|s| s.epistemic_entropy),
            of(|s| s.total_entropy),
        ];
        let [a, n, e, t] = found;
        let scores = if accuracy.is_nan() {
            String::new()
        } else {
            format!("{accuracy:.2} {nll:.4}")
        };
        let printed = entropies.map_or(String::new(), |[e, t]| format!(" {e:.4} {t:.4}"));
        lab.say(&format!(
            "{nodes:4}  {:6.2} ± {:4.2}  {:.4} ± {:.4}  {:11.4}  {:11.4}   {scores}{printed}",
            a.0, a.1, n.0, n.1, e.0, t.0
        ));
        lines.push(json!({ "nodes": nodes, "groups": groups.len(), "found": found }));
    }
    json!({ "row": row.label(), "epochs": epochs, "lines": lines })
}
