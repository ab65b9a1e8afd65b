use bayes::prelude::*;

#[model]
fn mean(y: &[f64], mu: f64) {
    observe(y, Normal::new(mu, 1.0));
}

fn main() {}
