use bayes::prelude::*;

#[model]
fn sum(y: &[f64]) {
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    let mut total = 0.0;
    for i in 0..y.len() {
        total += z[i] * y[i];
    }
    factor(-total);
}

fn main() {}
