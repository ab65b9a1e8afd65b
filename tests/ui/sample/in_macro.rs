use bayes::prelude::*;

#[model]
fn mean(y: &[f64]) {
    let parts = vec![sample(Normal::new(0.0, 1.0)), sample(Normal::new(0.0, 1.0))];
    observe(y, Normal::new(parts[0] + parts[1], 1.0));
}

fn main() {}
