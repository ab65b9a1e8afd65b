use bayes::prelude::*;

#[model]
fn chain(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0).iid(2));
    let mut before = 0;
    for t in 0..y.len() {
        let state = sum_out(Bernoulli::new([0.1, 0.8][before]));
        observe(y[t], Normal::new(mu[state], 1.0));
        before = state;
    }
}

fn main() {}
