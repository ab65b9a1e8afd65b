use bayes::prelude::*;

#[function]
fn root(a: Real) -> Real {
    let mut x: Real = Real::from(1.0);
    while (x * x - a).abs() > 1e-9 {
        x = 0.5 * (x + a / x);
    }
    x
}

fn main() {}
