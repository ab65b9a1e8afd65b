//! Radon in homes by county (Gelman and Hill 2007).

use bayes::prelude::*;

#[model]
pub fn pooled(floor: &[f64], y: &[f64]) {
    let alpha = sample(Normal::new(0.0, 10.0));
    let beta = sample(Normal::new(0.0, 10.0));
    let sigma_y = sample(HalfNormal::new(1.0));
    observe(y, Normal::new(alpha + beta * floor, sigma_y));
}

#[model]
pub fn county(y: &[f64], county: &[usize], counties: usize) {
    let mu_a = sample(Normal::new(0.0, 1.0));
    let sigma_a = sample(Uniform::new(0.0, 100.0));
    let sigma_y = sample(Uniform::new(0.0, 100.0));
    let a = sample(Normal::new(mu_a, sigma_a).iid(counties));
    observe(y, Normal::new(a.at(county), sigma_y));
}

#[model]
pub fn county_intercept(floor: &[f64], y: &[f64], county: &[usize], counties: usize) {
    let alpha = sample(Normal::new(0.0, 10.0).iid(counties));
    let beta = sample(Normal::new(0.0, 10.0));
    let sigma_y = sample(HalfNormal::new(1.0));
    observe(y, Normal::new(alpha.at(county) + beta * floor, sigma_y));
}

#[model]
pub fn hierarchical_intercept_centered(
    x: &DMatrix<f64>,
    y: &[f64],
    county: &[usize],
    counties: usize,
) {
    let sigma_alpha = sample(HalfNormal::new(1.0));
    let sigma_y = sample(HalfNormal::new(1.0));
    let mu_alpha = sample(Normal::new(0.0, 10.0));
    let beta = sample(Normal::new(0.0, 10.0).iid(2));
    let alpha = sample(Normal::new(mu_alpha, sigma_alpha).iid(counties));
    observe(y, Normal::new(alpha.at(county) + x * &beta, sigma_y));
}

#[model]
pub fn hierarchical_intercept_noncentered(
    x: &DMatrix<f64>,
    y: &[f64],
    county: &[usize],
    counties: usize,
) {
    let sigma_alpha = sample(HalfNormal::new(1.0));
    let sigma_y = sample(HalfNormal::new(1.0));
    let mu_alpha = sample(Normal::new(0.0, 10.0));
    let beta = sample(Normal::new(0.0, 10.0).iid(2));
    let alpha = sample(
        Normal::new(mu_alpha, sigma_alpha)
            .iid(counties)
            .non_centred(),
    );
    observe(y, Normal::new(alpha.at(county) + x * &beta, sigma_y));
}

#[model]
pub fn partially_pooled_centered(y: &[f64], county: &[usize], counties: usize) {
    let mu_alpha = sample(Normal::new(0.0, 10.0));
    let sigma_alpha = sample(HalfNormal::new(1.0));
    let sigma_y = sample(HalfNormal::new(1.0));
    let alpha = sample(Normal::new(mu_alpha, sigma_alpha).iid(counties));
    observe(y, Normal::new(alpha.at(county), sigma_y));
}

#[model]
pub fn partially_pooled_noncentered(y: &[f64], county: &[usize], counties: usize) {
    let mu_alpha = sample(Normal::new(0.0, 10.0));
    let sigma_alpha = sample(HalfNormal::new(1.0));
    let sigma_y = sample(HalfNormal::new(1.0));
    let alpha = sample(
        Normal::new(mu_alpha, sigma_alpha)
            .iid(counties)
            .non_centred(),
    );
    observe(y, Normal::new(alpha.at(county), sigma_y));
}

#[model]
pub fn variable_intercept_centered(floor: &[f64], y: &[f64], county: &[usize], counties: usize) {
    let beta = sample(Normal::new(0.0, 10.0));
    let mu_alpha = sample(Normal::new(0.0, 10.0));
    let sigma_alpha = sample(HalfNormal::new(1.0));
    let sigma_y = sample(HalfNormal::new(1.0));
    let alpha = sample(Normal::new(mu_alpha, sigma_alpha).iid(counties));
    observe(y, Normal::new(alpha.at(county) + beta * floor, sigma_y));
}

