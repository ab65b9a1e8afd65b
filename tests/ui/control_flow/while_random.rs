use bayes::prelude::*;

#[model]
fn doubling(y: &[f64]) {
    let mu = sample(HalfNormal::new(1.0));
    let mut scaled = 2.0 * mu;
    while scaled < 10.0 {
        scaled = scaled * 2.0;
    }
    observe(y, Normal::new(scaled, 1.0));
}

fn main() {}
