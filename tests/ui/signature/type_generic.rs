use bayes::prelude::*;

#[model]
fn mean<T: AsRef<[f64]>>(y: T) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y.as_ref(), Normal::new(mu, 1.0));
}

fn main() {}
