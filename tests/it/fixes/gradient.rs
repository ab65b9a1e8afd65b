//! The fixes recommended by the messages of `gradient/`.

use bayes::prelude::*;

mod discrete {
    use super::*;

    #[model]
    pub fn changes(y: &[f64]) {
        let n = sample(Poisson::new(3.0));
        observe(y, Normal::new(n, 1.0));
    }
}

mod continuous {
    use super::*;

    #[model]
    pub fn mean(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        observe(y, Normal::new(mu, 1.0));
    }
}

pub fn main() {
    let y = [2.0, 3.0];
    let _ = |model: &discrete::changes<'_>| Inference::psmc().kernel(RandomWalk::new()).run(model);
    let _ = |model: &continuous::mean<'_>| Inference::smc().kernel(Hmc::new()).run(model);
    let _ = |model: &continuous::mean<'_>| Inference::pcn().run(model);
    let _ = |model: &continuous::mean<'_>, fit: &Fit| Inference::psmc().anchor(fit, 0.1).run(model);
    let _ = (discrete::changes(&y), continuous::mean(&y));
}
