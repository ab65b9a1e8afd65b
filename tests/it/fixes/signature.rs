//! The fixes recommended by the messages of `signature/`.

use bayes::prelude::*;

mod plain {
    use super::*;

    #[model]
    pub fn mean(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        observe(y, Normal::new(mu, 1.0));
    }
}

mod helper_inside {
    use super::*;

    #[model]
    pub fn rates(counts: &[u64]) {
        #[function]
        fn link(a: Real) -> Real {
            (1.0 + a.exp()).ln()
        }
        let root = |a: Real| a.sqrt();
        let a = sample(Normal::new(0.0, 1.0));
        observe(counts, Poisson::new(root(link(a))));
    }
}

mod receiver {
    use super::*;

    pub struct Data {
        pub y: Vec<f64>,
    }

    #[model]
    pub fn mean(data: &Data) {
        let mu = sample(Normal::new(0.0, 1.0));
        observe(&data.y, Normal::new(mu, 1.0));
    }
}

mod pattern_argument {
    use super::*;

    #[model]
    pub fn line(data: (&[f64], &[f64])) {
        let (x, y) = data;
        let slope = sample(Normal::new(0.0, 1.0));
        for j in 0..x.len() {
            observe(y[j], Normal::new(slope * x[j], 1.0));
        }
    }
}

mod mutable_argument {
    use super::*;

    #[model]
    pub fn mean(y: Vec<f64>) {
        let mut copy = y.clone();
        copy.sort_by(f64::total_cmp);
        let mu = sample(Normal::new(0.0, 1.0));
        observe(&copy, Normal::new(mu, 1.0));
    }
}

mod return_type {
    use super::*;

    #[model]
    pub fn mean(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        observe(y, Normal::new(mu, 1.0));
        let _variance = deterministic(mu * mu);
    }
}

pub fn main() {
    let y = [1.0, 2.0];
    let _ = (
        plain::mean(&y),
        mutable_argument::mean(y.to_vec()),
        return_type::mean(&y),
    );
    let data = receiver::Data { y: y.to_vec() };
    let _ = (
        receiver::mean(&data),
        pattern_argument::line((&y, &y)),
        helper_inside::rates(&[1, 2]),
    );
}
