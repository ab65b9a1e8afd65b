use bayes::prelude::*;

#[model]
fn mean(#[rows] y: &[f64], #[rows] sd: f64) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(mu, sd));
}

fn main() {}
