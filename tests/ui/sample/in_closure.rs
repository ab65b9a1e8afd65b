use bayes::prelude::*;

#[model]
fn means(y: &[f64]) {
    y.iter().for_each(|value| {
        let mu = sample(Normal::new(0.0, 1.0));
        observe(*value, Normal::new(mu, 1.0));
    });
}

fn main() {}
