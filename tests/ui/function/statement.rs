use bayes::prelude::*;

#[function]
fn noisy(a: Real) -> Real {
    let noise = sample(Normal::new(0.0, 1.0));
    a + noise
}

fn main() {}
