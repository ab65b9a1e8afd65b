//! An SMC sampler on one observation of a Gaussian, whose posterior and evidence are known: for the tests of
//! standard errors.

use super::estimate::Estimate;
use crate::rng::{Key, Purpose, Stream};
use crate::run::{Group, Island, add_gains};
use rand::RngExt;
use rand_distr::StandardNormal;

pub(super) const PARTICLES: usize = 256;
/// The variance of the single observation `1`; the prior is standard normal.
const NOISE: f64 = 0.05;

/// Mean and variance of the posterior at the power `lambda` of the likelihood.
pub(super) fn tempered(lambda: f64) -> (f64, f64) {
    let variance = 1.0 / (1.0 + lambda / NOISE);
    (variance * lambda / NOISE, variance)
}

fn log_likelihood(x: f64) -> f64 {
    -0.5 * (x - 1.0).powi(2) / NOISE
}

/// Log of the mean of `exp(log_likelihood)` under the prior.
pub(super) fn log_evidence() -> f64 {
    0.5 * (NOISE / (1.0 + NOISE)).ln() - 0.5 / (1.0 + NOISE)
}

fn systematic(weights: &[f64], stream: &mut Stream) -> Vec<usize> {
    let step = weights.iter().sum::<f64>() / weights.len() as f64;
    let mut target = step * stream.random::<f64>();
    let (mut parents, mut sum) = (Vec::new(), 0.0);
    for (index, weight) in weights.iter().enumerate() {
        sum += weight;
        while target < sum && parents.len() < weights.len() {
            parents.push(index);
            target += step;
        }
    }
    parents.resize(weights.len(), weights.len() - 1);
    parents
}

/// Mean estimated variance divided by the observed variance, and the coverage of 95% intervals.
pub(super) fn calibration(estimates: &[Estimate], truth: f64) -> (f64, f64) {
    let count = estimates.len() as f64;
    let covers = |e: &&Estimate| e.interval(0.95).0 < truth && truth < e.interval(0.95).1;
    let error = estimates
        .iter()
        .map(|e| (e.mean - truth).powi(2))
        .sum::<f64>()
        / count;
    let claimed = estimates.iter().map(|e| e.se * e.se).sum::<f64>() / count;
    (
        claimed / error,
        estimates.iter().filter(covers).count() as f64 / count,
    )
}

fn multinomial(weights: &[f64], stream: &mut Stream) -> Vec<usize> {
    let total: f64 = weights.iter().sum();
    let mut one = |_| {
        let mut rest = total * stream.random::<f64>();
        let passed = |weight: &f64| {
            rest -= weight;
            rest < 0.0
        };
        weights.iter().position(passed).unwrap_or(weights.len() - 1)
    };
    (0..weights.len()).map(&mut one).collect()
}

/// A sampler on a fixed ladder, whose moves leave the tempered posterior invariant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Toy {
    /// Correlation of a particle before and after its move.
    pub(super) correlation: f64,
    /// Steps from the prior to the posterior.
    pub(super) steps: u32,
    /// Whether resampling is multinomial instead of systematic.
    pub(super) multinomial: bool,
}

impl Default for Toy {
    fn default() -> Self {
        Self {
            correlation: 0.5,
            steps: 4,
            multinomial: false,
        }
    }
}

impl Toy {
    /// One run.
    pub(super) fn smc(self, seed: u64) -> Group {
        let key = Key::new(seed, Purpose::Validation);
        let mut stream = key.stream();
        let mut x: Vec<f64> = (0..PARTICLES)
            .map(|_| stream.sample(StandardNormal))
            .collect();
        let mut ancestors: Vec<u32> = (0..PARTICLES as u32).collect();
        let mut gains = vec![0.0; PARTICLES];
        let (mut total, mut before) = (0.0, 0.0);
        for step in 1..=self.steps {
            let lambda = 0.01_f64.powf(1.0 - f64::from(step) / f64::from(self.steps));
            let weight = |x: &f64| ((lambda - before) * log_likelihood(*x)).exp();
            let weights: Vec<f64> = x.iter().map(weight).collect();
            total += (weights.iter().sum::<f64>() / PARTICLES as f64).ln();
            let sum: f64 = weights.iter().sum();
            let shares = weights.iter().map(|w| [1.0 / PARTICLES as f64, w / sum]);
            add_gains(&mut gains, &ancestors, shares);
            let parents = if self.multinomial {
                multinomial(&weights, &mut stream)
            } else {
                systematic(&weights, &mut stream)
            };
            ancestors = parents.iter().map(|i| ancestors[*i]).collect();
            let (mean, variance) = tempered(lambda);
            let rho = self.correlation;
            let mut moved = |i: &usize| {
                let noise: f64 = stream.sample(StandardNormal);
                mean + rho * (x[*i] - mean) + ((1.0 - rho * rho) * variance).sqrt() * noise
            };
            x = parents.iter().map(&mut moved).collect();
            before = lambda;
        }
        let island = Island {
            log_evidence: Some(total),
            ancestors,
            gains,
            ..Island::default()
        };
        Group {
            positions: x.clone(),
            log_prior: vec![0.0; x.len()],
            log_likelihood: x.iter().copied().map(log_likelihood).collect(),
            draws: x,
            ..Group::new(0, island)
        }
    }
}
