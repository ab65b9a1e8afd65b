use bayes::prelude::*;

#[model]
fn mean(y: &[f64], mu: f64) {
    let _ = sample(HalfNormal::new(1.0));
    observe(y, Normal::new(mu, 1.0));
}

fn main() {}
