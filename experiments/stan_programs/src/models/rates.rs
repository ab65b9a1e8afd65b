//! Rates of successes (Lee and Wagenmakers 2014), and a survey of an unknown size.

use bayes::prelude::*;

#[model]
pub fn rate_1(n: u64, k: u64) {
    let theta = sample(Beta::new(1.0, 1.0));
    observe(k, Binomial::new(n, theta));
}

#[model]
pub fn rate_2(n1: u64, n2: u64, k1: u64, k2: u64) {
    let theta1 = sample(Beta::new(1.0, 1.0));
    let theta2 = sample(Beta::new(1.0, 1.0));
    observe(k1, Binomial::new(n1, theta1));
    observe(k2, Binomial::new(n2, theta2));
}

/// `Rate_3_model`, `Rate_5_model`.
#[model]
pub fn rate_3(n1: u64, n2: u64, k1: u64, k2: u64) {
    let theta = sample(Beta::new(1.0, 1.0));
    observe(k1, Binomial::new(n1, theta));
    observe(k2, Binomial::new(n2, theta));
}

#[model]
pub fn rate_4(n: u64, k: u64) {
    let theta = sample(Beta::new(1.0, 1.0));
    let _thetaprior = sample(Beta::new(1.0, 1.0));
    observe(k, Binomial::new(n, theta));
}

/// How many surveys were sent, if five numbers of them came back?
#[model]
pub fn survey(returned: &[u64], most: usize) {
    let theta = sample(Uniform::new(0.0, 1.0));
    let n = sum_out(DiscreteUniform::new(1, most));
    observe(returned, Binomial::new(n, theta));
}
