use bayes::prelude::*;

#[model]
fn noise(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let sd = sum_out(Gamma::new(2.0, 1.0));
    observe(y, Normal::new(mu, sd));
}

fn main() {}
