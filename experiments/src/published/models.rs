//! The models of posteriordb (Magnusson et al. 2024) and two state-space models, written without tricks.

use bayes::prelude::*;
use std::f64::consts::LN_2;

/// `arK`: an autoregression of order 5, conditional on the first 5 values.
#[model]
pub fn autoregression(y: &[f64]) {
    let alpha = sample(Normal::new(0.0, 10.0));
    let beta = sample(Normal::new(0.0, 10.0).iid(5));
    let sigma = sample(HalfCauchy::new(2.5));
    for t in 5..y.len() {
        let mut mean = alpha;
        for k in 0..5 {
            mean += beta[k] * y[t - 1 - k];
        }
        observe(y[t], Normal::new(mean, sigma));
    }
}

/// `garch11`: the variance depends on the last residual and the last variance.
#[model]
pub fn garch(y: &[f64], sigma1: f64) {
    let mu = sample(Flat::new());
    let alpha0 = sample(Flat::above(0.0));
    let alpha1 = sample(Flat::between(0.0, 1.0));
    let beta1 = sample(Flat::between(0.0, 1.0 - alpha1));
    let mut variance = Real::from(sigma1 * sigma1);
    observe(y[0], Normal::new(mu, sigma1));
    for t in 1..y.len() {
        variance = alpha0 + alpha1 * (y[t - 1] - mu).square() + beta1 * variance;
        observe(y[t], Normal::new(mu, variance.sqrt()));
    }
}

/// `wells_dist`: logistic regression with a flat prior.
#[model]
pub fn flat_logistic(x: &DMatrix<f64>, y: &[bool]) {
    let beta = sample(Flat::new().iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &beta));
}

/// `dogs`: logistic regression on the earlier trials of each dog.
#[model]
pub fn logistic(x: &DMatrix<f64>, y: &[bool]) {
    let beta = sample(Normal::new(0.0, 100.0).iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &beta));
}

/// `logearn_height_male`, `logmesquite_logvas`, `nes`: linear regression with flat priors.
#[model]
pub fn flat_regression(x: &DMatrix<f64>, y: &[f64]) {
    let beta = sample(Flat::new().iid(x.ncols()));
    let sigma = sample(Flat::above(0.0));
    observe(y, Normal::new(x * &beta, sigma));
}

/// `kidscore_momiq`: flat coefficients, a half-Cauchy scale.
#[model]
pub fn kidiq(x: &DMatrix<f64>, y: &[f64]) {
    let beta = sample(Flat::new().iid(x.ncols()));
    let sigma = sample(HalfCauchy::new(2.5));
    observe(y, Normal::new(x * &beta, sigma));
}

/// `blr`: linear regression on strongly correlated predictors.
#[model]
pub fn regression(x: &DMatrix<f64>, y: &[f64]) {
    let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()));
    let sigma = sample(HalfNormal::new(10.0));
    observe(y, Normal::new(x * &beta, sigma));
}

/// `eight_schools_centered`: a funnel.
#[model]
pub fn schools_centred(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let theta = sample(Normal::new(mu, tau).iid(y.len()));
    observe(y, Normal::new(theta, sigma));
}

/// `eight_schools_noncentered`: the same posterior without the funnel.
#[model]
pub fn schools(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let theta_trans = sample(Normal::new(0.0, 1.0).iid(y.len()));
    let theta = deterministic(mu + tau * &theta_trans);
    observe(y, Normal::new(&theta, sigma));
}

/// A random walk with known scale, observed at some times.
#[model]
pub fn brownian_known(times: &[usize], seen: &[f64], steps: usize, scales: [f64; 2]) {
    let [innovation, noise] = scales;
    let locs = sample(GaussianRandomWalk::new(
        Normal::new(0.0, innovation),
        innovation,
        steps,
    ));
    for i in 0..times.len() {
        observe(seen[i], Normal::new(locs[times[i]], noise));
    }
}

/// The same with both scales unknown.
#[model]
pub fn brownian(times: &[usize], seen: &[f64], steps: usize) {
    let innovation_noise_scale = sample(LogNormal::new(0.0, 2.0));
    let observation_noise_scale = sample(LogNormal::new(0.0, 2.0));
    let start = Normal::new(0.0, innovation_noise_scale);
    let locs = sample(GaussianRandomWalk::new(
        start,
        innovation_noise_scale,
        steps,
    ));
    for i in 0..times.len() {
        observe(
            seen[i],
            Normal::new(locs[times[i]], observation_noise_scale),
        );
    }
}

