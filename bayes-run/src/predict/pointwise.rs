//! Log likelihoods of single observations at every draw.

use crate::numeric::log_sum_exp;

/// The log likelihood of every observation at every draw of a run.
///
/// Observations are the terms of `observe` statements: each element of `observe(y, Normal::new(..))`, each pass of a loop,
/// each row under a `MultivariateNormal`. A vector that is observed as a whole is one observation. A `factor` is not an
/// observation.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointwise {
    /// Weight of each draw; they sum to 1.
    pub weights: Vec<f64>,
    /// Log likelihoods, `[draws, observations]` row-major.
    pub values: Vec<f64>,
    /// Number of observations.
    pub observations: usize,
    /// The observed variables, each with its number of observations. They follow one another in `values`.
    pub variables: Vec<(String, usize)>,
    /// For each variable the names of its observations; empty for a variable without names.
    pub places: Vec<Vec<String>>,
    /// Number of draws of each island or chain; the draws are ordered by group.
    pub groups: Vec<usize>,
}

impl Pointwise {
    /// The draws one by one, each with its log likelihoods, `[observations]`.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.observations.max(1))
    }

    /// The log likelihood of one observation at every draw, `[draws]`.
    ///
    /// # Panics
    /// If there are fewer observations.
    #[must_use]
    pub fn observation(&self, i: usize) -> Vec<f64> {
        assert!(
            i < self.observations,
            "observation {i} of {}",
            self.observations
        );
        self.values[i..]
            .iter()
            .step_by(self.observations)
            .copied()
            .collect()
    }

    /// The name of an observation: the observed variable and its number, from 0, `y[3]`, or its place, `y[2,0]` or `y[Choate]`.
    #[must_use]
    pub fn name(&self, i: usize) -> String {
        let mut first = 0;
        for (variable, (name, count)) in self.variables.iter().enumerate() {
            if i < first + count {
                let places = self.places.get(variable).map_or(&[][..], Vec::as_slice);
                return observation_name(name, places, i - first);
            }
            first += count;
        }
        format!("observation {i}")
    }

    /// Log posterior predictive density of each observation, `ln Σ w p(yᵢ | θ)` over the draws, `[observations]`.
    #[must_use]
    pub fn log_predictive_densities(&self) -> Vec<f64> {
        let log_weights: Vec<f64> = self.weights.iter().map(|w| w.ln()).collect();
        let one = |i| log_predictive_density(&self.observation(i), &log_weights);
        (0..self.observations).map(one).collect()
    }
}

/// `ln Σ w p(y | θ)` over draws.
pub(crate) fn log_predictive_density(terms: &[f64], log_weights: &[f64]) -> f64 {
    let terms = terms.iter().zip(log_weights);
    // the likelihood of a draw without weight does not count, even if it is not finite
    let terms = terms.filter(|(_, weight)| **weight > f64::NEG_INFINITY);
    log_sum_exp(
        &terms
            .map(|(term, weight)| term + weight)
            .collect::<Vec<_>>(),
    )
}

/// The name of an observation of a variable: its number, from 0, or its place if it has one.
fn observation_name(variable: &str, places: &[String], i: usize) -> String {
    match places.get(i) {
        Some(place) => format!("{variable}[{place}]"),
        None => format!("{variable}[{i}]"),
    }
}
