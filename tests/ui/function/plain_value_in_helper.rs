use bayes::prelude::*;

fn clip<M: Mode>(x: Real<M>) -> Real<M> {
    if x.primal() > 0.0 { x } else { Real::from(0.0) }
}

#[model]
fn clipped(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(clip(mu), 1.0));
}

fn main() {}
