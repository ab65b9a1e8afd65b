use bayes::prelude::*;

#[model]
fn mean(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let n = deterministic(y.len() as f64);
    observe(y, Normal::new(mu / n, 1.0));
}

fn main() {}
