use bayes::prelude::*;

#[model]
fn means(y: &[f64]) {
    for j in 0..y.len() {
        if y[j].is_nan() {
            continue;
        }
        let mu = sample(Normal::new(0.0, 1.0));
        observe(y[j], Normal::new(mu, 1.0));
    }
}

fn main() {}
