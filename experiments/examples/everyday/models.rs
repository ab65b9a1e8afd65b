//! Six models for beginners, and data simulated from them.

use bayes::nn::Sequential;
use bayes::prelude::*;
use bayes::rng::Stream;

/// Logistic regression whose intercept and slope vary by group, and are correlated.
#[model]
pub fn varying_slopes(groups: usize, group: &[usize], x: &[f64], y: &[bool]) {
    let mu = sample(Normal::new(0.0, 2.0).iid(2));
    let tau = sample(HalfNormal::new(1.0).iid(2));
    let l = sample(LKJCholesky::new(2, 2.0));
    let z = sample(Normal::new(0.0, 1.0).iid((groups, 2)));
    for i in 0..y.len() {
        let g = group[i];
        let intercept = mu[0] + tau[0] * z[(g, 0)];
        let slope = mu[1] + tau[1] * (l[(1, 0)] * z[(g, 0)] + l[(1, 1)] * z[(g, 1)]);
        observe(y[i], BernoulliLogit::new(intercept + slope * x[i]));
    }
}

/// A mixture of three normal distributions, whose labels are identified by their order.
#[model]
pub fn mixture(y: &[f64]) {
    let w = sample(Dirichlet::new([2.0, 2.0, 2.0]));
    let mu = sample(Normal::new(0.0, 5.0).iid(3).ordered());
    let sd = sample(HalfNormal::new(2.0).iid(3));
    let components = [
        Normal::new(mu[0], sd[0]),
        Normal::new(mu[1], sd[1]),
        Normal::new(mu[2], sd[2]),
    ];
    observe(y, Mixture::new(&w, components));
}

/// Stochastic volatility: the log variance of returns is autoregressive.
#[model]
pub fn volatility(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 2.0));
    let phi = sample(Beta::new(20.0, 1.5));
    let sigma = sample(HalfNormal::new(0.5));
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    let mut h = sigma / (1.0 - phi * phi).sqrt() * z[0];
    for t in 0..y.len() {
        if t > 0 {
            h = phi * h + sigma * z[t];
        }
        observe(y[t], Normal::new(0.0, (0.5 * (mu + h)).exp()));
    }
}

/// Regression by a network.
#[model]
pub fn network(net: &Sequential, x: &DMatrix<f64>, y: &[f64]) {
    let theta = sample(net.prior());
    let sd = sample(HalfNormal::new(0.5));
    observe(y, Normal::new(net.forward(x, &theta).column(0), sd));
}

/// Survival times, some of them censored, with a frailty for each group.
#[model]
pub fn survival(groups: usize, group: &[usize], x: &[f64], time: &[f64], end: &[f64]) {
    let shape = sample(Gamma::new(4.0, 2.0));
    let beta = sample(Normal::new(0.0, 1.0).iid(2));
    let variance = sample(HalfNormal::new(1.0));
    let frailty = sample(Gamma::new(1.0 / variance, 1.0 / variance).iid(groups));
    for i in 0..time.len() {
        let log_hazard = beta[0] + beta[1] * x[i] + frailty[group[i]].ln();
        let scale = (-log_hazard / shape).exp();
        observe(time[i], Weibull::new(shape, scale).censored(0.0, end[i]));
    }
}

/// A polynomial.
#[model]
pub fn polynomial(powers: &DMatrix<f64>, y: &[f64]) {
    let beta = sample(Normal::new(0.0, 2.0).iid(powers.ncols()));
    let sd = sample(HalfNormal::new(1.0));
    observe(y, Normal::new(powers * &beta, sd));
}

/// The data of all models.
pub struct Data {
    pub groups: usize,
    pub group: Vec<usize>,
    pub x: Vec<f64>,
    pub y: Vec<bool>,
    pub clusters: Vec<f64>,
    pub returns: Vec<f64>,
    pub inputs: DMatrix<f64>,
    pub outputs: Vec<f64>,
    pub time: Vec<f64>,
    pub end: Vec<f64>,
    pub powers: DMatrix<f64>,
    pub curve: Vec<f64>,
}

impl Data {
    /// Simulates the data, always the same.
    pub fn simulated() -> Self {
        let stream = &mut bayes::rng::stream(20);
        let groups = 20;
        let group: Vec<usize> = (0..400).map(|i| i % groups).collect();
        let x: Vec<f64> = normal(400, 1.0, stream);
        let (a, b) = (normal(groups, 0.8, stream), normal(groups, 0.5, stream));
        let y = (0..400).map(|i| {
            let g = group[i];
            let score = 0.3 + a[g] + (1.0 + 0.4 * a[g] + b[g]) * x[i];
            uniform(stream) < 1.0 / (1.0 + (-score).exp())
        });
        let y = y.collect();
        let noise = normal(150, 1.0, stream);
        let clusters =
            (0..150).map(|i| [-3.0 + 0.8 * noise[i], 0.5 + 0.6 * noise[i], 4.0 + noise[i]][i % 3]);
        let clusters = clusters.collect();
        let shocks = normal(300, 0.2, stream);
        let mut h = 0.0;
        let volatilities = shocks.iter().map(|shock| {
            h = 0.95 * h + shock;
            f64::exp(0.5 * (h - 1.0))
        });
        let returns = volatilities
            .zip(normal(300, 1.0, stream))
            .map(|(sd, z)| sd * z)
            .collect();
        let inputs = DMatrix::from_fn(100, 1, |i, _| -2.0 + 0.04 * i as f64);
        let noise = normal(100, 0.15, stream);
        let outputs = (0..100)
            .map(|i| f64::sin(2.0 * inputs[i]) + noise[i])
            .collect();
        let frailty: Vec<f64> = normal(groups, 0.6, stream)
            .iter()
            .map(|z| z.exp())
            .collect();
        let end: Vec<f64> = (0..200).map(|_| 0.5 + 2.0 * uniform(stream)).collect();
        let time = (0..200).map(|i| {
            let hazard = frailty[group[i]] * (0.5 * x[i]).exp();
            let event = (-uniform(stream).ln() / hazard).powf(1.0 / 1.5);
            event.min(end[i])
        });
        let time = time.collect();
        let powers = DMatrix::from_fn(40, 3, |i, k| (-1.0 + i as f64 / 19.5).powi(k as i32));
        let noise = normal(40, 0.5, stream);
        let curve = (0..40)
            .map(|i| 1.0 - powers[(i, 1)] + 2.0 * powers[(i, 2)] + noise[i])
            .collect();
        Self {
            groups,
            group,
            x,
            y,
            clusters,
            returns,
            inputs,
            outputs,
            time,
            end,
            powers,
            curve,
        }
    }
}

fn normal(n: usize, sd: f64, stream: &mut Stream) -> Vec<f64> {
    (0..n)
        .map(|_| Normal::new(0.0, sd).draw_one(stream))
        .collect()
}

fn uniform(stream: &mut Stream) -> f64 {
    Uniform::new(0.0, 1.0).draw_one(stream)
}
