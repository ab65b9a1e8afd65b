use bayes::prelude::*;

#[model]
fn changes(y: &[f64]) {
    let n = sample(Poisson::new(3.0));
    observe(y, Normal::new(n, 1.0));
}

fn main() {
    let model = changes(&[2.0, 3.0]);
    let _ = Inference::pcn().run(&model);
}
