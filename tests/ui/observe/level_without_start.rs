use bayes::prelude::*;

#[model]
fn nile(flow: &[f64]) {
    let sd = sample(HalfNormal::new(200.0));
    observe(flow, StateSpace::new(Level::new(40.0), sd, flow.len()));
}

fn main() {}
