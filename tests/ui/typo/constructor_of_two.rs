use bayes::prelude::*;

#[model]
fn counts(y: &[u64]) {
    let mu = sample(Gamma::new(2.0, 0.5));
    let phi = sample(Exponential::new(1.0));
    observe(y, NegativeBinomial::new(mu, phi));
}

fn main() {}
