use bayes::prelude::*;

#[model]
fn rectified(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let tau = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(max(mu, 0.0), f64::exp(tau)));
}

fn main() {}
