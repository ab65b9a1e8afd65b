//! How many islands, or draws of chains, fit into a budget.

use super::common::Common;
use super::improper;
use super::timed::Clock;
use crate::density::LogDensity;
use crate::error::Error;
use std::time::{Duration, Instant};

/// A run gives up unfinished work after this multiple of its limit, because a temperature or a window of the burn-in is finished before
/// the clock is checked. The limit then holds within a factor of two.
const PATIENCE: f64 = 1.5;

/// The last comparisons of a run may take this share of its limit.
const SPARE: f64 = 0.25;

/// Whether a deadline is over, if there is one.
pub(super) fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// The limits of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget {
    pub(super) time: Option<Duration>,
    pub(super) gradients: Option<u64>,
}

/// The amount spent, or the cost of an island or a draw.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    pub(super) time: Duration,
    pub(super) gradients: u64,
}

impl Budget {
    pub(super) fn is_limited(self) -> bool {
        self.time.is_some() || self.gradients.is_some()
    }

    /// The time at which a run that began at `start` gives up unfinished work; `None` without a time limit.
    pub(super) fn deadline(self, start: Instant) -> Option<Instant> {
        let limit = self.time?;
        // a limit of centuries is none
        start.checked_add(Duration::try_from_secs_f64(PATIENCE * limit.as_secs_f64()).ok()?)
    }

    /// The time at which a run that began at `start` ends, whose units can end after each draw; `None` without a time limit.
    pub(super) fn end(self, start: Instant) -> Option<Instant> {
        start.checked_add(self.time?)
    }

    /// The clock of a run that began at `start`, whose densities are cut at `deadline`.
    pub(super) fn clock(self, start: Instant, deadline: Option<Instant>) -> Clock {
        let spare = self.time.unwrap_or_default().mul_f64(SPARE);
        Clock::new(deadline).ending(self.end(start), spare)
    }

    /// Searches for an improper posterior until the time of the clock is over.
    ///
    /// # Errors
    /// [`Error::Improper`], [`Error::TimeLimit`].
    pub(super) fn search(
        self,
        density: &dyn LogDensity,
        common: &Common,
        clock: &Clock,
    ) -> Result<(), Error> {
        let found = clock.over(&[density], |timed| improper::check(timed[0], common));
        if clock.has_cut() {
            return Err(self.searched_too_long(density));
        }
        found?;
        improper::remember(density, common);
        Ok(())
    }

    /// The error of a run whose time is over before the search is finished.
    pub(super) fn searched_too_long(self, density: &dyn LogDensity) -> Error {
        let reached = "the search for an improper posterior was not finished".to_owned();
        self.too_short(density.describe().name, reached)
    }

    /// The error of a run whose time is over before anything is finished; `reached` says how far the run came.
    pub(super) fn too_short(self, model: String, reached: String) -> Error {
        Error::TimeLimit {
            model,
            limit: self.time.unwrap_or_default(),
            reached,
        }
    }

    /// How far a run came of which no island was finished; `together` if islands end at the same time because they interact.
    pub(super) fn none_finished(islands: u64, together: bool) -> String {
        match (islands, together) {
            (1, _) => "its island was not finished".to_owned(),
            (_, true) => {
                format!("its {islands} islands, which interact and end together, were not finished")
            }
            (_, false) => format!("none of {islands} islands was finished"),
        }
    }

    /// The number of islands or draws that fit, from 1 to `wanted`, if each costs about `each` and `spent` is already used.
    pub(super) fn units(self, wanted: u64, each: Cost, spent: Cost) -> u64 {
        let time = self.time.map(|limit| {
            let left = limit.saturating_sub(spent.time);
            left.as_secs_f64() / each.time.as_secs_f64()
        });
        let gradients = self.gradients.map(|limit| {
            let left = limit.saturating_sub(spent.gradients);
            left as f64 / each.gradients as f64
        });
        // zero costs give infinity or NaN, which limit nothing
        let limits = time.into_iter().chain(gradients);
        let fit = limits.fold(wanted as f64, f64::min);
        (fit as u64).clamp(1, wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(seconds: u64, gradients: u64) -> Cost {
        Cost {
            time: Duration::from_secs(seconds),
            gradients,
        }
    }

    #[test]
    fn the_tighter_limit_holds() {
        let budget = |seconds: Option<u64>, gradients| Budget {
            time: seconds.map(Duration::from_secs),
            gradients,
        };
        let fit = |budget: Budget| budget.units(100, cost(3, 50), cost(4, 70));
        assert_eq!(fit(budget(None, None)), 100);
        assert_eq!(fit(budget(Some(20), None)), 5);
        assert_eq!(fit(budget(None, Some(470))), 8);
        assert_eq!(fit(budget(Some(20), Some(470))), 5);
        assert_eq!(fit(budget(Some(3), Some(470))), 1);
        assert_eq!(fit(budget(Some(10_000), None)), 100);
        let free = budget(Some(4), Some(70)).units(9, cost(0, 0), cost(4, 70));
        assert_eq!(free, 9);
    }
}
