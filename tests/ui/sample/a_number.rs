use bayes::prelude::*;

#[model]
fn mean(y: &[f64]) {
    let mu = sample(3.0);
    observe(y, Normal::new(mu, 1.0));
}

fn main() {}
