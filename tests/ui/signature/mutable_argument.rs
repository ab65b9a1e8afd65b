use bayes::prelude::*;

#[model]
fn mean(mut y: Vec<f64>) {
    y.sort_by(f64::total_cmp);
    let mu = sample(Normal::new(0.0, 1.0));
    observe(&y, Normal::new(mu, 1.0));
}

fn main() {}
