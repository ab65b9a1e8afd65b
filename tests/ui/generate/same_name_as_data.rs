use bayes::prelude::*;

#[model]
fn line(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let z: Vec<f64> = y.iter().map(|y| y - 1.0).collect();
    observe(&z, Normal::new(mu, 1.0));
    let y: Vector = generate(Normal::new(mu, 1.0).iid(y.len()));
    let z = generate(Normal::new(mu, 1.0));
}

fn main() {}
