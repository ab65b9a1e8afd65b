//! The maximum number of leapfrog steps of a trajectory, from one temperature of SMC to the next.
//!
//! A trajectory that is too short for the longest direction of the posterior diffuses along it: twice the length then needs a quarter
//! of the moves. In the neck of a funnel it does not: the moves that count are those between energies, and a longer trajectory only
//! costs more. Which of the two it is cannot be told from one temperature. So the length is doubled where many moves are needed, and
//! halved again if that did not help; after each failure the next attempt waits twice as long.

use crate::kernel::FIRST_LEAPFROG_LIMIT;
use crate::run::Stage;

/// The largest limit.
const MOST: usize = 768;
/// Relaxation time in moves above which longer trajectories are tried: the adaptive rule would make 9 moves or more.
const SLOW: f64 = 2.7;
/// Relaxation time below which shorter trajectories do: fewer moves than those of which states are kept are never made.
const FAST: f64 = 0.9;
/// A doubled length helps if the leapfrog steps of a relaxation time of the positions are at most so many times those before. They fall by half
/// where the posterior is diffused through, and double where the length does not matter; a posterior that narrows from one
/// temperature to the next adds to both.
const HELPS: f64 = 1.25;

/// What the temperatures so far say.
struct Search {
    limit: usize,
    /// The cost before the length was doubled, if this is the last thing that happened.
    before: Option<f64>,
    /// Temperatures until the next attempt.
    wait: u32,
    /// The wait after the next failure.
    patience: u32,
}

impl Search {
    /// Looks at a temperature whose trajectories had this limit.
    fn learn(&mut self, stage: &Stage) {
        let time = stage.relaxation_time;
        if !time.is_finite() || !stage.jump_time.is_finite() {
            return;
        }
        let cost = stage.jump_time * stage.leapfrog_steps as f64;
        let reached = stage.leapfrog_steps >= self.limit;
        if let Some(before) = self.before.take() {
            if cost > HELPS * before {
                self.limit /= 2;
                self.wait = self.patience;
                self.patience *= 2;
                return;
            }
            self.patience = 1;
        }
        if time < FAST && self.limit > FIRST_LEAPFROG_LIMIT {
            self.limit /= 2;
        } else if self.wait > 0 {
            self.wait -= 1;
        } else if time > SLOW && reached && 2 * self.limit <= MOST {
            self.before = Some(cost);
            self.limit *= 2;
        }
    }
}

/// The maximum number of leapfrog steps after the temperatures of `history`: 24 at first.
pub(super) fn leapfrog_limit(history: &[Stage]) -> usize {
    let mut search = Search {
        limit: FIRST_LEAPFROG_LIMIT,
        before: None,
        wait: 0,
        patience: 1,
    };
    history.iter().for_each(|stage| search.learn(stage));
    search.limit
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits at `count` temperatures of a posterior whose relaxation time for a trajectory of L steps is `time(L)`.
    fn limits(count: usize, time: impl Fn(usize) -> f64) -> Vec<usize> {
        let mut history = Vec::new();
        for _ in 0..count {
            let limit = leapfrog_limit(&history);
            history.push(Stage {
                leapfrog_steps: limit,
                relaxation_time: time(limit),
                jump_time: time(limit),
                ..crate::run::example::stage(0.5, 64)
            });
        }
        history.iter().map(|stage| stage.leapfrog_steps).collect()
    }

    #[test]
    fn trajectories_that_diffuse_become_longer() {
        let diffusion = |steps: usize| 100.0 * (24.0 / steps as f64).powi(2);
        assert_eq!(limits(6, diffusion), [24, 48, 96, 192, 192, 192]);
    }

    #[test]
    fn where_length_does_not_matter_attempts_become_rare() {
        let limits = limits(40, |_| 20.0);
        let long: Vec<usize> = (0..40).filter(|at| limits[*at] > 24).collect();
        assert_eq!(long, [1, 4, 8, 14, 24]);
    }

    #[test]
    fn where_few_moves_suffice_trajectories_stay_short() {
        assert_eq!(limits(5, |_| 2.0), [24; 5]);
        // and become short again
        let fast = |steps: usize| if steps < 96 { 50.0 / steps as f64 } else { 0.5 };
        assert_eq!(limits(4, |steps| 4.0 * fast(steps)), [24, 48, 96, 96]);
        assert_eq!(limits(5, fast)[..3], [24, 24, 24]);
    }

    #[test]
    fn a_limit_that_is_not_reached_is_not_raised() {
        let stage = Stage {
            leapfrog_steps: 10,
            relaxation_time: 50.0,
            ..crate::run::example::stage(0.5, 64)
        };
        assert_eq!(leapfrog_limit(&[stage.clone(), stage]), 24);
    }

    #[test]
    fn a_temperature_without_a_relaxation_time_changes_nothing() {
        let stage = Stage {
            leapfrog_steps: 24,
            relaxation_time: f64::NAN,
            ..crate::run::example::stage(0.5, 64)
        };
        assert_eq!(leapfrog_limit(&[stage]), 24);
    }
}
