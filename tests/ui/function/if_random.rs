use bayes::prelude::*;

#[function]
fn clipped(a: Real, b: Real) -> Real {
    let difference = a - b;
    if difference > 0.0 { difference } else { Real::from(0.0) }
}

fn main() {}
