//! The target that a kernel leaves invariant, and the only place that handles non-finite values.

use super::panics::{self, Panics, caught};
use super::{Block, Counts, LogDensity, NonFinite, Occurrence, Reference, weighted};
use crate::dist::advice;
use std::collections::BTreeMap;

/// The density `weights[0] * log_prior + weights[1] * log_likelihood`, or the part of it where the likelihood is above a level.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// The density.
    pub density: &'a dyn LogDensity,
    /// Powers of the prior and of the likelihood, at least 0.
    pub weights: [f64; 2],
    /// The density is zero where the log likelihood is not above this level; `None` without a level.
    pub level: Option<f64>,
}

impl<'a> Target<'a> {
    /// The posterior: both weights are 1.
    #[must_use]
    pub fn posterior(density: &'a dyn LogDensity) -> Self {
        Self::weighted(density, [1.0; 2])
    }

    /// The prior times a power of the likelihood.
    #[must_use]
    pub fn tempered(density: &'a dyn LogDensity, lambda: f64) -> Self {
        Self::weighted(density, [1.0, lambda])
    }

    /// The target with these powers of the prior and of the likelihood.
    #[must_use]
    pub fn weighted(density: &'a dyn LogDensity, weights: [f64; 2]) -> Self {
        Self {
            density,
            weights,
            level: None,
        }
    }

    /// The log density of particle `i` of an evaluated block.
    #[must_use]
    pub fn log_density(&self, block: &Block<'_>, i: usize) -> f64 {
        self.log_density_of([block.log_prior[i], block.log_likelihood[i]])
    }

    /// The log density for this log prior and log likelihood.
    #[must_use]
    pub fn log_density_of(&self, [log_prior, log_likelihood]: [f64; 2]) -> f64 {
        if self.level.is_some_and(|level| log_likelihood <= level) {
            return f64::NEG_INFINITY;
        }
        weighted(log_prior, log_likelihood, self.weights)
    }

    /// The target's log density of particle `i` minus the log density of a Gaussian reference measure, up to a constant; `whitened` is
    /// its position in the reference's units, `[dim]`.
    ///
    /// If the prior is the reference, the two cancel up to rounding, and the weighted likelihood is left.
    #[must_use]
    pub fn log_ratio_to_reference(&self, block: &Block<'_>, i: usize, whitened: &[f64]) -> f64 {
        self.log_density(block, i) - Reference::log_density(whitened)
    }

    /// Fills `log_prior` and `log_likelihood`. NaN becomes minus infinity and is counted by statement, and so is a panic.
    pub fn evaluate(&self, block: &mut Block<'_>, counts: &mut Counts) {
        let panicked = panics::evaluate(block, |block| self.density.evaluate(block));
        // If a trajectory left the range of f64, the cause is the integrator, not a statement; the kernel counts it as divergent.
        self.settle_values(block, panicked, counts, all_finite);
        counts.density_evaluations += block.len() as u64;
    }

    /// As [`Target::evaluate`], for draws from the prior: a position that is not finite is counted like any other, because only a
    /// statement can have caused it.
    pub fn evaluate_draws(&self, block: &mut Block<'_>, counts: &mut Counts) {
        let panicked = panics::evaluate(block, |block| self.density.evaluate(block));
        self.settle_values(block, panicked, counts, |_| true);
        counts.density_evaluations += block.len() as u64;
    }

    /// Also fills the gradient of the target's log density; a non-finite derivative becomes 0.
    pub fn evaluate_gradient(&self, block: &mut Block<'_>, counts: &mut Counts) {
        let evaluate = |block: &mut Block<'_>| self.density.evaluate_gradient(self.weights, block);
        let panicked = panics::evaluate(block, evaluate);
        self.settle_values(block, panicked, counts, all_finite);
        self.settle_gradients(block, counts);
        counts.gradient_evaluations += block.len() as u64;
    }

    /// A derivative that is not finite becomes 0, and is counted where the density is finite.
    pub(crate) fn settle_gradients(&self, block: &mut Block<'_>, counts: &mut Counts) {
        if !all_finite(block.gradient) {
            (0..block.len()).for_each(|i| self.settle_gradient(block, i, counts));
        }
    }

    /// NaN and plus infinity become minus infinity (a rejected move, a weight of zero). Each such event at a position with `counted` true
    /// is counted by statement, or as a panic if the particle `panicked`.
    fn settle_values(
        &self,
        block: &mut Block<'_>,
        panicked: Vec<(usize, String)>,
        counts: &mut Counts,
        counted: impl Fn(&[f64]) -> bool,
    ) {
        if all_finite(block.log_prior) && all_finite(block.log_likelihood) {
            return;
        }
        let mut panicked = panicked.into_iter().peekable();
        for i in 0..block.len() {
            let values = [block.log_prior[i], block.log_likelihood[i]];
            let position = &block.positions[block.row(i)];
            if let Some((_, message)) = panicked.next_if(|(at, _)| *at == i) {
                self.count_panic(position, message, counts);
            } else if !all_finite(&values) && counted(position) {
                self.count(position, values, counts);
            }
            settle(block, i);
        }
    }

