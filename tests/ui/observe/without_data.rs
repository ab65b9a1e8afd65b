use bayes::prelude::*;

#[model]
fn mean(y: &[f64]) {
    let mu = sample(Normal::new(y[0], 1.0));
    observe(Normal::new(mu, 1.0));
}

fn main() {}
