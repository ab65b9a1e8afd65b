use bayes::prelude::*;

#[model]
fn truncated(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let positive = mu >= 0.0;
    factor(f64::from(positive).ln());
    observe(y, Normal::new(mu, 1.0));
}

fn main() {}
