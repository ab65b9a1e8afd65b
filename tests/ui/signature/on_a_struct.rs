use bayes::prelude::*;

#[model]
struct Mean {
    mu: f64,
}

fn main() {}
