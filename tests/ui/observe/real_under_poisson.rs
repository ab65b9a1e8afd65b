use bayes::prelude::*;

#[model]
fn rate(y: &[f64]) {
    let rate = sample(Exponential::new(1.0));
    for j in 0..y.len() {
        observe(y[j], Poisson::new(rate));
    }
}

fn main() {}