/// The same posterior, non-centred, in the steps of the walk.
#[model]
pub fn brownian_by_steps(times: &[usize], seen: &[f64], steps: usize) {
    let innovation_noise_scale = sample(LogNormal::new(0.0, 2.0));
    let observation_noise_scale = sample(LogNormal::new(0.0, 2.0));
    let z = sample(Normal::new(0.0, 1.0).iid(steps));
    let locs = deterministic(innovation_noise_scale * z.cumulative_sum());
    for i in 0..times.len() {
        observe(
            seen[i],
            Normal::new(locs[times[i]], observation_noise_scale),
        );
    }
}

/// `gp_regr`: a Gaussian process with the function integrated out; `sigma` is a variance.
#[model]
pub fn gaussian_process(x: &[f64], y: &[f64]) {
    let rho = sample(Gamma::new(25.0, 4.0));
    let alpha = sample(HalfNormal::new(2.0));
    let sigma = sample(HalfNormal::new(1.0));
    let covariance = Matrix::from_fn(x.len(), x.len(), |i, j| {
        let distance = (x[i] - x[j]) / rho;
        let smooth = alpha.square() * (-0.5 * distance.square()).exp();
        if i == j { smooth + sigma } else { smooth }
    });
    observe(y, MultivariateNormal::new(0.0, covariance));
}

/// `hmm_example`: two hidden states, summed out by the forward algorithm.
#[model]
pub fn hidden_markov(y: &[f64]) {
    let theta1 = sample(Dirichlet::new([1.0, 1.0]));
    let theta2 = sample(Dirichlet::new([1.0, 1.0]));
    let low = sample(Normal::new(3.0, 1.0).truncated(0.0, f64::INFINITY));
    let high = sample(Normal::new(10.0, 1.0).truncated(low, f64::INFINITY));
    // the reference does not renormalise the two distributions on 0 < low < high
    factor(Normal::new(3.0, 1.0).log_sf(0.0) + (10.0 - low).ln_norm_cdf());
    let (stay, leave) = (
        [theta1[0].ln(), theta2[1].ln()],
        [theta1[1].ln(), theta2[0].ln()],
    );
    let emission = |t: usize, mean| Normal::new(mean, 1.0).log_density_at(y[t]);
    // the log weight of each state given the observations so far; the first state has no distribution
    let mut forward = [emission(0, low), emission(0, high)];
    for t in 1..y.len() {
        forward = [
            (forward[0] + stay[0]).log_add_exp(forward[1] + leave[1]) + emission(t, low),
            (forward[1] + stay[1]).log_add_exp(forward[0] + leave[0]) + emission(t, high),
        ];
    }
    factor(forward[0].log_add_exp(forward[1]));
}

/// `low_dim_gauss_mix`: two ordered normal components, with the allocation summed out.
#[model]
pub fn mixture(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 2.0).iid(2).ordered());
    let sigma = sample(HalfNormal::new(2.0).iid(2));
    let theta = sample(Beta::new(5.0, 5.0));
    // the reference does not renormalise the distribution of `mu` on mu[0] < mu[1]
    factor(-LN_2);
    let components = [Normal::new(mu[0], sigma[0]), Normal::new(mu[1], sigma[1])];
    observe(y, Mixture::new([theta, 1.0 - theta], components));
}

/// `radon_hierarchical_intercept_noncentered`: 919 homes in 85 counties.
#[model]
pub fn radon(x: &DMatrix<f64>, county: &[usize], counties: usize, log_radon: &[f64]) {
    let sigma_alpha = sample(HalfNormal::new(1.0));
    let sigma_y = sample(HalfNormal::new(1.0));
    let mu_alpha = sample(Normal::new(0.0, 10.0));
    let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()));
    let alpha_raw = sample(Normal::new(0.0, 1.0).iid(counties));
    let alpha = deterministic(mu_alpha + sigma_alpha * &alpha_raw);
    let slope = x * &beta;
    for n in 0..log_radon.len() {
        observe(
            log_radon[n],
            Normal::new(alpha[county[n]] + slope[n], sigma_y),
        );
    }
}
