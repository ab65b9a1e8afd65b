//! Numbers of observations with a limit of censoring.

use super::plain::PlainDistribution;
use crate::text::{count, grouped};
use serde::Serialize;
use std::fmt;

/// Numbers of data of an observed variable with a limit of censoring, below and above: with a finite limit, at it, and with an infinite
/// limit.
///
/// On one side, some limits may be infinite while all data with a finite limit are at it ([`Limits::differ`]). Most likely the other
/// limits were then left out because their values were observed. Predicted data would be censored for some rows and never for the others,
/// unlike the data of the study, so predictions could not be compared with the data. A datum within a finite limit shows that limits are
/// given for observed values too, so infinite limits belong to a design without a limit there. [`fmt::Display`] says so, and what to do;
/// it is empty otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// Data with a finite limit, `[below, above]`.
    pub finite: [usize; 2],
    /// Data with a finite limit that are censored at it, `[below, above]`.
    pub censored: [usize; 2],
    /// Data of a censored distribution whose limit is infinite, `[below, above]`.
    pub infinite: [usize; 2],
}

impl Limits {
    /// Counts the limits of the elements of a distribution's data.
    pub(super) fn note(&mut self, distribution: &dyn PlainDistribution, data: &[f64]) {
        let period = distribution.shape().elements().max(1);
        for (element, datum) in data.iter().enumerate() {
            let Some(limits) = distribution.censoring_limits(element % period) else {
                return;
            };
            for (side, limit) in limits.into_iter().enumerate() {
                match limit.is_finite() {
                    true => self.finite[side] += 1,
                    false => self.infinite[side] += 1,
                }
                // a value beyond its limit is censored too
                let is_censored = if side == 0 {
                    *datum <= limit
                } else {
                    *datum >= limit
                };
                self.censored[side] += usize::from(limit.is_finite() && is_censored);
            }
        }
    }

    /// Whether some data have no limit while all data with a limit are at it.
    #[must_use]
    pub fn differ(&self) -> bool {
        (0..2).any(|side| self.differ_at(side))
    }

    fn differ_at(&self, side: usize) -> bool {
        self.infinite[side] > 0 && self.finite[side] > 0 && self.censored[side] == self.finite[side]
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(side) = [1, 0].into_iter().find(|side| self.differ_at(*side)) else {
            return Ok(());
        };
        let (finite, infinite) = (self.finite[side], self.infinite[side]);
        let [name, lack, end] = match side {
            1 => ["upper", "no upper", "the end of the study"],
            _ => ["lower", "no lower", "the detection limit"],
        };
        let of = count((finite + infinite) as u64, "observation");
        write!(
            f,
            "{} of {of} have {lack} limit of censoring, so predicted data are censored for the other {} alone and cannot be compared with the \
             data. Give the {name} limit of every row ({end}, also where the value was observed): the posterior stays the same",
            grouped(infinite as u64),
            grouped(finite as u64),
        )
    }
}
