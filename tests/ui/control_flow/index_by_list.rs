use bayes::prelude::*;

#[model]
fn radon(county: &[usize], y: &[f64]) {
    let alpha = sample(Normal::new(0.0, 1.0).iid(3));
    let shifted = 1.0 + &alpha;
    observe(y, Normal::new(alpha[county] + shifted[&county], 1.0));
}

fn main() {}
