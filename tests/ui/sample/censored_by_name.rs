use bayes::prelude::*;

#[model]
fn lifetimes(y: &[f64]) {
    let law = Gamma::new(2.0, 1.0).censored(0.0, 5.0);
    let rate = sample(law);
    observe(y, Exponential::new(rate));
}

fn main() {}
