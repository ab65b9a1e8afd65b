use bayes::prelude::*;

#[model]
fn mean(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    factor(Normal::new(mu, 1.0).log_density_at(y));
}

fn main() {}
