use bayes::prelude::*;

#[model]
fn line(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let sigma = param(HalfNormal::new(1.0));
    observe(y, Normal::new(mu, sigma));
}

fn main() {
    let model = line(&[2.0, 3.0]);
    let _ = Inference::nuts().run(&model);
    let _ = Inference::smc().kernel(RandomWalk::new()).run(&model);
    let _ = Inference::vi().run(&model);
}
