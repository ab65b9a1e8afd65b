use bayes::prelude::*;

#[model]
fn mean(#[rows(0..3)] y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(mu, 1.0));
}

fn main() {}
