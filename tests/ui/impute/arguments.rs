use bayes::prelude::*;

#[model]
fn mistaken(x: &[f64], z: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let a = impute(Normal::new(mu, 1.0));
    let b = impute(Normal::new(mu, 1.0), x);
    let c = impute(z, Normal::new(mu, 1.0).censored(0.0, 3.0));
    let x = impute(x, Normal::new(mu, 1.0));
    let d = impute(&x, Normal::new(mu, 1.0));
}

fn main() {}
