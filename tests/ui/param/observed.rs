use bayes::prelude::*;

#[model]
fn line(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let sigma = param(HalfNormal::new(1.0).iid(2));
    observe(sigma[0], HalfNormal::new(1.0));
    observe(y, Normal::new(mu, sigma[1]));
}

fn main() {}
