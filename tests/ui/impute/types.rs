use bayes::prelude::*;

#[model]
fn whole(k: &[u64], x: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0).iid(2));
    let a = impute(k, Normal::new(0.0, 1.0));
    let b = impute(x, MultivariateNormal::new(&mu, DMatrix::<f64>::identity(2, 2)));
}

fn main() {}
