use bayes::prelude::*;

#[model]
fn regression(x: &DMatrix<f64>, y: &[f64]) {
    let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let mean = x * beta;
    observe(y, Normal::new(mean, 1.0));
    let size = deterministic(beta.norm_squared());
}

fn main() {}
