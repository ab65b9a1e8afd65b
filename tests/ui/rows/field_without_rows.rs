use bayes::prelude::*;

#[derive(RowData)]
struct Survey {
    #[rows]
    y: Vec<f64>,
    #[rows]
    groups: usize,
}

fn main() {}
