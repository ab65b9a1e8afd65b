use bayes::prelude::*;

#[model]
fn line(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(mu, 1.0));
    let y = generate(Normal::new(mu, 1.0).iid(y.len()));
}

fn main() {}
