use bayes::prelude::*;

#[derive(RowData)]
struct Survey<'a> {
    #[rows]
    y: &'a [f64],
}

fn main() {}
