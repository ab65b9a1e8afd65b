use bayes::prelude::*;

#[model]
fn bounded(x: &[f64], y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0).within(0.0, f64::INFINITY));
    let x = impute(x, Normal::new(mu, 1.0).within(0.0, 3.0));
    observe(y, Normal::new(&x, 1.0).within(0.0, 3.0));
}

fn main() {}
