//! The maximum number of leapfrog steps of a trajectory, from one temperature of SMC to the next.
//!
//! A trajectory that is too short for the longest direction of the posterior diffuses along it: twice the length then needs a quarter of
//! the moves. In the neck of a funnel this does not hold: the important moves are between energies, and a longer trajectory only costs
//! more. One temperature alone cannot distinguish the two cases. So the length is doubled where many moves are needed, and halved again
//! if that did not help or is no longer needed. After each failure the next attempt waits twice as long.

use crate::kernel::FIRST_LEAPFROG_LIMIT;
use crate::run::Stage;

/// The largest limit.
const MOST: usize = 768;
/// Relaxation time in moves above which longer trajectories are tried: the adaptive rule would make 9 moves or more.
const SLOW: f64 = 2.7;
/// Relaxation time below which shorter trajectories suffice: there are never fewer moves than kept states.
const FAST: f64 = 0.9;
/// A doubled length helps if the leapfrog steps of a relaxation time of the positions grow by at most this factor. They are halved where
/// particles diffuse through the posterior, and doubled where the length does not matter. A posterior that narrows from one temperature
/// to the next raises both.
const HELPS: f64 = 1.25;

/// The attempt at the last temperature.
enum Attempt {
    Nothing,
    /// Trajectories of twice the length; `before` is the earlier number of leapfrog steps of a relaxation time of the positions.
    Doubled {
        before: f64,
    },
    /// Trajectories of half the length.
    Halved,
}

/// The findings of the temperatures so far.
struct Search {
    limit: usize,
    last: Attempt,
    /// Temperatures until the next attempt.
    wait: u32,
    /// The wait after the next failure.
    patience: u32,
}

impl Search {
    /// Examines a temperature whose trajectories had this limit.
    fn learn(&mut self, stage: &Stage) {
        let time = stage.relaxation_time;
        let walked = stage.leapfrog_steps == 0;
        if walked || !time.is_finite() || !stage.jump_time.is_finite() {
            return;
        }
        let cost = stage.jump_time * stage.leapfrog_steps as f64;
        match std::mem::replace(&mut self.last, Attempt::Nothing) {
            Attempt::Doubled { before } if cost > HELPS * before => self.fail(self.limit / 2),
            Attempt::Halved if time > SLOW => self.fail(2 * self.limit),
            attempt => {
                if !matches!(attempt, Attempt::Nothing) {
                    self.patience = 1;
                }
                self.attempt(time, cost, stage.leapfrog_steps >= self.limit);
            }
        }
    }

    /// Restores the limit before the last attempt, and waits.
    fn fail(&mut self, limit: usize) {
        self.limit = limit;
        self.wait = self.patience;
        self.patience *= 2;
    }

    /// Tries another limit if the wait is over; `reached` if the trajectories had as many steps as the limit allows.
    fn attempt(&mut self, time: f64, cost: f64, reached: bool) {
        if self.wait > 0 {
            self.wait -= 1;
        } else if time < FAST && self.limit > FIRST_LEAPFROG_LIMIT {
            self.limit /= 2;
            self.last = Attempt::Halved;
        } else if time > SLOW && reached && 2 * self.limit <= MOST {
            self.limit *= 2;
            self.last = Attempt::Doubled { before: cost };
        }
    }
}

/// The maximum number of leapfrog steps after the temperatures of `history`: 24 at first.
pub(in crate::engine) fn leapfrog_limit(history: &[Stage]) -> usize {
    let mut search = Search {
        limit: FIRST_LEAPFROG_LIMIT,
        last: Attempt::Nothing,
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
            history.push(stage(limit, time(limit)));
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
    }

    /// A temperature whose trajectories had `steps` leapfrog steps.
    fn stage(steps: usize, time: f64) -> Stage {
        Stage {
            leapfrog_steps: steps,
            relaxation_time: time,
            jump_time: time,
            ..crate::example::stage(0.5, 64)
        }
    }

    #[test]
    fn trajectories_become_short_again() {
        let mut history = vec![stage(24, 50.0), stage(48, 10.0), stage(96, 2.0)];
        assert_eq!(leapfrog_limit(&history), 96);
        history.push(stage(96, 0.5));
        assert_eq!(leapfrog_limit(&history), 48);
        history.push(stage(48, 0.6));
        assert_eq!(leapfrog_limit(&history), 24);
    }

    #[test]
    fn a_length_that_turned_out_too_short_is_tried_ever_more_rarely() {
        let time = |steps| match steps {
            24 => 10.0,
            48 => 4.0,
            _ => 0.5,
        };
        assert_eq!(
            limits(11, time),
            [24, 48, 96, 48, 96, 96, 48, 96, 96, 96, 48]
        );
    }

    #[test]
    fn a_limit_that_is_not_reached_is_not_raised() {
        assert_eq!(leapfrog_limit(&[stage(10, 50.0), stage(10, 50.0)]), 24);
    }

    #[test]
    fn a_temperature_without_a_relaxation_time_changes_nothing() {
        assert_eq!(leapfrog_limit(&[stage(24, f64::NAN)]), 24);
    }
}
