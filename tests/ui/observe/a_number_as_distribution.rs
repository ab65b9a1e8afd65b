use bayes::prelude::*;

#[model]
fn mean(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, mu);
}

fn main() {}
