use bayes::prelude::*;

#[model]
fn walk(y: &[f64]) {
    let mut t = 0;
    while t < y.len() {
        let x = sample(Normal::new(0.0, 1.0));
        observe(y[t], Normal::new(x, 1.0));
        t += 1;
    }
}

fn main() {}