#[model]
pub fn variable_intercept_noncentered(floor: &[f64], y: &[f64], county: &[usize], counties: usize) {
    let beta = sample(Normal::new(0.0, 10.0));
    let mu_alpha = sample(Normal::new(0.0, 10.0));
    let sigma_alpha = sample(HalfNormal::new(1.0));
    let sigma_y = sample(HalfNormal::new(1.0));
    let alpha = sample(
        Normal::new(mu_alpha, sigma_alpha)
            .iid(counties)
            .non_centred(),
    );
    observe(y, Normal::new(alpha.at(county) + beta * floor, sigma_y));
}

#[model]
pub fn variable_slope_centered(floor: &[f64], y: &[f64], county: &[usize], counties: usize) {
    let alpha = sample(Normal::new(0.0, 10.0));
    let mu_beta = sample(Normal::new(0.0, 10.0));
    let sigma_beta = sample(HalfNormal::new(1.0));
    let sigma_y = sample(HalfNormal::new(1.0));
    let beta = sample(Normal::new(mu_beta, sigma_beta).iid(counties));
    for i in 0..y.len() {
        observe(
            y[i],
            Normal::new(alpha + beta[county[i]] * floor[i], sigma_y),
        );
    }
}

#[model]
pub fn variable_slope_noncentered(floor: &[f64], y: &[f64], county: &[usize], counties: usize) {
    let alpha = sample(Normal::new(0.0, 10.0));
    let mu_beta = sample(Normal::new(0.0, 10.0));
    let sigma_beta = sample(HalfNormal::new(1.0));
    let sigma_y = sample(HalfNormal::new(1.0));
    let beta = sample(Normal::new(mu_beta, sigma_beta).iid(counties).non_centred());
    for i in 0..y.len() {
        observe(
            y[i],
            Normal::new(alpha + beta[county[i]] * floor[i], sigma_y),
        );
    }
}

#[model]
pub fn variable_intercept_slope_centered(
    floor: &[f64],
    y: &[f64],
    county: &[usize],
    counties: usize,
) {
    let sigma_y = sample(HalfNormal::new(1.0));
    let sigma_alpha = sample(HalfNormal::new(1.0));
    let sigma_beta = sample(HalfNormal::new(1.0));
    let mu_alpha = sample(Normal::new(0.0, 10.0));
    let mu_beta = sample(Normal::new(0.0, 10.0));
    let alpha = sample(Normal::new(mu_alpha, sigma_alpha).iid(counties));
    let beta = sample(Normal::new(mu_beta, sigma_beta).iid(counties));
    for i in 0..y.len() {
        let j = county[i];
        observe(y[i], Normal::new(alpha[j] + beta[j] * floor[i], sigma_y));
    }
}

#[model]
pub fn variable_intercept_slope_noncentered(
    floor: &[f64],
    y: &[f64],
    county: &[usize],
    counties: usize,
) {
    let sigma_y = sample(HalfNormal::new(1.0));
    let sigma_alpha = sample(HalfNormal::new(1.0));
    let sigma_beta = sample(HalfNormal::new(1.0));
    let mu_alpha = sample(Normal::new(0.0, 10.0));
    let mu_beta = sample(Normal::new(0.0, 10.0));
    let alpha = sample(
        Normal::new(mu_alpha, sigma_alpha)
            .iid(counties)
            .non_centred(),
    );
    let beta = sample(Normal::new(mu_beta, sigma_beta).iid(counties).non_centred());
    for i in 0..y.len() {
        let j = county[i];
        observe(y[i], Normal::new(alpha[j] + beta[j] * floor[i], sigma_y));
    }
}
