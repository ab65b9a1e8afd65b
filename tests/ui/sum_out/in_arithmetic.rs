use bayes::prelude::*;

#[model]
fn doses(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 3.0));
    for i in 0..y.len() {
        let k = sum_out(Binomial::new(3, 0.4));
        observe(y[i], Normal::new(mu * k, 1.0));
    }
}

fn main() {}
