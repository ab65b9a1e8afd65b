use bayes::prelude::*;

#[derive(RowData)]
struct Survey {
    y: Vec<f64>,
}

fn main() {}
