use bayes::prelude::*;

struct Survey {
    y: Vec<f64>,
}

#[model]
fn mean(#[rows] data: &Survey) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(&data.y, Normal::new(mu, 1.0));
}

fn main() {}
