use bayes::prelude::*;

#[function]
fn scaled(y: &[f64], sd: f64) -> Vec<f64> {
    y.iter().map(|y| y / sd).collect()
}

fn main() {}
