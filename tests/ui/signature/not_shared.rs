use bayes::prelude::*;
use std::cell::Cell;

#[model]
fn mean(y: &Cell<f64>) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y.get(), Normal::new(mu, 1.0));
}

fn main() {}
