use bayes::prelude::*;

#[model]
fn rates(y: &[u64]) {
    let scale = sample(HalfNormal::new(1.0));
    let rate = sample(Gamma::new(2.0, scale).iid(y.len()).non_centred());
    let other = sample(Gamma::new(2.0, scale).non_centred());
    observe(y, Poisson::new(&rate * other));
}

fn main() {}
