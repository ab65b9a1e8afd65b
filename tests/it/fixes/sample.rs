//! The fixes recommended by the messages of `sample/`.

use bayes::prelude::*;

mod none {
    use super::*;

    #[model]
    pub fn mean(y: &[f64]) {
        let theta = sample(Normal::new(0.0, 1.0));
        observe(y, Normal::new(theta, 1.0));
    }
}

mod censored {
    use super::*;

    #[model]
    pub fn lifetimes(y: &[f64]) {
        let rate = sample(Gamma::new(2.0, 1.0).truncated(0.0, 5.0));
        observe(y, Exponential::new(rate).censored(0.0, 5.0));
    }
}

mod truncated_discrete {
    use super::*;

    #[model]
    pub fn clusters(y: &[f64]) {
        let count = sample(Poisson::new(2.0).truncated(1, f64::INFINITY));
        observe(y, Normal::new(count, 1.0));
    }
}

mod under_if {
    use super::*;

    #[model]
    pub fn mean(y: &[f64], robust: bool) {
        let mu = sample(Normal::new(0.0, 1.0));
        let nu = sample(Exponential::new(0.1));
        if robust {
            observe(y, StudentT::new(nu, mu, 1.0));
        } else {
            observe(y, Normal::new(mu, 1.0));
        }
    }
}

mod under_match {
    use super::*;

    #[model]
    pub fn mean(y: &[f64], prior: u32) {
        let z = sample(Normal::new(0.0, 1.0));
        let w = sample(Cauchy::new(0.0, 1.0));
        let mu = match prior {
            0 => z,
            _ => w,
        };
        observe(y, Normal::new(mu, 1.0));
    }
}

mod in_closure {
    use super::*;

    #[model]
    pub fn means(y: &[f64]) {
        for value in y {
            let mu = sample(Normal::new(0.0, 1.0));
            observe(*value, Normal::new(mu, 1.0));
        }
    }
}

mod in_macro {
    use super::*;

    #[model]
    pub fn mean(y: &[f64]) {
        let a = sample(Normal::new(0.0, 1.0));
        let b = sample(Normal::new(0.0, 1.0));
        let parts = vec![a, b];
        observe(y, Normal::new(parts[0] + parts[1], 1.0));
    }
}

mod without_name {
    use super::*;

    #[model]
    pub fn mean(y: &[f64], mu: f64) {
        let sigma = sample(HalfNormal::new(1.0));
        observe(y, Normal::new(mu, sigma));
    }
}

mod pattern {
    use super::*;

    #[model]
    pub fn mean(y: &[f64]) {
        let both = sample(Normal::new(0.0, 1.0).iid(2));
        let (mu, log_sigma) = (both[0], both[1]);
        observe(y, Normal::new(mu, log_sigma.exp()));
    }
}

mod nested {
    use super::*;

    #[model]
    pub fn mean(y: &[f64]) {
        let z = sample(Normal::new(0.0, 1.0));
        let mu = 10.0 + 2.0 * z;
        observe(y, Normal::new(mu, 1.0));
    }
}

mod same_name {
    use super::*;

    #[model]
    pub fn mean(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        observe(y[0], Normal::new(mu, 1.0));
        let mu_2 = sample(Normal::new(mu, 1.0));
        observe(y[1], Normal::new(mu_2, 1.0));
    }
}

mod deterministic_same_name {
    use super::*;

    #[model]
    pub fn mean(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        let mu_2 = deterministic(2.0 * mu);
        observe(y, Normal::new(mu_2, 1.0));
    }
}

mod two_arguments {
    use super::*;

    #[model]
    pub fn means(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0).iid(y.len()));
        observe(y, Normal::new(mu, 1.0));
    }
}

mod deterministic_number {
    use super::*;

    #[model]
    pub fn mean(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        let n = deterministic(Real::from(y.len() as f64));
        observe(y, Normal::new(mu / n, 1.0));
    }
}

mod hidden_discrete {
    use super::*;

    pub fn arrivals() -> bayes::dist::Univariate<Poisson, (f64,), 1> {
        Poisson::new(3.0)
    }

    #[model]
    pub fn queue(y: &[f64]) {
        let n = sample_discrete(arrivals());
        observe(y, Normal::new(n, 1.0));
    }
}

mod moved_vector {
    use super::*;

    #[model]
    pub fn regression(x: &DMatrix<f64>, y: &[f64]) {
        let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
        let mean = x * &beta;
        observe(y, Normal::new(mean, 1.0));
        let size = deterministic(beta.norm_squared());
        let last = deterministic(beta * 2.0);
    }
}

pub fn main() {
    let y = [1.0, 2.0];
    let _ = (
        none::mean(&y),
        under_if::mean(&y, true),
        under_match::mean(&y, 0),
        in_closure::means(&y),
    );
    let _ = (
        in_macro::mean(&y),
        without_name::mean(&y, 0.0),
        pattern::mean(&y),
        nested::mean(&y),
    );
    let _ = (
        same_name::mean(&y),
        deterministic_same_name::mean(&y),
        two_arguments::means(&y),
    );
    let _ = (hidden_discrete::queue(&y), deterministic_number::mean(&y));
    let _ = (censored::lifetimes(&y), truncated_discrete::clusters(&y));
    let _ = moved_vector::regression(&DMatrix::zeros(2, 1), &y);
}
