use bayes::prelude::*;

#[model]
fn groups(y: &[f64], group: &[u32]) {
    let mu = sample(Normal::new(0.0, 1.0).iid(3));
    for j in 0..y.len() {
        observe(y[group[j]], Normal::new(mu[0], 1.0));
    }
}

fn main() {}
