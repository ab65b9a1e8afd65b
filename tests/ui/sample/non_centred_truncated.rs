use bayes::prelude::*;

#[model]
fn rates(y: &[f64]) {
    let scale = sample(HalfNormal::new(1.0));
    let rate = sample(Normal::new(1.0, scale).truncated(0.0, 10.0).non_centred());
    observe(y, Exponential::new(rate));
}

fn main() {}
