//! Counts of work and of non-finite densities.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Work done, per particle: a block of 8 particles counts 8.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Evaluations of the log density alone.
    pub density_evaluations: u64,
    /// Evaluations of the log density and its gradient.
    pub gradient_evaluations: u64,
    /// Transitions whose trajectory had an energy error above 1000 or not a number: the step size was too large there.
    pub divergences: u64,
    /// Gradients that were not finite where the density was: it has an infinite slope there.
    pub non_finite_gradients: u64,
    /// Non-finite terms by the index of the statement that gave them.
    pub non_finite: BTreeMap<usize, NonFinite>,
}

/// How often a statement's log density was not finite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NonFinite {
    /// Times it was NaN.
    pub nan: u64,
    /// Times it was plus or minus infinity.
    pub infinite: u64,
}

impl Counts {
    /// Adds the counts of another part of the same run.
    pub fn merge(&mut self, other: &Self) {
        add(&mut self.density_evaluations, other.density_evaluations);
        add(&mut self.gradient_evaluations, other.gradient_evaluations);
        add(&mut self.divergences, other.divergences);
        add(&mut self.non_finite_gradients, other.non_finite_gradients);
        for (statement, count) in &other.non_finite {
            let mine = self.non_finite.entry(*statement).or_default();
            add(&mut mine.nan, count.nan);
            add(&mut mine.infinite, count.infinite);
        }
    }
}

/// No run counts so far, but a file may say so.
fn add(total: &mut u64, count: u64) {
    *total = total.saturating_add(count);
}
