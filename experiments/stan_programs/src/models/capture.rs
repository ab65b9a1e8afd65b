//! Closed populations of animals that are caught, marked and caught again (Kéry and Schaub 2012, chapter 6): of the rows of the data, the last ones were never
//! seen, and may not exist.

use bayes::prelude::*;

#[model]
pub fn m0(seen: &[u64], occasions: u64) {
    let omega = sample(Uniform::new(0.0, 1.0));
    let p = sample(Uniform::new(0.0, 1.0));
    observe(
        seen,
        ZeroInflated::new(1.0 - omega, Binomial::new(occasions, p)),
    );
}

/// Another probability after a capture.
#[model]
pub fn mb(y: &DMatrix<u64>) {
    let omega = sample(Uniform::new(0.0, 1.0));
    let p = sample(Uniform::new(0.0, 1.0));
    let c = sample(Uniform::new(0.0, 1.0));
    for i in 0..y.nrows() {
        let exists = sum_out(Bernoulli::new(omega));
        for t in 0..y.ncols() {
            let caught = if t > 0 && y[(i, t - 1)] == 1 { c } else { p };
            let chance: Real = if exists == 1 { caught } else { Real::from(0.0) };
            observe(y[(i, t)], Bernoulli::new(chance));
        }
    }
}

/// Another probability for each animal.
#[model]
pub fn mh(seen: &[u64], occasions: u64) {
    let omega = sample(Uniform::new(0.0, 1.0));
    let mean_p = sample(Uniform::new(0.0, 1.0));
    let sigma = sample(Uniform::new(0.0, 5.0));
    let eps_raw = sample(Normal::new(0.0, 1.0).iid(seen.len()));
    let eps = mean_p.logit() + sigma * &eps_raw;
    observe(
        seen,
        ZeroInflated::new(1.0 - omega, BinomialLogit::new(occasions, &eps)),
    );
}

/// Another probability on each occasion.
#[model]
pub fn mt(y: &DMatrix<u64>) {
    let omega = sample(Uniform::new(0.0, 1.0));
    let p = sample(Uniform::new(0.0, 1.0).iid(y.ncols()));
    for i in 0..y.nrows() {
        let exists = sum_out(Bernoulli::new(omega));
        for t in 0..y.ncols() {
            let chance: Real = if exists == 1 { p[t] } else { Real::from(0.0) };
            observe(y[(i, t)], Bernoulli::new(chance));
        }
    }
}

/// Both.
#[model]
pub fn mth(y: &DMatrix<u64>) {
    let omega = sample(Uniform::new(0.0, 1.0));
    let mean_p = sample(Uniform::new(0.0, 1.0).iid(y.ncols()));
    let sigma = sample(Uniform::new(0.0, 5.0));
    let eps_raw = sample(Normal::new(0.0, 1.0).iid(y.nrows()));
    let mean_lp = mean_p.logit();
    for i in 0..y.nrows() {
        let exists = sum_out(Bernoulli::new(omega));
        for t in 0..y.ncols() {
            let caught = (mean_lp[t] + sigma * eps_raw[i]).logistic();
            let chance: Real = if exists == 1 { caught } else { Real::from(0.0) };
            observe(y[(i, t)], Bernoulli::new(chance));
        }
    }
}

/// All three.
#[model]
pub fn mtbh(y: &DMatrix<u64>) {
    let omega = sample(Uniform::new(0.0, 1.0));
    let mean_p = sample(Uniform::new(0.0, 1.0).iid(y.ncols()));
    let gamma = sample(Normal::new(0.0, 10.0));
    let sigma = sample(Uniform::new(0.0, 3.0));
    let eps_raw = sample(Normal::new(0.0, 1.0).iid(y.nrows()));
    let alpha = mean_p.logit();
    for i in 0..y.nrows() {
        let exists = sum_out(Bernoulli::new(omega));
        for t in 0..y.ncols() {
            let before = if t > 0 { y[(i, t - 1)] as f64 } else { 0.0 };
            let caught = (alpha[t] + sigma * eps_raw[i] + gamma * before).logistic();
            let chance: Real = if exists == 1 { caught } else { Real::from(0.0) };
            observe(y[(i, t)], Bernoulli::new(chance));
        }
    }
}

/// Butterflies seen on `visits` visits at each site (Dorazio and others 2006): the last species were never seen, and may not be there.
#[model]
pub fn multi_occupancy(seen: &DMatrix<u64>, visits: u64) {
    let alpha = sample(Cauchy::new(0.0, 2.5));
    let beta = sample(Cauchy::new(0.0, 2.5));
    let Omega = sample(Beta::new(2.0, 2.0));
    let unit = sample(Beta::new(2.0, 2.0));
    let rho_uv = deterministic(2.0 * unit - 1.0);
    let sigma_uv = sample(HalfCauchy::new(2.5).iid(2));
    let covariance = Matrix::from_fn(2, 2, |i, j| {
        let product = sigma_uv[i] * sigma_uv[j];
        if i == j { product } else { product * rho_uv }
    });
    let uv = sample(MultivariateNormal::new(0.0, &covariance).iid(seen.nrows()));
    for i in 0..seen.nrows() {
        let [psi, theta] = [(uv[(i, 0)] + alpha).logistic(), uv[(i, 1)] + beta];
        let is_there = sum_out(Bernoulli::new(Omega));
        for j in 0..seen.ncols() {
            let occupied: Real = if is_there == 1 { psi } else { Real::from(0.0) };
            observe(
                seen[(i, j)],
                ZeroInflated::new(1.0 - occupied, BinomialLogit::new(visits, theta)),
            );
        }
    }
}
