use bayes::prelude::*;

#[model]
fn classes(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0).iid(2));
    let k = sum_out(Bernoulli::new(0.5));
    let sd = sample(HalfNormal::new(1.0));
    let both = deterministic(mu[k] / sd);
    observe(y, Normal::new(mu[k], sd));
}

fn main() {}
