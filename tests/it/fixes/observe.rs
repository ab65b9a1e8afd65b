//! The fixes recommended by the messages of `observe/`.

use bayes::prelude::*;

mod random_value {
    use super::*;

    #[model]
    pub fn mean(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        let sigma = sample(HalfNormal::new(1.0));
        observe(y[0], Normal::new(mu, sigma));
    }
}

mod residual {
    use super::*;

    #[model]
    pub fn line(x: &[f64], y: &[f64]) {
        let slope = sample(Normal::new(0.0, 1.0));
        for j in 0..y.len() {
            observe(y[j], Normal::new(slope * x[j], 1.0));
        }
    }
}

mod swapped {
    use super::*;

    #[model]
    pub fn mean(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        observe(y, Normal::new(mu, 1.0));
    }
}

mod counts {
    use super::*;

    #[model]
    pub fn rate(counts: &[u64], waits: &[f64]) {
        let rate = sample(Exponential::new(1.0));
        observe(counts, Poisson::new(rate));
        observe(waits, Exponential::new(rate));
        observe(counts[0] as f64, Normal::new(rate, 1.0));
    }
}

pub fn main() {
    let y = [1.0, 2.0];
    let _ = (
        random_value::mean(&y),
        residual::line(&y, &y),
        swapped::mean(&y),
    );
    let _ = counts::rate(&[1, 2], &y);
}
