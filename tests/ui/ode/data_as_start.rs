use bayes::prelude::*;

#[model]
fn decay(y: &[f64], times: &[f64]) {
    let rate = sample(LogNormal::new(0.0, 1.0));
    let z = ode(|_, [mass]| [-rate * mass], [1.0]).at(times);
    observe(y, Normal::new(z.column(0), 1.0));
}

fn main() {}
