use bayes::prelude::*;

#[model]
fn mean(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let sigma = sample(HalfNormal::new(1.0));
    observe(mu, Normal::new(y[0], sigma));
}

fn main() {}
