//! Counts of evaluations and of non-finite densities.

use super::{Occurrence, Panics};
use crate::codec::{self, Tree};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// Numbers of evaluations, counted per particle: a block of 8 particles counts 8.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Evaluations of the log density alone.
    pub density_evaluations: u64,
    /// Evaluations of the log density and its gradient.
    pub gradient_evaluations: u64,
    /// Transitions whose trajectory had an energy error above 1000 or NaN: the step size was too large there.
    pub divergences: u64,
    /// Non-finite gradients at points with a finite density, where the density has an infinite slope.
    pub non_finite_gradients: u64,
    /// The first of these gradients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_non_finite_gradient: Option<Occurrence>,
    /// Evaluations with a non-finite log density of a statement, by statement index.
    pub non_finite: BTreeMap<usize, NonFinite>,
    /// Evaluations in which the density panicked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panics: Option<Panics>,
}

impl Counts {
    /// For fields of other crates: `#[serde(deserialize_with = "Counts::read")]` leaves the reader here.
    ///
    /// # Errors
    /// What does not fit.
    #[doc(hidden)]
    pub fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        codec::read_by(from, counts)
    }
}

#[inline(never)]
fn counts(tree: Tree<'_>) -> std::io::Result<Counts> {
    tree.value()
}

/// Evaluations with a non-finite log density of a statement; a statement in a loop counts once for each evaluation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NonFinite {
    /// Evaluations with a NaN term.
    pub nan: u64,
    /// Evaluations with an infinite term and no NaN term.
    pub infinite: u64,
    /// Proposals outside the support of the statement's random quantity, for example beyond the bounds of a discrete one. They are
    /// rejected and do not count as `infinite`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub outside: u64,
    /// Evaluations with a NaN or infinite term in trial moves, which search for a step size and are discarded. The other counts do not
    /// include them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub in_trials: u64,
    /// The part of `nan` in the burn-in of chains that make transitions after it: a NaN far from the typical set does no harm.
    #[serde(default, skip_serializing_if = "is_default")]
    pub nan_in_burn_in: u64,
    /// The first of these evaluations; `first_nan` is then the first after the burn-in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_nan_in_burn_in: Option<Occurrence>,
    /// The parameter that was out of range when the term was NaN, in words. If there are several, the alphabetically first, so that the
    /// result does not depend on thread order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The first evaluation with a NaN term.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_nan: Option<Occurrence>,
    /// Whether the first NaN of an island, or of chains that move together, was within the range of their draws in every coordinate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nan_among_draws: bool,
    /// The first evaluation with an infinite term and no NaN term.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_infinite: Option<Occurrence>,
}

impl NonFinite {
    /// Evaluations with a NaN term, without the burn-in.
    pub fn nan_after_burn_in(&self) -> u64 {
        // a file may contain any numbers
        self.nan.saturating_sub(self.nan_in_burn_in)
    }

    /// The first evaluation with a NaN term; from a burn-in only if there is none after it.
    pub fn any_first_nan(&self) -> Option<&Occurrence> {
        self.first_nan
            .as_ref()
            .or(self.first_nan_in_burn_in.as_ref())
    }

    /// Adds the counts of another part of the same run.
    fn merge(&mut self, other: &Self) {
        add(&mut self.nan, other.nan);
        add(&mut self.infinite, other.infinite);
        add(&mut self.outside, other.outside);
        add(&mut self.in_trials, other.in_trials);
        add(&mut self.nan_in_burn_in, other.nan_in_burn_in);
        let first = other.first_nan_in_burn_in.as_ref();
        Occurrence::merge(&mut self.first_nan_in_burn_in, first);
        self.add_cause(other.cause.clone());
        Occurrence::merge(&mut self.first_nan, other.first_nan.as_ref());
        self.nan_among_draws |= other.nan_among_draws;
        Occurrence::merge(&mut self.first_infinite, other.first_infinite.as_ref());
    }

    /// Adds a cause.
    pub(crate) fn add_cause(&mut self, cause: Option<String>) {
        self.cause = match (self.cause.take(), cause) {
            (Some(mine), Some(theirs)) => Some(mine.min(theirs)),
            (mine, theirs) => mine.or(theirs),
        };
    }
}

impl Counts {
    /// A prior draw in this number of dimensions that panicked.
    pub fn of_draw(message: String, dim: usize) -> Self {
        Self {
            panics: Some(Panics {
                times: 1,
                statement: None,
                message: format!("in a draw of the prior: {message}"),
                first: Occurrence {
                    lambda: 0.0,
                    position: vec![f64::NAN; dim],
                },
            }),
            ..Self::default()
        }
    }

    /// Multiplies the counts by the number of evaluations `each`.
    pub fn times(self, each: u64) -> Self {
        Self {
            density_evaluations: self.density_evaluations.saturating_mul(each),
            gradient_evaluations: self.gradient_evaluations.saturating_mul(each),
            ..self
        }
    }

    /// The counts of trial moves, some with deliberately large steps: evaluations count, but failures are no events of the run.
    pub fn of_trials(mut self) -> Self {
        self.divergences = 0;
        for count in self.non_finite.values_mut() {
            *count = NonFinite {
                outside: count.outside,
                in_trials: count.nan.saturating_add(count.infinite),
                ..NonFinite::default()
            };
        }
        self
    }

    /// Marks the end of the burn-in of chains.
    pub fn end_burn_in(&mut self) {
        for count in self.non_finite.values_mut() {
            count.nan_in_burn_in = count.nan;
            count.first_nan_in_burn_in = count.first_nan.take();
        }
    }

    /// Adds the counts of another part of the same run.
    pub fn merge(&mut self, other: &Self) {
        add(&mut self.density_evaluations, other.density_evaluations);
        add(&mut self.gradient_evaluations, other.gradient_evaluations);
        add(&mut self.divergences, other.divergences);
        add(&mut self.non_finite_gradients, other.non_finite_gradients);
        let gradient = other.first_non_finite_gradient.as_ref();
        Occurrence::merge(&mut self.first_non_finite_gradient, gradient);
        for (statement, count) in &other.non_finite {
            self.non_finite.entry(*statement).or_default().merge(count);
        }
        match (&mut self.panics, &other.panics) {
            (Some(mine), Some(theirs)) => mine.merge(theirs),
            (None, Some(theirs)) => self.panics = Some(theirs.clone()),
            (_, None) => {}
        }
    }
}

/// Whether a field can be left out of a file.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Adds without overflow: no run reaches the limit, but a file may contain any number.
fn add(total: &mut u64, count: u64) {
    *total = total.saturating_add(count);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_in_trial_moves_is_no_event_of_the_run() {
        let nan = NonFinite {
            nan: 3,
            infinite: 2,
            outside: 4,
            cause: Some("`sd` is -1".to_owned()),
            first_nan: Some(Occurrence {
                lambda: 0.5,
                position: vec![1.0],
            }),
            ..NonFinite::default()
        };
        let moves = Counts {
            gradient_evaluations: 90,
            divergences: 7,
            non_finite: [(2, nan)].into(),
            ..Counts::default()
        };
        let mut counts = Counts::default();
        counts.merge(&moves.of_trials());
        let apart = NonFinite {
            outside: 4,
            in_trials: 5,
            ..NonFinite::default()
        };
        assert_eq!((counts.gradient_evaluations, counts.divergences), (90, 0));
        assert_eq!(counts.non_finite[&2], apart);
    }
}
