use bayes::prelude::*;

#[model]
fn growth(y: &[f64], times: &[f64]) {
    let rate = sample(LogNormal::new(0.0, 1.0));
    let z = ode(|_, [mass]| if mass > 1.0 { [rate] } else { [2.0 * rate] }, [Real::from(0.5)]).at(times);
    if z[(0, 0)] < 1.0 {
        factor(-rate);
    }
    observe(y, Normal::new(z.column(0), 1.0));
}

fn main() {}
