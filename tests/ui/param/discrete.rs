use bayes::prelude::*;

#[model]
fn clusters(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let count = param(Poisson::new(2.0));
    observe(y, Normal::new(mu * count, 1.0));
}

fn main() {}
