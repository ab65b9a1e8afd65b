//! Counts of evaluations and of non-finite densities.

use super::{Occurrence, Panics};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Numbers of evaluations, counted per particle: a block of 8 particles counts 8.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Evaluations of the log density alone.
    pub density_evaluations: u64,
    /// Evaluations of the log density and its gradient.
    pub gradient_evaluations: u64,
    /// Transitions whose trajectory had an energy error above 1000 or not a number: the step size was too large there.
    pub divergences: u64,
    /// Non-finite gradients at points with a finite density, where the density has an infinite slope.
    pub non_finite_gradients: u64,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_non_finite_gradient: Option<Occurrence>,
    /// Evaluations at which a statement's log density was not finite, by statement index.
    pub non_finite: BTreeMap<usize, NonFinite>,
    /// Evaluations at which the density panicked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panics: Option<Panics>,
}

/// Evaluations at which a statement's log density was not finite; a statement in a loop counts once for each evaluation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NonFinite {
    /// Evaluations at which one of its terms was NaN.
    pub nan: u64,
    /// Evaluations at which no term was NaN and one was plus or minus infinity.
    pub infinite: u64,
    /// Proposals outside the support of the random quantity of the statement, as beyond the bounds of a discrete one. They are rejected, and are
    /// none of `infinite`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub outside: u64,
    /// Evaluations of trial moves, which look for a step size and are discarded, at which a term was NaN or infinite. They are in none of the
    /// other counts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub in_trials: u64,
    /// Those of `nan` in the burn-in of chains that make transitions after it: far from where they go, a NaN takes nothing away.
    #[serde(default, skip_serializing_if = "is_default")]
    pub nan_in_burn_in: u64,
    /// The first evaluation of them; `first_nan` is then the first after the burn-in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_nan_in_burn_in: Option<Occurrence>,
    /// The parameter that was out of range when the term was NaN, in words; if several, the alphabetically first, so
    /// the result does not depend on thread order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The first evaluation at which one of its terms was NaN.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_nan: Option<Occurrence>,
    /// Whether the first NaN of an island, or of chains that move together, was in the range of their draws in every coordinate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nan_among_draws: bool,
    /// The first evaluation at which no term was NaN and one was infinite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_infinite: Option<Occurrence>,
}

impl NonFinite {
    /// Evaluations that were NaN, without those of a burn-in.
    pub fn nan_after_burn_in(&self) -> u64 {
        // a file may contain any numbers
        self.nan.saturating_sub(self.nan_in_burn_in)
    }

    /// The first evaluation that was NaN; one of a burn-in only if there is none after it.
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

    /// Stores a cause.
    pub(crate) fn add_cause(&mut self, cause: Option<String>) {
        self.cause = match (self.cause.take(), cause) {
            (Some(mine), Some(theirs)) => Some(mine.min(theirs)),
            (mine, theirs) => mine.or(theirs),
        };
    }
}

impl Counts {
    /// A draw of a prior in this many dimensions that panicked.
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

    /// With this many evaluations for each.
    pub fn times(self, each: u64) -> Self {
        Self {
            density_evaluations: self.density_evaluations.saturating_mul(each),
            gradient_evaluations: self.gradient_evaluations.saturating_mul(each),
            ..self
        }
    }

    /// As the counts of trial moves, some of which have deliberately large steps: evaluations count, what went wrong is no event of the run.
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

    /// Notes that the burn-in of chains ends here.
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

/// Whether a number need not be written.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Adds without overflow: no run counts so far, but a file may contain any number.
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
