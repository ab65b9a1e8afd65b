use bayes::prelude::*;

#[model]
fn coin(y: &[bool]) {
    let p = sample(Beta::new(1.0, 1.0));
    observe(y, Bernouli::new(p));
}

fn main() {}
