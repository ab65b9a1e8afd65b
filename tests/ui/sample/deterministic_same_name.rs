use bayes::prelude::*;

#[model]
fn mean(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let mu = deterministic(2.0 * mu);
    observe(y, Normal::new(mu, 1.0));
}

fn main() {}
