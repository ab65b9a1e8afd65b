use bayes::prelude::*;

#[model]
fn schools(school: &[String], #[dims(school)] y: &[f64]) {
    #[dims]
    let mu = sample(Normal::new(0.0, 1.0));
    #[dims(places)]
    let theta = sample(Normal::new(mu, 1.0).iid(y.len()));
    #[dims(school)]
    let scale = 2.0;
    #[dims(school = mu)]
    let twice = deterministic(2.0 * theta);
    #[dims(school)]
    #[dims(school)]
    observe(y, Normal::new(twice, scale));
    #[dims(school)]
    factor(-mu * mu);
    #[dims(school)]
    for _ in 0..3 {
        factor(mu);
    }
}

#[function]
fn twice(x: Real) -> Real {
    #[dims(school)]
    let twice = 2.0 * x;
    twice
}

fn main() {}
