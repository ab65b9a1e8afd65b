use bayes::prelude::*;

#[model]
fn mean(counts: &[u64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(counts, Normal::new(mu, 1.0));
}

fn main() {}
