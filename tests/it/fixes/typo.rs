//! The fixes recommended by the messages of `typo/`.

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

    /// A user's own distribution with a name close to one of the library.
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

mod sum_without_type {
    use super::*;

    #[model]
    pub fn sum(x: &[f64], y: &[f64]) {
        let beta = sample(Normal::new(0.0, 1.0).iid(x.len()));
        let mean = (0..x.len()).map(|k| beta[k] * x[k]).sum::<Real>();
        observe(y, Normal::new(mean, 1.0));
    }
}

mod cdf_of_random {
    use super::*;

    /// A user's own distribution, with a survival function of random values.
    struct Own(f64);

    impl Own {
        fn new(rate: f64) -> Self {
            Self(rate)
        }
        fn log_sf<M: Mode>(&self, x: Real<M>) -> Real<M> {
            x * -self.0
        }
    }

    #[model]
    pub fn survival(limit: f64) {
        let mu = sample(Normal::new(0.0, 1.0));
        factor(Normal::new(mu, 1.0).log_sf_at(limit));
        factor(Normal::new(0.0, 1.0).log_cdf_at(mu));
        factor(Own::new(2.0).log_sf(mu));
    }
}

mod log_of_random {
    use super::*;

    #[model]
    pub fn logarithm(y: &[f64]) {
        let mu = sample(HalfNormal::new(1.0));
        observe(y, Normal::new(mu.ln(), 1.0));
    }
}

mod own_with_comma {
    use super::*;
    use bayes::dist::{Constraint, Continuous, Family, ParameterInfo};
    use bayes::rng::Stream;
    use bayes::transform::Support;

    #[derive(Clone, Copy, Debug)]
    pub struct Own;

    impl Family<1> for Own {
        const NAME: &'static str = "Own";
        const PARAMETERS: [ParameterInfo; 1] = [ParameterInfo::new("rate", Constraint::Positive)];
        type Domain = Continuous;
        fn log_kernel<M: Mode>(x: Real<M>, [rate]: [Real<M>; 1]) -> Real<M> {
            rate.ln() - rate * x
        }
        fn support<M: Mode>(_: [Real<M>; 1]) -> Support<M> {
            Support::positive()
        }
        fn draw([rate]: [f64; 1], _: &mut Stream) -> f64 {
            1.0 / rate
        }
    }

    #[model]
    pub fn waits(y: &[f64]) {
        let rate = sample(Gamma::new(2.0, 1.0));
        observe(y, Own::at((rate,)));
    }
}

mod constructor_of_two {
    use super::*;

    #[model]
    pub fn counts(y: &[u64]) {
        let mu = sample(Gamma::new(2.0, 0.5));
        let phi = sample(Exponential::new(1.0));
        observe(y, NegativeBinomial::mean_dispersion(mu, phi));
        observe(y, NegativeBinomial::successes_probability(phi, 0.5));
    }
}

mod function_of_random {
    use super::*;

    fn max(a: f64, b: f64) -> f64 {
        if a > b { a } else { b }
    }

    #[model]
    pub fn rectified(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        let tau = sample(Normal::new(0.0, 1.0));
        observe(y, Normal::new(mu.max(max(y[0], 0.0)), tau.exp()));
    }
}

mod density_at_each {
    use super::*;

    #[model]
    pub fn mean(y: &[f64], count: &[u64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        for i in 0..y.len() {
            factor(Normal::new(mu, 1.0).log_density_at(y[i]));
            factor(Poisson::new(mu.exp()).log_density_at(count[i]));
            factor(Poisson::new(mu.exp()).log_cdf_at(&count[i]));
        }
        let both = Normal::new([mu, 2.0 * mu], 1.0);
        factor(both.log_density_at(y));
    }
}

mod idioms {
    use super::*;

    #[model]
    pub fn classes(x: &DMatrix<f64>, y: &[usize]) {
        let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
        let product = x * &beta;
        for i in 0..y.len() {
            let alike = beta.dot(&x.row(i).transpose()) - product[i];
            let last = alike + beta[0].powi(2);
            observe(
                y[i],
                CategoricalLogit::new([Real::from(0.0), product[i], last]),
            );
        }
    }

    #[model]
    pub fn series(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
        let mean = mu * &y[..y.len() - 1] + Real::from(2.0) * &z[1..];
        observe(&y[1..], Normal::new(mean, 1.0));
    }
}

pub fn main() {
    let _ = (
        idioms::classes(&DMatrix::zeros(1, 1), &[0]),
        idioms::series(&[1.0, 2.0]),
    );
    let _ = (
        sum_without_type::sum(&[1.0], &[2.0]),
        log_of_random::logarithm(&[1.0]),
        cdf_of_random::survival(0.5),
        own_with_comma::waits(&[1.0]),
    );
    let _ = (
        constructor_of_two::counts(&[1]),
        function_of_random::rectified(&[1.0]),
        density_at_each::mean(&[1.0, 2.0], &[1, 2]),
    );
    let _ = (
        distribution::mean(&[1.0]),
        own_distribution::mean(&[1.0]),
        observed::coin(&[true]),
    );
}
