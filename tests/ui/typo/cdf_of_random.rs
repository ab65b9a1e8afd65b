use bayes::prelude::*;

#[model]
fn survival(limit: f64) {
    let mu = sample(Normal::new(0.0, 1.0));
    factor(Normal::new(mu, 1.0).sf(limit).ln());
}

fn main() {}
