use bayes::prelude::*;

#[model]
fn sometimes(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0).iid(2));
    for i in 0..y.len() {
        if y[i] > 0.0 {
            let k = sum_out(Bernoulli::new(0.5));
            observe(y[i], Normal::new(mu[k], 1.0));
        }
    }
    sum_out(Bernoulli::new(0.5));
}

fn main() {}
