use bayes::prelude::*;

#[model]
fn clusters(y: &[f64], centres: &[f64]) {
    let k = sample(Categorical::new([0.5, 0.5]));
    observe(y, Normal::new(centres[k], 1.0));
}

fn main() {}
