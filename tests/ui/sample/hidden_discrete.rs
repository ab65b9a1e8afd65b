use bayes::prelude::*;

fn arrivals() -> bayes::dist::Univariate<Poisson, (f64,), 1> {
    Poisson::new(3.0)
}

#[model]
fn queue(y: &[f64]) {
    let n = sample(arrivals());
    observe(y, Normal::new(n, 1.0));
}

fn main() {}
