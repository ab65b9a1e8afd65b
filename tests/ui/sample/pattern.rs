use bayes::prelude::*;

#[model]
fn mean(y: &[f64]) {
    let (mu, sigma) = sample(Normal::new(0.0, 1.0).iid(2));
    observe(y, Normal::new(mu, sigma));
}

fn main() {}
