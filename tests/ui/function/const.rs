use bayes::prelude::*;

#[function]
const fn zero() -> Real {
    Real::from(0.0)
}

fn main() {}
