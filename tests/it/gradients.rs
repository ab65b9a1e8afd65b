//! Gradients of hierarchies, regressions and loops, in every mode.

use crate::battery::{LAMBDA, PARTICLES, agree, design, numbers};
use bayes::density::{Particles, Posterior, Target};
use bayes::prelude::*;
use bayes::run::Counts;

#[model]
fn eight_schools(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    for j in 0..y.len() {
        let theta = mu + tau * z[j];
        observe(y[j], Normal::new(theta, sigma[j]));
    }
}

#[model]
fn credit(x: &DMatrix<f64>, y: &[bool]) {
    let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &beta));
}

#[model]
fn softmax(x: &DMatrix<f64>, y: &[usize]) {
    let beta = sample(Normal::new(0.0, 1.0).iid((x.ncols(), 3)));
    observe(y, CategoricalLogit::new(x * &beta));
}

/// A state carried from one iteration to the next.
#[model]
fn garch(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let omega = sample(Gamma::new(2.0, 1.0));
    let alpha = sample(Uniform::new(0.0, 1.0));
    let beta = sample(Uniform::new(0.0, 1.0 - alpha));
    let mut variance: Real = Real::from(0.5);
    for t in 1..y.len() {
        variance = omega + alpha * (y[t - 1] - mu).square() + beta * variance;
        observe(y[t], Normal::new(mu, variance.sqrt()));
    }
}

/// Quantities sampled in a loop and used after it, in nested loops, and in every second iteration.
#[model]
fn loops(x: &DMatrix<f64>, y: &[f64]) {
    let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let sd = sample(HalfNormal::new(1.0));
    let mut total: Real = Real::from(0.0);
    let mut seen: Vec<Real> = Vec::new();
    for i in 0..y.len() {
        let mut eta: Real = Real::from(0.0);
        for j in 0..x.ncols() {
            eta += x[(i, j)] * beta[j];
        }
        total += eta.tanh();
        seen.push(eta);
    }
    for i in 0..y.len() {
        if i % 2 == 0 {
            continue;
        }
        let scale = sd.exp() * (1.0 + seen[i].square());
        observe(y[i], Normal::new(seen[i], scale));
        for j in 0..x.ncols() {
            let pull = (beta[j] - seen[i]).abs();
            factor(-pull / (i as f64 + scale));
        }
    }
    factor(-total.square());
}

/// The functions and the vector and matrix operations of the language.
#[model]
fn language(x: &DMatrix<f64>, y: &[f64]) {
    let v = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let g = sample(Normal::new(0.0, 1.0).iid((2, 3)));
    let s = sample(HalfNormal::new(1.0));
    let eta = x * &v;
    let bent = eta.map(|e| e.sin() + e.tanh() * 0.5 - (1.0 + e * e).ln());
    observe(y, Normal::new(&bent + s, 1.0));
    let shares = v.softmax();
    factor(shares.dot(&v) + v.log_sum_exp() + v.cumulative_sum().norm_squared().sqrt());
    factor((&v * 2.0 - &v / s).sum() + v.mean().exp().ln_1p() + v.log_softmax()[1]);
    factor(g.transpose().sum() + g.component_mul(&g).sum() + (s + 1.0).ln_gamma() + s.digamma());
    factor(s.powf(1.7) + s.powi(3) + s.pow(s) + s.norm_cdf().ln() + s.erf() + v[0].logistic());
    factor(v[0].max(v[1]) + v[1].min(0.3) + v[0].hypot(s) + v[1].atan2(s) + s.x_ln_y(s));
    factor(dot(&y[..x.ncols()], &v).square() * -0.1);
}

#[model]
fn gaussian_process(x: &[f64], y: &[f64]) {
    let length = sample(Gamma::new(3.0, 2.0));
    let height = sample(HalfNormal::new(1.0));
    let covariance = Matrix::from_fn(x.len(), x.len(), |i, j| {
        let distance = (x[i] - x[j]) / length;
        let noise = if i == j { 0.1 } else { 0.0 };
        height.square() * (-0.5 * distance.square()).exp() + noise
    });
    observe(y, MultivariateNormal::new(0.0, covariance));
}

#[test]
fn hierarchies_and_regressions() {
    let sigma: Vec<f64> = (0..8).map(|i| 9.0 + i as f64).collect();
    agree(&eight_schools(
        &[28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0],
        &sigma,
    ));
    let flags: Vec<bool> = (0..53).map(|i| i % 3 == 0).collect();
    agree(&credit(&design(53, 19), &flags));
    let labels: Vec<usize> = (0..30).map(|i| i % 3).collect();
    agree(&softmax(&design(30, 4), &labels));
}

#[test]
fn loops_that_carry_values() {
    agree(&garch(&numbers(40)));
    agree(&loops(&design(12, 3), &numbers(12)));
}

#[test]
fn functions_vectors_and_matrices() {
    agree(&language(&design(9, 4), &numbers(9)));
    agree(&gaussian_process(&[0.0, 0.4, 1.1, 1.9, 3.0], &numbers(5)));
}

#[test]
fn a_particle_has_the_same_bits_in_any_lane_and_any_company() {
    let (x, y) = (design(53, 19), vec![true; 53]);
    let model = credit(&x, &y);
    let posterior = Posterior::new(&model, 1).unwrap();
    let mut counts = Counts::default();
    let mut all = Particles::new(PARTICLES, 19);
    for (i, x) in all.positions.iter_mut().enumerate() {
        *x = (0.7 * i as f64).sin();
    }
    let target = Target::tempered(&posterior, LAMBDA);
    target.evaluate_gradient(&mut all.block(), &mut counts);
    for i in 0..PARTICLES {
        let mut alone = all.select(&[i as u32]);
        target.evaluate_gradient(&mut alone.block(), &mut counts);
        assert_eq!(alone.log_likelihood[0], all.log_likelihood[i]);
        assert_eq!(alone.log_prior[0], all.log_prior[i]);
        assert_eq!(alone.gradient, all.gradient[i * 19..(i + 1) * 19]);
    }
}
