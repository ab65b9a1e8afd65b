use bayes::prelude::*;

#[model]
fn mean(y: &[f64], robust: bool) {
    let mu = sample(Normal::new(0.0, 1.0));
    if robust {
        let nu = sample(Exponential::new(0.1));
        observe(y, StudentT::new(nu, mu, 1.0));
    } else {
        observe(y, Normal::new(mu, 1.0));
    }
}

fn main() {}
