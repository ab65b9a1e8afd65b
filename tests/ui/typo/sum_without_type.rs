use bayes::prelude::*;

#[model]
fn sum(x: &[f64], y: &[f64]) {
    let beta = sample(Normal::new(0.0, 1.0).iid(x.len()));
    let mean = (0..x.len()).map(|k| beta[k] * x[k]).sum();
    observe(y, Normal::new(mean, 1.0));
}

fn main() {}
