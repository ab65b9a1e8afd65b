//! The number of mutation steps M after each resampling.

use crate::error::Error;
use crate::run::Stage;
use std::fmt::Debug;

/// Decides the number of steps of the particles at each temperature before they move.
///
/// A rule that looks at the same moves that it ends would stop them by chance, depending on the particles. So a policy sees only the
/// previous temperatures.
pub trait MovePolicy: Debug + Send + Sync {
    /// The number of steps at the next temperature, after the temperatures in `history`; at least [`MovePolicy::least`].
    fn steps(&self, history: &[Stage]) -> usize;

    /// The minimum number of steps that it ever asks for, at least 1. A sampler cannot keep more states of a particle.
    fn least(&self) -> usize;

    /// Whether the number follows the measured relaxation times, so that it suits the moves of any kernel.
    fn adapts(&self) -> bool {
        false
    }

    /// The number of steps that a policy that adapts wants at this relaxation time in steps, before it is rounded or bounded. By default those that
    /// reduce the correlation of a particle with its start to 0.05.
    fn wanted(&self, relaxation_time: f64) -> f64 {
        -relaxation_time * CORRELATION.ln()
    }

    /// The maximum number of steps that it ever asks for.
    fn most(&self) -> usize {
        usize::MAX
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`Error::Setting`] naming the setting, the value and what is allowed.
    fn validate(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The number of mutation steps M at each temperature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mutations {
    /// The same M everywhere.
    Fixed(usize),
    /// As many as the particles need to forget their positions, as measured at previous temperatures.
    Adaptive {
        /// The correlation of a particle with its start that may remain.
        correlation: f64,
        /// Maximum number of steps.
        max_steps: usize,
    },
}

/// The correlation of a particle with its start that may remain, unless the user sets another.
const CORRELATION: f64 = 0.05;
/// The adaptive number of steps is rounded up to a multiple of this, which is also its minimum.
const MULTIPLE: usize = 4;
/// The number of steps of the adaptive rule at first.
const FIRST: usize = 8;
/// The weight of the last temperature in the average of the logarithms of the relaxation times.
const RECENT: f64 = 0.5;

impl Mutations {
    /// As many steps as reduce the correlation of a particle with its start to η = 0.05, at least 4 and at most 200.
    ///
    /// ```text
    /// M = τ log(1/η),    τ the relaxation time of the temperatures before, in steps
    /// ```
    ///
    /// The relaxation time of a temperature is measured on the states of its particles along their moves ([`Stage::relaxation_time`]).
    /// The logarithms are averaged with weights that halve with each earlier temperature. M is a multiple of 4, 8 at the first
    /// temperature, and at most twice the M of the temperature before. Buchholz, Chopin & Jacob (2021) and Dai et al. (2022) stop when
    /// the correlation of the moving particles is small; by chance this happens too early, which makes the evidence too small
    /// (experiments/figures.md).
    #[must_use]
    pub fn adaptive() -> Self {
        Self::Adaptive {
            correlation: CORRELATION,
            max_steps: 200,
        }
    }

    /// Sets the threshold η of the adaptive rule, in (0, 1).
    #[must_use]
    pub fn correlation(self, correlation: f64) -> Self {
        let max_steps = if let Self::Adaptive { max_steps, .. } = self {
            max_steps
        } else {
            200
        };
        Self::Adaptive {
            correlation,
            max_steps,
        }
    }

    /// Sets the maximum number of steps of the adaptive rule, at least 4.
    #[must_use]
    pub fn max_steps(self, max_steps: usize) -> Self {
        let correlation = if let Self::Adaptive { correlation, .. } = self {
            correlation
        } else {
            CORRELATION
        };
        Self::Adaptive {
            correlation,
            max_steps,
        }
    }
}

impl MovePolicy for Mutations {
    fn steps(&self, history: &[Stage]) -> usize {
        match *self {
            Self::Fixed(steps) => steps,
            Self::Adaptive { max_steps, .. } => {
                let wanted = self.wanted(smoothed_time(history));
                let (wanted, last) = match history.last() {
                    Some(last) if wanted.is_finite() => (wanted, last.mutations),
                    Some(last) => (last.mutations as f64, last.mutations),
                    None => (FIRST as f64, FIRST),
                };
                // the conversion saturates
                let steps =
                    (wanted.ceil() as usize).clamp(MULTIPLE, max_steps.min(2 * last).max(MULTIPLE));
                steps.next_multiple_of(MULTIPLE).min(self.most())
            }
        }
    }

    fn least(&self) -> usize {
        match *self {
            Self::Fixed(steps) => steps,
            Self::Adaptive { .. } => MULTIPLE,
        }
    }

    fn adapts(&self) -> bool {
        matches!(self, Self::Adaptive { .. })
    }

    fn wanted(&self, relaxation_time: f64) -> f64 {
        match *self {
            Self::Fixed(steps) => steps as f64,
            Self::Adaptive { correlation, .. } => -relaxation_time * correlation.ln(),
        }
    }

    fn most(&self) -> usize {
        match *self {
            Self::Fixed(steps) => steps,
            Self::Adaptive { max_steps, .. } => max_steps / MULTIPLE * MULTIPLE,
        }
    }

    fn validate(&self) -> Result<(), Error> {
        match *self {
            Self::Fixed(steps) => Error::setting("mutations", steps, steps >= 1, "at least 1"),
            Self::Adaptive {
                correlation,
                max_steps,
            } => {
                let holds = correlation > 0.0 && correlation < 1.0;
                Error::setting(
                    "mutations: correlation",
                    correlation,
                    holds,
                    "between 0 and 1",
                )?;
                Error::setting(
                    "mutations: max_steps",
                    max_steps,
                    max_steps >= MULTIPLE,
                    "at least 4",
                )
            }
        }
    }
}

/// The geometric mean of the relaxation times so far, with weights that halve with each earlier temperature; NaN if none is known.
fn smoothed_time(history: &[Stage]) -> f64 {
    let times = history.iter().map(|stage| stage.relaxation_time);
    let logs = times.filter(|time| time.is_finite()).map(f64::ln);
    let average = logs.reduce(|average, log| average + RECENT * (log - average));
    average.map_or(f64::NAN, f64::exp)
}

impl From<usize> for Mutations {
    fn from(steps: usize) -> Self {
        Self::Fixed(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(mutations: usize, relaxation_time: f64) -> Stage {
        Stage {
            mutations,
            relaxation_time,
            ..crate::example::stage(0.5, 64)
        }
    }

    #[test]
    fn the_correlation_that_may_remain_decides() {
        // log 20 = 3.0, so 10 relaxation times of a step are 30 steps, rounded up to 32
        let steps = |time| Mutations::adaptive().steps(&[stage(100, time)]);
        assert_eq!(
            [0.1, 1.0, 2.0, 10.0, 66.0, 1e9].map(steps),
            [4, 4, 8, 32, 200, 200]
        );
        let looser = Mutations::adaptive().correlation(0.5);
        assert_eq!(looser.steps(&[stage(100, 10.0)]), 8);
    }

    #[test]
    fn the_number_of_steps_grows_twofold_at_most() {
        assert_eq!(Mutations::adaptive().steps(&[]), 8);
        assert_eq!(Mutations::adaptive().steps(&[stage(8, 1e3)]), 16);
        assert_eq!(
            Mutations::adaptive().max_steps(10).steps(&[stage(8, 1e3)]),
            8
        );
    }

    #[test]
    fn one_temperature_does_not_decide_alone() {
        let history = [1.0, 1.0, 100.0].map(|time| stage(100, time));
        // the geometric mean of 1 and 100 is 10
        assert_eq!(Mutations::adaptive().steps(&history), 32);
        let unknown = [stage(12, f64::NAN)];
        assert_eq!(Mutations::adaptive().steps(&unknown), 12);
    }

    #[test]
    fn settings_are_checked() {
        assert!(
            Mutations::Fixed(0)
                .validate()
                .unwrap_err()
                .to_string()
                .contains("`mutations` is 0")
        );
        assert!(Mutations::adaptive().correlation(1.5).validate().is_err());
        assert!(Mutations::adaptive().max_steps(3).validate().is_err());
        assert!(
            Mutations::adaptive()
                .correlation(0.1)
                .max_steps(50)
                .validate()
                .is_ok()
        );
    }
}
