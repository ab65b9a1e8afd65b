use bayes::prelude::*;

fn shape(mu: f64) -> Truncated<Poisson, (f64,), (u64, f64), 1> {
    Poisson::new(mu).truncated(1, f64::INFINITY)
}

#[model]
fn clusters(y: &[f64]) {
    let count = sample(shape(2.0));
    observe(y, Normal::new(count, 1.0));
}

fn main() {}
