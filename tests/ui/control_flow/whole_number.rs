use bayes::prelude::*;

#[model]
fn rates(n: &[u64], y: &[u64]) {
    let rate = sample(Gamma::new(2.0, 1.0));
    for i in 0..y.len() {
        observe(y[i], Poisson::new(rate * n[i]));
    }
}

fn main() {}
