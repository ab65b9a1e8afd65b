//! Weights of models for averaging their predictions: stacking, pseudo-BMA and pseudo-BMA+.

use super::elpd::Elpd;
use crate::numeric::log_sum_exp;
use crate::rng::{Key, Purpose, RngExt, Stream};

/// Bootstrap samples of pseudo-BMA+: the weights are known to about ±0.005.
const SAMPLES: usize = 4000;

/// The gradient condition of the optimum: no model would gain more than this per observation.
const GAP: f64 = 1e-12;

/// Sweeps over all pairs of models; each sweep at least halves the distance from the optimum.
const SWEEPS: usize = 1000;

/// Weights that maximise the log predictive density of the mixture of models (Yao, Vehtari, Simpson and Gelman 2018):
///
/// ```text
/// max over the simplex of Σᵢ ln Σₖ wₖ exp(elpdₖᵢ)
/// ```
///
/// One weight for each model; they sum to 1.
///
/// # Panics
/// If the models have different numbers of observations; [`compare`](super::compare) checks that.
#[must_use]
pub fn stacking(models: &[&Elpd]) -> Vec<f64> {
    let Some(first) = models.first() else {
        return Vec::new();
    };
    let observations = first.pointwise.len();
    // densities relative to the largest of each observation, `[models][observations]`
    let largest: Vec<f64> = (0..observations)
        .map(|i| {
            models
                .iter()
                .map(|m| m.pointwise[i])
                .fold(f64::NEG_INFINITY, f64::max)
        })
        .collect();
    let relative = |model: &&Elpd| {
        let pairs = model.pointwise.iter().zip(&largest);
        pairs.map(|(x, largest)| (x - largest).exp()).collect()
    };
    let densities: Vec<Vec<f64>> = models.iter().map(relative).collect();
    let mut weights = vec![1.0 / models.len() as f64; models.len()];
    for _ in 0..SWEEPS {
        if gap(&densities, &weights) < GAP {
            break;
        }
        for a in 0..models.len() {
            for b in 0..a {
                exchange(&densities, &mut weights, a, b);
            }
        }
    }
    weights
}

fn mixture(densities: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
    let mut mixture = vec![0.0; densities[0].len()];
    for (density, weight) in densities.iter().zip(weights) {
        mixture
            .iter_mut()
            .zip(density)
            .for_each(|(m, p)| *m += weight * p);
    }
    mixture
}

/// How much the best model would gain per observation, to first order; zero at the optimum.
fn gap(densities: &[Vec<f64>], weights: &[f64]) -> f64 {
    let mixture = mixture(densities, weights);
    let gain = |density: &Vec<f64>| {
        let ratios = density.iter().zip(&mixture).map(|(p, m)| p / m);
        ratios.sum::<f64>() / mixture.len() as f64 - 1.0
    };
    densities.iter().map(gain).fold(0.0, f64::max)
}

/// Moves weight between two models to where the objective is largest, by bisection of its slope, which decreases.
fn exchange(densities: &[Vec<f64>], weights: &mut [f64], a: usize, b: usize) {
    let mixture = mixture(densities, weights);
    // moving t from b to a changes the mixture by t (p_a − p_b)
    let slope = |t: f64| {
        let terms = mixture.iter().zip(densities[a].iter().zip(&densities[b]));
        terms
            .map(|(m, (p, q))| (p - q) / (m + t * (p - q)))
            .sum::<f64>()
    };
    let (mut low, mut high) = (-weights[a], weights[b]);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if slope(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    // exactly at an end, so that a model can have weight zero
    let t = if slope(weights[b]) > 0.0 {
        weights[b]
    } else if slope(-weights[a]) < 0.0 {
        -weights[a]
    } else {
        0.5 * (low + high)
    };
    (weights[a], weights[b]) = ((weights[a] + t).max(0.0), (weights[b] - t).max(0.0));
}

/// Weights proportional to `exp(elpd)` (pseudo-BMA), which ignore the errors of the estimates.
#[must_use]
pub fn pseudo_bma(models: &[&Elpd]) -> Vec<f64> {
    softmax(&models.iter().map(|model| model.elpd()).collect::<Vec<_>>())
}

/// Pseudo-BMA weights averaged over the Bayesian bootstrap of the observations (pseudo-BMA+; Yao, Vehtari, Simpson and Gelman
/// 2018, section 3.4), which takes the errors of the estimates into account. 4000 samples, always the same.
///
/// # Panics
/// If the models have different numbers of observations; [`compare`](super::compare) checks that.
#[must_use]
pub fn pseudo_bma_plus(models: &[&Elpd]) -> Vec<f64> {
    let mut mean = vec![0.0; models.len()];
    let Some(first) = models.first() else {
        return mean;
    };
    let n = first.pointwise.len();
    let mut stream: Stream = Key::new(0, Purpose::Bootstrap).stream();
    for _ in 0..SAMPLES {
        let exponentials: Vec<f64> = (0..n)
            .map(|_| -(1.0 - stream.random::<f64>()).ln())
            .collect();
        let total: f64 = exponentials.iter().sum();
        let elpd = |model: &&Elpd| {
            let terms = model.pointwise.iter().zip(&exponentials);
            n as f64 * terms.map(|(x, e)| x * e / total).sum::<f64>()
        };
        let elpds: Vec<f64> = models.iter().map(elpd).collect();
        for (mean, weight) in mean.iter_mut().zip(softmax(&elpds)) {
            *mean += weight / SAMPLES as f64;
        }
    }
    mean
}

fn softmax(logs: &[f64]) -> Vec<f64> {
    let total = log_sum_exp(logs);
    logs.iter().map(|x| (x - total).exp()).collect()
}
