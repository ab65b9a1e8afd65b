//! Time series.

use bayes::prelude::*;

#[model]
pub fn ar_k(y: &[f64], order: usize) {
    let alpha = sample(Normal::new(0.0, 10.0));
    let beta = sample(Normal::new(0.0, 10.0).iid(order));
    let sigma = sample(HalfCauchy::new(2.5));
    for t in order..y.len() {
        let mut mean = alpha;
        for k in 0..order {
            mean += beta[k] * y[t - 1 - k];
        }
        observe(y[t], Normal::new(mean, sigma));
    }
}

#[model]
pub fn arma11(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 10.0));
    let phi = sample(Normal::new(0.0, 2.0));
    let theta = sample(Normal::new(0.0, 2.0));
    let sigma = sample(HalfCauchy::new(2.5));
    let mut mean = mu + phi * mu;
    for t in 0..y.len() {
        if t > 0 {
            mean = mu + phi * y[t - 1] + theta * (y[t - 1] - mean);
        }
        observe(y[t], Normal::new(mean, sigma));
    }
}

#[model]
pub fn garch11(y: &[f64], sigma1: f64) {
    let mu = sample(Flat::new());
    let alpha0 = sample(Flat::above(0.0));
    let alpha1 = sample(Flat::between(0.0, 1.0));
    let beta1 = sample(Flat::between(0.0, 1.0 - alpha1));
    let mut variance = Real::from(sigma1 * sigma1);
    for t in 0..y.len() {
        if t > 0 {
            variance = alpha0 + alpha1 * (y[t - 1] - mu).square() + beta1 * variance;
        }
        observe(y[t], Normal::new(mu, variance.sqrt()));
    }
}

/// Downloads with a trend that changes its slope, seasons and holidays (Taylor and Letham 2018); the trend is linear.
#[model]
pub fn prophet(p: &Downloads) {
    let k = sample(Normal::new(0.0, 5.0));
    let m = sample(Normal::new(0.0, 5.0));
    let delta = sample(Laplace::new(0.0, p.tau).iid(p.t_change.len()));
    let sigma_obs = sample(HalfNormal::new(0.5));
    let beta = sample(Normal::new(0.0, &p.sigmas));
    let added = &p.x_added * &beta;
    let multiplied = &p.x_multiplied * &beta;
    let slope = k + &p.changed * &delta;
    let offset = m - &p.changed_at * &delta;
    for i in 0..p.y.len() {
        let trend = slope[i] * p.t[i] + offset[i];
        observe(
            p.y[i],
            Normal::new(trend * (1.0 + multiplied[i]) + added[i], sigma_obs),
        );
    }
}

/// The data of `prophet`: whether the slope has changed at each time, `[times, changes]`, and that times the time of the change.
#[allow(missing_docs)]
pub struct Downloads {
    pub t: Vec<f64>,
    pub y: Vec<f64>,
    pub t_change: Vec<f64>,
    pub changed: DMatrix<f64>,
    pub changed_at: DMatrix<f64>,
    pub x_added: DMatrix<f64>,
    pub x_multiplied: DMatrix<f64>,
    pub sigmas: Vec<f64>,
    pub tau: f64,
}

/// Drivers killed or injured, with a level and a season that walk at random (Commandeur and Koopman 2007).
#[model]
pub fn state_space(y: &[f64], x: &[f64], w: &[f64], low: f64, high: f64) {
    let sigma = sample(HalfStudentT::new(4.0, 1.0).iid(3).ordered());
    let beta = sample(Flat::new());
    let lambda = sample(Flat::new());
    // the program does not renormalise the steps on the interval
    let mu = sample(Flat::between(low, high).iid(y.len()));
    let seasonal = sample(Flat::new().iid(y.len()));
    for t in 0..y.len() {
        if t > 0 {
            factor(Normal::new(mu[t - 1], sigma[1]).log_density_at(mu[t]));
        }
        if t >= 11 {
            let year: Real = seasonal[t - 11..t].sum();
            factor(Normal::new(-year, sigma[0]).log_density_at(seasonal[t]));
        }
        let mean = mu[t] + beta * x[t] + lambda * w[t] + seasonal[t];
        observe(y[t], Normal::new(mean, sigma[2]));
    }
}
