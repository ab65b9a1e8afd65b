use bayes::prelude::*;

#[model]
fn line(y: &[f64], has_shift: bool) {
    let mu = sample(Normal::new(0.0, 1.0));
    if has_shift {
        let shift = param(Normal::new(0.0, 0.1));
        observe(y, Normal::new(mu + shift, 1.0));
    }
}

fn main() {}
