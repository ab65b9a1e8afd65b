use bayes::prelude::*;

#[model]
fn line(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let next: Real = generate(Normal::new(mu, 1.0));
    let shifted: Real = 1.0 + next;
    let kept = deterministic(shifted.exp());
    observe(y, Normal::new(next, 1.0));
    let path = generate(Normal::new(mu, 1.0).iid(3));
    for step in path.iter() {
        factor(-*step);
    }
}

fn main() {}
