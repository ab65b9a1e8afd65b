use bayes::prelude::*;

#[model]
fn mean(y: impl Iterator<Item = f64>) {
    let mu = sample(Normal::new(0.0, 1.0));
    for value in y {
        observe(value, Normal::new(mu, 1.0));
    }
}

fn main() {}
