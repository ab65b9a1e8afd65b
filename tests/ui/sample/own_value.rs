use bayes::prelude::*;

#[model]
fn walk(y: &[f64]) {
    for t in 0..y.len() {
        let x = sample(Normal::new(x, 1.0));
        observe(y[t], Normal::new(x, 0.5));
    }
}

fn main() {}
