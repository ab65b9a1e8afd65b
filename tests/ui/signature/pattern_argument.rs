use bayes::prelude::*;

#[model]
fn line((x, y): (&[f64], &[f64])) {
    let slope = sample(Normal::new(0.0, 1.0));
    for j in 0..x.len() {
        observe(y[j], Normal::new(slope * x[j], 1.0));
    }
}

fn main() {}
