use bayes::prelude::*;

#[function]
fn steps(f: impl Fn(Real) -> Real, x: Real) -> usize {
    if f(x).primal().abs() > 1.0 { 20 } else { 10 }
}

fn main() {}
