use bayes::prelude::*;

#[model]
fn lifetimes(y: &[f64]) {
    let distribution = Gamma::new(2.0, 1.0).censored(0.0, 5.0);
    let rate = sample(distribution);
    observe(y, Exponential::new(rate));
}

fn main() {}