    /// A non-finite derivative becomes 0: the integrator is reversible and volume-preserving for any force, so the kernel
    /// stays exact, and a particle at such a point is not lost. It is counted if the density itself was finite.
    fn settle_gradient(&self, block: &mut Block<'_>, i: usize, counts: &mut Counts) {
        let row = block.row(i);
        let slopes = &mut block.gradient[row.clone()];
        if slopes.iter().all(|slope| slope.is_finite()) {
            return;
        }
        slopes
            .iter_mut()
            .filter(|slope| !slope.is_finite())
            .for_each(|slope| *slope = 0.0);
        if block.log_prior[i].is_finite() && block.log_likelihood[i].is_finite() {
            counts.merge(&Counts {
                non_finite_gradients: 1,
                first_non_finite_gradient: Some(self.here(&block.positions[row])),
                ..Counts::default()
            });
        }
    }

    fn here(&self, position: &[f64]) -> Occurrence {
        Occurrence {
            lambda: self.level.map_or(self.weights[1], |_| f64::NAN),
            position: position.to_vec(),
        }
    }

    /// Counts a panic at `position`.
    fn count_panic(&self, position: &[f64], message: String, counts: &mut Counts) {
        // the last term belongs to the statement where the model stopped, if it stops again
        let quantities = self.density.quantities();
        let terms = caught(|| quantities.non_finite_terms(position, [0.0; 2]));
        let stopped = terms.ok().and_then(|mut terms| terms.pop());
        counts.merge(&Counts {
            panics: Some(Panics {
                times: 1,
                statement: stopped.map(|term| term.statement),
                message,
                first: self.here(position),
            }),
            ..Counts::default()
        });
    }

    /// Counts the statements that are not finite at `position`.
    fn count(&self, position: &[f64], values: [f64; 2], counts: &mut Counts) {
        // once per statement, for any number of its terms: NaN if one of them is NaN
        let mut events: BTreeMap<usize, NonFinite> = BTreeMap::new();
        let quantities = self.density.quantities();
        for found in quantities.non_finite_terms(position, values) {
            // a proposal outside the prior's support, where the likelihood does not matter
            let is_outside = values[0] == f64::NEG_INFINITY;
            if is_outside && (found.term.is_nan() || found.term == f64::NEG_INFINITY) {
                if found.term == f64::NEG_INFINITY && events.is_empty() {
                    events.entry(found.statement).or_default().outside = 1;
                }
                continue;
            }
            let event = events.entry(found.statement).or_default();
            event.nan |= u64::from(found.term.is_nan());
            event.infinite = 1 - event.nan;
            let cause = found.cause;
            event.add_cause(cause.map(|cause| format!("{cause}{}", advice(&cause))));
        }
        for event in events.values_mut().filter(|event| event.outside == 0) {
            let first = match event.nan {
                0 => &mut event.first_infinite,
                _ => &mut event.first_nan,
            };
            *first = Some(self.here(position));
        }
        counts.merge(&Counts {
            non_finite: events,
            ..Counts::default()
        });
    }
}

/// Whether every number is finite: 0 times a non-finite number is NaN, and so is the sum. Uses several sums in parallel, because each
/// addition waits for the previous one.
// by index: `zip` is a call where the crate is compiled in several units, and this runs for each block of particles
fn all_finite(numbers: &[f64]) -> bool {
    let mut sums = [0.0; 16];
    let (chunks, rest) = numbers.as_chunks::<16>();
    for chunk in chunks {
        for k in 0..sums.len() {
            sums[k] += 0.0 * chunk[k];
        }
    }
    // pairs of sums, because additions in a row would wait for each other
    let mut half = sums.len() / 2;
    while half > 0 {
        for k in 0..half {
            sums[k] += sums[k + half];
        }
        half /= 2;
    }
    rest.iter().fold(sums[0], |sum, x| sum + 0.0 * x) == 0.0
}

/// A density that is not finite becomes zero.
fn settle(block: &mut Block<'_>, i: usize) {
    for value in [&mut block.log_prior[i], &mut block.log_likelihood[i]] {
        if !value.is_finite() {
            *value = f64::NEG_INFINITY;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::all_finite;

    #[test]
    fn one_number_that_is_not_finite_is_seen_anywhere() {
        for length in [0, 1, 7, 8, 9, 16, 37] {
            let mut numbers = vec![-f64::MAX; length];
            assert!(all_finite(&numbers), "{length}");
            for i in 0..length {
                for stranger in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    numbers[i] = stranger;
                    assert!(!all_finite(&numbers), "{stranger} at {i} of {length}");
                }
                numbers[i] = 5e-324;
            }
        }
    }
}
