//! Effective sample size of series, from their autocorrelations.

mod autocovariance;

use crate::numeric::{mean, variance};
use autocovariance::Autocovariance;

/// ESS of unsplit chains of equal length, by Geyer's (1992) initial monotone sequence.
///
/// ```text
/// ρ_t = 1 − (W − mean over chains of the autocovariance at t) / var⁺,   var⁺ = (n−1)/n W + B/n
/// P_k = ρ_2k + ρ_2k+1,  kept while positive, then made non-increasing
/// τ = −1 + 2 Σ P_k,     ESS = draws / τ              Vehtari et al. 2021, eq. 10-13
/// ```
///
/// A chain whose autocorrelations alternate can have an ESS above its number of draws S; the ESS is limited to S log₁₀ S. NaN for fewer
/// than 2 draws in a chain, values that are not finite and constant values.
#[must_use]
pub fn ess(chains: &[Vec<f64>]) -> f64 {
    let n = chains.iter().map(Vec::len).min().unwrap_or(0);
    if n < 2 {
        return f64::NAN;
    }
    let draws = (n * chains.len()) as f64;
    let rho = autocorrelations(chains, n);
    if !rho[0].is_finite() || !rho[1].is_finite() {
        return f64::NAN;
    }
    draws / geyer_sum(&rho).max(1.0 / draws.log10())
}

/// Autocorrelations at lags 0 to n − 1; `var⁺` includes the differences between chains.
fn autocorrelations(chains: &[Vec<f64>], n: usize) -> Vec<f64> {
    let size = n as f64;
    let autocovariance = Autocovariance::new(n);
    let mut covariances = vec![0.0; n];
    for chain in chains {
        for (sum, covariance) in covariances.iter_mut().zip(autocovariance.of(&chain[..n])) {
            *sum += covariance / chains.len() as f64;
        }
    }
    let within = covariances[0] * size / (size - 1.0);
    let mut pooled = covariances[0];
    if chains.len() > 1 {
        pooled += variance(
            &chains
                .iter()
                .map(|chain| mean(&chain[..n]))
                .collect::<Vec<_>>(),
        );
    }
    let mut rho: Vec<f64> = covariances
        .iter()
        .map(|c| 1.0 - (within - c) / pooled)
        .collect();
    rho[0] = if pooled > 0.0 { 1.0 } else { f64::NAN };
    rho
}

/// The integrated autocorrelation time from the autocorrelations.
///
/// As in Stan and `posterior`, the even member of the pair that ends the sum is kept if positive,
/// which lowers the error for antithetic chains. The last lags are averages of too few products and are not used.
fn geyer_sum(rho: &[f64]) -> f64 {
    let mut tau = -1.0;
    let mut pair = rho[0] + rho[1];
    let mut lag = 2;
    while pair > 0.0 {
        if lag + 2 >= rho.len() {
            return tau + if lag > 2 { rho[lag - 2] } else { 2.0 * pair };
        }
        tau += 2.0 * pair;
        let next = rho[lag] + rho[lag + 1];
        if next < 0.0 {
            return tau + rho[lag].max(0.0);
        }
        pair = pair.min(next);
        lag += 2;
    }
    tau
}
