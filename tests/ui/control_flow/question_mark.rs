use bayes::prelude::*;

#[model]
fn mean(text: &str) {
    let mu = sample(Normal::new(0.0, 1.0));
    let y: f64 = text.parse()?;
    observe(y, Normal::new(mu, 1.0));
}

fn main() {}
