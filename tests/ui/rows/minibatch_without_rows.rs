use bayes::prelude::*;

#[model]
fn mean(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(mu, 1.0));
}

fn main() {
    let model = mean(&[2.0, 3.0]);
    let _ = Inference::map().adam(0.01).minibatch(1).run(&model);
}
