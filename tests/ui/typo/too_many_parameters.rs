use bayes::prelude::*;

#[model]
fn mean(y: &[f64]) {
    let mu = sample(HalfCauchy::new(0.0, 5.0));
    observe(y, Normal::new(0.0, mu));
}

fn main() {}
