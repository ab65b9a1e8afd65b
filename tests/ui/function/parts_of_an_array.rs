use bayes::prelude::*;

#[function]
fn larger(z: &[Real; 2], (shift, _): (Real, f64)) -> Real {
    let [x, y] = *z;
    match shift + x > y {
        true => x,
        false => y,
    }
}

fn main() {}
