use bayes::prelude::*;

#[model]
fn mean(y: &[f64], prior: u32) {
    let mu = match prior {
        0 => sample(Normal::new(0.0, 1.0)),
        _ => sample(Cauchy::new(0.0, 1.0)),
    };
    observe(y, Normal::new(mu, 1.0));
}

fn main() {}
