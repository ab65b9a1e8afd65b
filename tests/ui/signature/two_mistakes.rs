use bayes::prelude::*;

#[model]
async fn mean(y: &[f64]) -> f64 {
    let mu = sample(Nromal::new(0.0, 1.0));
    observe(y, Normal::new(mu));
}

fn main() {}
