use bayes::prelude::*;

#[model]
fn counts(y: &[f64]) {
    let rate = sample(Gamma::new(2.0, 1.0));
    let y = impute(y, Poisson::new(rate));
    factor(y.sum());
}

fn main() {}
