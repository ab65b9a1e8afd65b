use bayes::prelude::*;

#[model]
fn line(x: &[f64], y: &[f64]) {
    let slope = sample(Normal::new(0.0, 1.0));
    for j in 0..y.len() {
        observe(y[j] - slope * x[j], Normal::new(0.0, 1.0));
    }
}

fn main() {}
