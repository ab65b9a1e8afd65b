use bayes::prelude::*;

#[model]
fn walk(y: &[f64]) {
    let n = sample(Poisson::new(3.0));
    let mut total: Real = Real::from(0.0);
    for _ in 0..n {
        total = total + 1.0;
    }
    observe(y, Normal::new(total, 1.0));
}

fn main() {}
