//! The tables of the page, and its picture, from the kept runs.

use crate::engines::ENGINES;
use crate::record::{self, Record};
use crate::row::Row;
use bayes_experiments::common::fail;
use bayes_experiments::targets::{Target, targets};
use std::fmt::Write;
use std::path::Path;

/// This program writes the page between these lines.
const BEGIN: &str = "<!-- written by the experiment published_evidence -->";
const END: &str = "<!-- end of what the experiment published_evidence writes -->";
/// The page and its picture in the folder.
const PAGE: &str = "evidence.md";
const PICTURE: &str = "pictures/published_evidence.svg";

/// Writes the tables of `evidence.md` in this folder, and the picture beside it.
pub fn write(folder: &Path) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/evidence");
    let ours = record::read(&data.join("bayes.jsonl"));
    let others = record::read(&data.join("peers.jsonl"));
    let mut programs: Vec<(&str, bool)> = ENGINES.map(|engine| (engine, true)).to_vec();
    for record in &others {
        if !programs.iter().any(|(name, _)| *name == record.program) {
            programs.push((&record.program, false));
        }
    }
    let records = [ours, others.clone()].concat();
    let targets = targets();
    let page = folder.join(PAGE);
    let text = std::fs::read_to_string(&page);
    let text = text.unwrap_or_else(|error| fail(&format!("{}: {error}", page.display())));
    let tables = tables(&targets, &records, &programs);
    save(&page, &between(&text, &tables));
    save(
        &folder.join(PICTURE),
        &crate::picture::svg(&targets, &records, &programs),
    );
}

fn save(file: &Path, text: &str) {
    if let Err(error) = std::fs::write(file, text) {
        fail(&format!("cannot write {}: {error}", file.display()));
    }
}

/// The text with the part between the two lines replaced.
fn between(text: &str, new: &str) -> String {
    let ends = text.split_once(BEGIN).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    let Some((before, after)) = ends else {
        fail(&format!("the page has no lines `{BEGIN}` and `{END}`"))
    };
    format!("{before}{BEGIN}\n{new}{END}{after}")
}

/// A table of all problems together, a line for each program.
fn overview(targets: &[Target], records: &[Record], programs: &[(&str, bool)]) -> String {
    let mut text = "| program | problems | without a result | runs | 95% intervals that hold the truth | runs with a warning | wrong without a warning |\n\
                    |---|---|---|---|---|---|---|\n"
        .to_owned();
    for (program, is_ours) in programs {
        let of = |target| Row::of(records, program, target);
        let rows: Vec<Row> = targets.iter().filter_map(of).collect();
        let sum = |value: fn(&Row) -> usize| rows.iter().map(value).sum::<usize>();
        // writing to a string cannot fail
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            name(program, *is_ours),
            rows.len(),
            sum(|row| usize::from(row.runs == 0)),
            sum(|row| row.runs),
            sum(|row| row.covered),
            sum(|row| row.warned),
            sum(|row| row.silent.len())
        );
    }
    text
}

/// The name of a program, our engines as code.
fn name(program: &str, is_ours: bool) -> String {
    match is_ours {
        true => format!("`{program}`"),
        false => program.to_owned(),
    }
}

/// A table for each target.
fn tables(targets: &[Target], records: &[Record], programs: &[(&str, bool)]) -> String {
    let mut text = overview(targets, records, programs);
    for target in targets {
        // writing to a string cannot fail
        let _ = writeln!(
            text,
            "\n**{}**, log evidence {:.4}\n\n\
             | program | runs | mean less truth | true error | printed error | 95% intervals that hold it | with a warning | calls | calls for an error of 0.1 | seconds |\n\
             |---|---|---|---|---|---|---|---|---|---|",
            target.name, target.log_evidence
        );
        for (program, is_ours) in programs {
            if let Some(row) = Row::of(records, program, target) {
                let _ = writeln!(text, "{}", line(&name(program, *is_ours), &row));
            }
        }
    }
    text + "\n"
}

fn line(name: &str, row: &Row) -> String {
    if row.runs == 0 {
        let why = row.failed.clone().unwrap_or_default();
        return format!("| {name} | {why} | | | | | | | | {:.0} |", row.seconds);
    }
    let is_wrong = !row.silent.is_empty() || row.off > 3.0 * row.error.max(0.02);
    let [open, close] = if is_wrong { ["**", "**"] } else { ["", ""] };
    let for_a_tenth = match is_wrong {
        true => "-".to_owned(),
        false => counted(row.calls_for_a_tenth),
    };
    format!(
        "| {name} | {} | {open}{:+.3}{close} | {:.3} | {:.3} | {} of {} | {} | {} | {for_a_tenth} | {} |",
        row.runs,
        row.bias,
        row.off,
        row.error,
        row.covered,
        row.runs,
        warned(row),
        counted(row.calls),
        match row.seconds < 10.0 {
            true => format!("{:.1}", row.seconds),
            false => format!("{:.0}", row.seconds),
        }
    )
}

/// The number of runs that warned, with the kinds of our warnings; texts of other programs' warnings are too long.
fn warned(row: &Row) -> String {
    let is_kind = |kind: &str| kind.chars().all(char::is_alphabetic);
    let kinds = row.kinds.iter().filter(|(kind, _)| is_kind(kind));
    let kinds: Vec<String> = kinds.map(|(kind, runs)| format!("{kind} {runs}")).collect();
    match (row.warned, kinds.is_empty()) {
        (0, _) => "none".to_owned(),
        (runs, true) => runs.to_string(),
        (runs, false) => format!("{runs} ({})", kinds.join(", ")),
    }
}

/// A number of calls, from a thousand on in thousands or millions.
fn counted(calls: f64) -> String {
    match calls {
        c if c < 1e3 => format!("{c:.0}"),
        c if c < 1e4 => format!("{:.1} k", c / 1e3),
        c if c < 1e6 => format!("{:.0} k", c / 1e3),
        c if c < 1e7 => format!("{:.1} M", c / 1e6),
        c => format!("{:.0} M", c / 1e6),
    }
}
