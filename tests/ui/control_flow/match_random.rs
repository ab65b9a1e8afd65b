use bayes::prelude::*;

#[model]
fn switch(y: &[f64]) {
    let k = sample(Bernoulli::new(0.5));
    let mu = match k {
        0 => -1.0,
        _ => 1.0,
    };
    observe(y, Normal::new(mu, 1.0));
}

fn main() {}
