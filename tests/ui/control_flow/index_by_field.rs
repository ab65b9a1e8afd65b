use bayes::prelude::*;

struct Survey {
    county: Vec<usize>,
    y: Vec<f64>,
}

#[model]
fn radon(data: &Survey) {
    let alpha = sample(Normal::new(0.0, 1.0).iid(3));
    observe(&data.y, Normal::new(&alpha[&data.county], 1.0));
}

fn main() {}
