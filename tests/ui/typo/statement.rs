use bayes::prelude::*;

#[model]
fn mean(y: &[f64]) {
    let mu = smaple(Normal::new(0.0, 1.0));
    obsreve(y, Normal::new(mu, 1.0));
}

fn main() {}
