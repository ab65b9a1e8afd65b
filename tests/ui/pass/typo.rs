//! The fixes that the messages of `typo/` name.

use bayes::prelude::*;

mod distribution {
    use super::*;

    #[model]
    pub fn mean(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        let sigma = sample(HalfCauchy::new(5.0));
        observe(y, Normal::new(mu, sigma));
    }
}

mod own_distribution {
    use super::*;

    /// A user's own distribution, named almost like one of ours.
    pub struct Nromal;

    impl Nromal {
        pub fn new() -> bayes::dist::Univariate<Normal, (f64, f64), 2> {
            Normal::new(0.0, 3.0)
        }
    }

    #[model]
    pub fn mean(y: &[f64]) {
        let mu = sample(self::Nromal::new());
        observe(y, Normal::new(mu, 1.0));
    }
}

mod observed {
    use super::*;

    #[model]
    pub fn coin(y: &[bool]) {
        let p = sample(Beta::new(1.0, 1.0));
        observe(y, Bernoulli::new(p));
    }
}

fn main() {
    let _ = (distribution::mean(&[1.0]), own_distribution::mean(&[1.0]), observed::coin(&[true]));
}
