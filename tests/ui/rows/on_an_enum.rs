use bayes::prelude::*;

#[derive(RowData)]
enum Outcome {
    Good,
    Bad,
}

fn main() {}
