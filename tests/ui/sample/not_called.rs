use bayes::prelude::*;

#[model]
fn mean(y: &[f64]) {
    let mu = sample(Normal);
    observe(y, Normal::new(mu, 1.0));
}

fn main() {}
