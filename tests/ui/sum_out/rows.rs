use bayes::prelude::*;

#[model]
fn shared(#[rows] y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0).iid(2));
    let k = sum_out(Bernoulli::new(0.5));
    observe(y, Normal::new(mu[k], 1.0));
}

fn main() {}
