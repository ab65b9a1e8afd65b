use bayes::prelude::*;

#[model]
fn scale(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let sigma = sample(HalfCauchy::new(1.0));
    observe(y, Normal::new(mu, sigma));
}

fn main() {
    let model = scale(&[2.0, 3.0]);
    let fit = Inference::map().run(&model).unwrap();
    let _ = Inference::psmc().anchor(&fit, 0.1).run(&model);
}
