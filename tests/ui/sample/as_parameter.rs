use bayes::prelude::*;

#[model]
fn mean(y: &[f64]) {
    observe(y, Normal::new(sample(Normal::new(0.0, 1.0)), 1.0));
}

fn main() {}
