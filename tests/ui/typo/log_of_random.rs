use bayes::prelude::*;

#[model]
fn logarithm(y: &[f64]) {
    let mu = sample(HalfNormal::new(1.0));
    observe(y, Normal::new(mu.log(), 1.0));
}

fn main() {}
