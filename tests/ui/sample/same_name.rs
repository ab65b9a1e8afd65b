use bayes::prelude::*;

#[model]
fn mean(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y[0], Normal::new(mu, 1.0));
    let mu = sample(Normal::new(mu, 1.0));
    observe(y[1], Normal::new(mu, 1.0));
}

fn main() {}
