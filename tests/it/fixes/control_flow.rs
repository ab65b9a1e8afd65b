//! The fixes recommended by the messages of `control_flow/`.

use bayes::prelude::*;

mod if_random {
    use super::*;

    #[model]
    pub fn threshold(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        let sigma = Real::select(mu.gt(0.0), 1.0, 2.0);
        observe(y, Normal::new(mu, sigma));
    }
}

mod if_complex {
    use super::*;

    #[model]
    pub fn threshold(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        let z = Complex::new(mu, 1.0);
        let sigma = Real::select(z.norm_sqr().gt(2.0), 1.0, 2.0);
        observe(y, Normal::new(mu, sigma));
    }
}

mod while_random {
    use super::*;

    #[model]
    pub fn doubling(y: &[f64]) {
        let mu = sample(HalfNormal::new(1.0));
        let mut scaled = 2.0 * mu;
        for _ in 0..20 {
            scaled = Real::select(scaled.lt(10.0), scaled * 2.0, scaled);
        }
        observe(y, Normal::new(scaled, 1.0));
    }
}

mod data_branches {
    use super::*;

    #[model]
    pub fn censored(y: &[f64], limit: f64) {
        let mu = sample(Normal::new(0.0, 1.0));
        for j in 0..y.len() {
            if y[j] < limit {
                observe(y[j], Normal::new(mu, 1.0));
                continue;
            }
            factor((mu - limit).norm_cdf().ln());
        }
    }
}

mod turns {
    use super::*;

    #[model]
    pub fn walk(y: &[f64]) {
        let rate = sample(Exponential::new(1.0));
        let mut total: Real = Real::from(0.0);
        for j in 0..y.len() {
            total = total + rate * y[j];
        }
        factor(-total);
    }
}

mod question_mark {
    use super::*;

    #[model]
    pub fn mean(y: f64) {
        let mu = sample(Normal::new(0.0, 1.0));
        observe(y, Normal::new(mu, 1.0));
    }
}

mod continue_in_sampling_loop {
    use super::*;

    #[model]
    pub fn means(y: &[f64]) {
        for j in 0..y.len() {
            let mu = sample(Normal::new(0.0, 1.0));
            if !y[j].is_nan() {
                observe(y[j], Normal::new(mu, 1.0));
            }
        }
    }
}

mod accumulate_random {
    use super::*;

    #[model]
    pub fn sum(y: &[f64]) {
        let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
        let mut total: Real = Real::from(0.0);
        for i in 0..y.len() {
            total += z[i] * y[i];
        }
        factor(-total);
    }
}

mod plain_value {
    use super::*;

    #[model]
    pub fn clipped(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        let clipped = deterministic(Real::select(mu.gt(0.0), mu, 0.0));
        observe(y, Normal::new(clipped, 1.0));
    }
}

mod if_discrete {
    use super::*;

    #[model]
    pub fn change(y: &[u64]) {
        let cp = sample(DiscreteUniform::new(0, 10));
        let shift = sample(DiscreteUniform::new(-3, 3).truncated(-2, 2));
        for i in 0..y.len() {
            let rate = Real::select(cp.gt(i), 2.0, (1.0 + 0.1 * shift).exp());
            observe(y[i], Poisson::new(rate));
        }
    }
}

mod index_by_list {
    use super::*;

    #[model]
    pub fn radon(county: &[usize], y: &[f64]) {
        let alpha = sample(Normal::new(0.0, 1.0).iid(3));
        let beta = sample(Normal::new(0.0, 1.0).iid((3, 2)));
        let shifted = 1.0 + &alpha;
        let rows = beta.select_rows(county);
        observe(y, Normal::new(alpha.at(&county) + shifted.at(county), 1.0));
        for i in 0..y.len() {
            let slope = rows.row(i).dot(&[0.5, 1.0]) + alpha[1..].sum();
            observe(y[i], Normal::new(alpha[county[i]] + slope, 1.0));
        }
    }
}

pub fn main() {
    let y = [1.0, 2.0];
    let _ = (
        if_random::threshold(&y),
        if_complex::threshold(&y),
        while_random::doubling(&y),
        data_branches::censored(&y, 3.0),
    );
    let _ = (accumulate_random::sum(&y), plain_value::clipped(&y));
    let _ = (
        turns::walk(&y),
        question_mark::mean(1.0),
        continue_in_sampling_loop::means(&y),
    );
    let _ = (
        if_discrete::change(&[1, 2]),
        index_by_list::radon(&[0, 2], &y),
    );
}
