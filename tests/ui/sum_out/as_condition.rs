use bayes::prelude::*;

#[model]
fn outliers(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 3.0));
    for i in 0..y.len() {
        let k = sum_out(Bernoulli::new(0.1));
        let sd = if k { 10.0 } else { 1.0 };
        observe(y[i], Normal::new(mu, sd));
    }
}

fn main() {}
