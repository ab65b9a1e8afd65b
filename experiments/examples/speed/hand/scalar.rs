//! Log densities and gradients in plain scalar code, one particle at a time, on unconstrained coordinates.

use std::f64::consts::{FRAC_2_PI, LN_2, TAU};

/// The constant of `ln N(x; mean, sd)`, without its data-dependent part.
fn log_normaliser(sd: f64) -> f64 {
    -sd.ln() - 0.5 * TAU.ln()
}

/// Logistic regression: one pass over the rows, one exponential and one logarithm each.
pub fn credit(rows: &[[f64; 15]], y: &[bool], beta: &[f64], gradient: &mut [f64]) -> f64 {
    let mut log_density = 0.0;
    for (b, g) in beta.iter().zip(gradient.iter_mut()) {
        log_density += -0.5 * b * b / 100.0 + log_normaliser(10.0);
        *g = -b / 100.0;
    }
    for (row, y) in rows.iter().zip(y) {
        let eta: f64 = row.iter().zip(beta).map(|(x, b)| x * b).sum();
        let signed = if *y { eta } else { -eta };
        let e = (-signed.abs()).exp();
        log_density += signed.min(0.0) - e.ln_1p();
        let miss = if signed > 0.0 {
            e / (1.0 + e)
        } else {
            1.0 / (1.0 + e)
        };
        let slope = if *y { miss } else { -miss };
        gradient
            .iter_mut()
            .zip(row)
            .for_each(|(g, x)| *g += slope * x);
    }
    log_density
}

/// The data of the eight schools as the density needs them.
pub struct Schools {
    y: Vec<f64>,
    /// `1 / sigma`.
    inverse: Vec<f64>,
    /// Everything that does not depend on the position.
    constant: f64,
}

impl Schools {
    /// Effects and standard errors.
    pub fn new(y: &[f64], sigma: &[f64]) -> Self {
        let logs: f64 = sigma.iter().map(|s| s.ln() + TAU.ln()).sum();
        Self {
            y: y.to_vec(),
            inverse: sigma.iter().map(|s| 1.0 / s).collect(),
            constant: log_normaliser(5.0) + (FRAC_2_PI / 5.0).ln() - logs,
        }
    }
}

/// Eight schools in `(mu, ln tau, z)`.
pub fn eight_schools(data: &Schools, at: &[f64], gradient: &mut [f64]) -> f64 {
    let Schools {
        y,
        inverse,
        constant,
    } = data;
    let (mu, log_tau, z) = (at[0], at[1], &at[2..]);
    let tau = log_tau.exp();
    let scaled = (tau / 5.0) * (tau / 5.0);
    let mut log_density = constant - 0.5 * mu * mu / 25.0 - scaled.ln_1p() + log_tau;
    let (mut by_mu, mut by_tau) = (-mu / 25.0, 0.0);
    for j in 0..y.len() {
        let residual = (y[j] - mu - tau * z[j]) * inverse[j];
        let slope = residual * inverse[j];
        log_density -= 0.5 * (z[j] * z[j] + residual * residual);
        by_mu += slope;
        by_tau += slope * z[j];
        gradient[2 + j] = tau * slope - z[j];
    }
    gradient[0] = by_mu;
    gradient[1] = 1.0 - 2.0 * scaled / (1.0 + scaled) + tau * by_tau;
    log_density
}

/// Autoregression in `(alpha, beta, ln sigma)`.
pub fn ark(y: &[f64], at: &[f64], gradient: &mut [f64]) -> f64 {
    let (alpha, beta, log_sigma) = (at[0], &at[1..6], at[6]);
    let sigma = log_sigma.exp();
    let scaled = (sigma / 2.5) * (sigma / 2.5);
    let mut log_density = (FRAC_2_PI / 2.5).ln() - scaled.ln_1p() + log_sigma;
    for coefficient in &at[..6] {
        log_density += -0.5 * coefficient * coefficient / 100.0 + log_normaliser(10.0);
    }
    let (mut squares, mut sums) = (0.0, [0.0; 6]);
    for t in 5..y.len() {
        let past = &y[t - 5..t];
        let mut residual = y[t] - alpha;
        for k in 0..5 {
            residual -= beta[k] * past[4 - k];
        }
        squares += residual * residual;
        sums[0] += residual;
        for k in 0..5 {
            sums[k + 1] += residual * past[4 - k];
        }
    }
    let terms = (y.len() - 5) as f64;
    let precision = 1.0 / (sigma * sigma);
    log_density += terms * log_normaliser(sigma) - 0.5 * squares * precision;
    for k in 0..6 {
        gradient[k] = sums[k] * precision - at[k] / 100.0;
    }
    gradient[6] = 1.0 - 2.0 * scaled / (1.0 + scaled) - terms + squares * precision;
    log_density
}

/// GARCH(1, 1) in `(mu, ln alpha0, logit alpha1, logit share)`; `variances` has room for one number per day.
pub fn garch(
    y: &[f64],
    sigma1: f64,
    at: &[f64],
    variances: &mut [f64],
    gradient: &mut [f64],
) -> f64 {
    let logistic = |u: f64| 1.0 / (1.0 + (-u).exp());
    let (mu, alpha0, alpha1, share) = (at[0], at[1].exp(), logistic(at[2]), logistic(at[3]));
    let beta1 = (1.0 - alpha1) * share;
    let mut log_density = -0.5 * mu * mu / 100.0 + log_normaliser(10.0) + LN_2
        - 0.5 * alpha0 * alpha0 / 100.0
        + log_normaliser(10.0)
        + at[1]
        + (alpha1 * (1.0 - alpha1)).ln()
        + (share * (1.0 - share)).ln();
    let mut variance = sigma1 * sigma1;
    for t in 0..y.len() {
        if t > 0 {
            let before = y[t - 1] - mu;
            variance = alpha0 + alpha1 * before * before + beta1 * variance;
        }
        variances[t] = variance;
        let residual = y[t] - mu;
        log_density += -0.5 * (variance.ln() + residual * residual / variance + TAU.ln());
    }
    // Backwards: the effect of a variance on its own day and on all later days.
    let (mut adjoint, mut by) = (0.0, [-mu / 100.0, 0.0, 0.0, 0.0]);
    for t in (0..y.len()).rev() {
        let (residual, inverse) = (y[t] - mu, 1.0 / variances[t]);
        by[0] += residual * inverse;
        adjoint = beta1 * adjoint + 0.5 * inverse * (residual * residual * inverse - 1.0);
        if t > 0 {
            let before = y[t - 1] - mu;
            by[0] -= 2.0 * alpha1 * before * adjoint;
            by[1] += adjoint;
            by[2] += adjoint * before * before;
            by[3] += adjoint * variances[t - 1];
        }
    }
    gradient[0] = by[0];
    gradient[1] = alpha0 * by[1] - alpha0 * alpha0 / 100.0 + 1.0;
    gradient[2] = alpha1 * (1.0 - alpha1) * (by[2] - share * by[3]) + 1.0 - 2.0 * alpha1;
    gradient[3] = share * (1.0 - share) * (1.0 - alpha1) * by[3] + 1.0 - 2.0 * share;
    log_density
}
