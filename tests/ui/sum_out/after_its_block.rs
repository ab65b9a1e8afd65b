use bayes::prelude::*;

#[model]
fn classes(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 3.0).iid(2));
    for i in 0..y.len() {
        let k = sum_out(Bernoulli::new(0.4));
        observe(y[i], Normal::new(mu[k], 1.0));
    }
    let last = deterministic(mu[k]);
}

fn main() {}
