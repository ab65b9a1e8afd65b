//! The fixes recommended by the messages of `param/`.

use bayes::prelude::*;

#[model]
fn line(y: &[f64], has_shift: bool) {
    let mu = sample(Normal::new(0.0, 1.0));
    let shift = param(Normal::new(0.0, 0.1));
    let sigma = param(HalfNormal::new(1.0).iid(2));
    let mu_2 = param(Normal::new(mu, 1.0));
    observe(y, Normal::new(mu, sigma[0]));
    if has_shift {
        observe(y, Normal::new(mu + shift + mu_2, sigma[1]));
    }
}

pub fn main() {
    let model = line(&[2.0, 3.0], true);
    let values: [(&str, &[f64]); 3] = [("shift", &[0.1]), ("sigma", &[1.0, 2.0]), ("mu_2", &[0.3])];
    let fixed = model.with_params(&values).expect("they fit");
    let run = Inference::random_walk()
        .chains(1)
        .burn_in(10)
        .draws(10)
        .run(&fixed);
    assert_eq!(
        run.expect("every unknown is sampled").layout.names(),
        ["mu"]
    );
}
