use bayes::prelude::*;

#[model]
fn means(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0), y.len());
    observe(y, Normal::new(mu, 1.0));
}

fn main() {}
