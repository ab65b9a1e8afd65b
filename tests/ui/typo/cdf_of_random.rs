use bayes::prelude::*;

#[model]
fn survival(limit: f64) {
    let mu = sample(Normal::new(0.0, 1.0));
    factor(Normal::new(mu, 1.0).sf(limit).ln());
    factor(Normal::new(0.0, 1.0).log_cdf(mu));
}

fn main() {}
