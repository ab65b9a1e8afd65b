use bayes::prelude::*;

#[model]
fn clipped(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let clipped = if mu.primal() > 0.0 { mu } else { Real::from(0.0) };
    observe(y, Normal::new(clipped, 1.0));
}

fn main() {}
