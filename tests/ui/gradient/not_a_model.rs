use bayes::prelude::*;

fn mean(y: &[f64]) -> f64 {
    y.iter().sum::<f64>() / y.len() as f64
}

fn main() {
    let model = mean(&[2.0, 3.0]);
    let _ = Inference::psmc().run(&model);
}
