//! The tests of formulas, from the text to predictions, and of the program.

mod additions;
mod answers;
mod by_hand;
mod distributional;
mod effects;
mod ends;
mod families;
mod fitted;
mod links;
mod monotonic;
mod peer;
mod processes;
mod program;
mod refusals;
mod shares;
mod smooths;
mod tables;

use bayes::data::Table;

/// A table from the folder `data`.
fn table(name: &str) -> Table {
    let path = format!("{}/tests/data/{name}.csv", env!("CARGO_MANIFEST_DIR"));
    Table::read_csv(path).expect("the table is in the repository")
}

/// A table from a text.
fn of(text: &str) -> Table {
    Table::from_csv(text.as_bytes()).expect("it is a table")
}
