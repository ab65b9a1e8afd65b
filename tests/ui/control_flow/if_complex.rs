use bayes::prelude::*;

#[model]
fn threshold(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let z = Complex::new(mu, 1.0);
    let sigma = if z.norm_sqr() > 2.0 { 1.0 } else { 2.0 };
    observe(y, Normal::new(mu, sigma));
}

fn main() {}
