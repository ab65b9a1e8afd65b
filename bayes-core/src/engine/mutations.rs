//! The number of mutation steps M after each resampling.

use crate::density::Particles;
use crate::error::Error;
use std::fmt::Debug;

/// Decides how many steps the particles make at each temperature.
pub trait MovePolicy: Debug + Send + Sync {
    /// Begins a temperature with `particles`, which have just been resampled.
    fn watch(&self, particles: &Particles) -> Box<dyn MoveWatch>;

    /// Checks the settings.
    ///
    /// # Errors
    /// [`Error::Setting`] naming the setting, the value and what is allowed.
    fn validate(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The rule at one temperature.
pub trait MoveWatch {
    /// How many steps to make next, after `steps` steps have been made; 0 to stop.
    fn more(&mut self, steps: usize, particles: &Particles) -> usize;
}

/// The number of mutation steps M at each temperature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mutations {
    /// The same M everywhere.
    Fixed(usize),
    /// Until the particles are nearly independent of their positions after resampling.
    Adaptive {
        /// The largest remaining root mean square autocorrelation.
        correlation: f64,
        /// Maximum number of steps.
        max_steps: usize,
    },
}

impl Mutations {
    /// Until the correlation between the particles before and after the moves falls to 0.05; at most 200 steps.
    ///
    /// ```text
    /// R² = max(mean_k ρ_k², ρ_ℓ²) - 1/(N - 1),   stop when R² ≤ η²
    /// ```
    ///
    /// ρ_k is the correlation of coordinate k across the particles, ρ_ℓ that of the log likelihood. Single coordinates may
    /// look mixed while the likelihood, which determines the next weights and the evidence, is not.
    /// 1/(N - 1) is the expected ρ² of independent particles; without it small N would never stop. Between modes that
    /// the kernel cannot cross, the correlation never falls. So the moves also stop when, from the 8th step on,
    /// doubling the steps does not increase the mean squared jump by 5%. A kernel that is only slow still increases
    /// it. The papers cite Dai et al. (2022) for the idea and state only η = 0.05.
    #[must_use]
    pub fn adaptive() -> Self {
        Self::Adaptive {
            correlation: 0.05,
            max_steps: 200,
        }
    }

    /// Another threshold η for the adaptive rule, in (0, 1).
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

    /// Another bound on the number of steps of the adaptive rule.
    #[must_use]
    pub fn max_steps(self, max_steps: usize) -> Self {
        let correlation = if let Self::Adaptive { correlation, .. } = self {
            correlation
        } else {
            0.05
        };
        Self::Adaptive {
            correlation,
            max_steps,
        }
    }
}

impl MovePolicy for Mutations {
    fn watch(&self, particles: &Particles) -> Box<dyn MoveWatch> {
        match *self {
            Self::Fixed(steps) => Box::new(Fixed(steps)),
            Self::Adaptive {
                correlation,
                max_steps,
            } => Box::new(Adaptive {
                start: particles.clone(),
                watch: Watch::new(correlation),
                max_steps,
            }),
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
                    max_steps >= 1,
                    "at least 1",
                )
            }
        }
    }
}

impl From<usize> for Mutations {
    fn from(steps: usize) -> Self {
        Self::Fixed(steps)
    }
}

/// A number of steps.
struct Fixed(usize);

impl MoveWatch for Fixed {
    fn more(&mut self, steps: usize, _: &Particles) -> usize {
        self.0 - steps
    }
}

/// One step at a time, until the particles are nearly independent of their start.
struct Adaptive {
    start: Particles,
    watch: Watch,
    max_steps: usize,
}

impl MoveWatch for Adaptive {
    fn more(&mut self, steps: usize, particles: &Particles) -> usize {
        let enough = steps > 0 && self.watch.enough(steps, Memory::of(&self.start, particles));
        usize::from(!enough && steps < self.max_steps)
    }
}

/// How far the particles have moved since the resampling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Memory {
    /// The mean over coordinates of the squared correlation across particles, or the squared correlation of the log
    /// likelihood if that is larger, minus the expectation for independent populations.
    pub squared_correlation: f64,
    /// Mean squared jump relative to that of independent populations, summed over coordinates and log likelihood: 0 to 2.
    pub jump: f64,
}

impl Memory {
    /// Compares the particles `after` some moves with those `before`.
    pub(super) fn of(before: &Particles, after: &Particles) -> Self {
        let dim = before.dim;
        let likelihood = correlation(&before.log_likelihood, &after.log_likelihood, 1, 0);
        let (mut squares, mut jumps) = (0.0, 0.0);
        for k in 0..dim {
            let rho = correlation(&before.positions, &after.positions, dim, k);
            squares += rho * rho / dim as f64;
            jumps += (1.0 - rho) / dim as f64;
        }
        let chance = 1.0 / (before.len() as f64 - 1.0);
        Self {
            squared_correlation: (squares.max(likelihood * likelihood) - chance).max(0.0),
            jump: jumps + 1.0 - likelihood,
        }
    }
}

/// Decides when the moves at one temperature are enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    threshold: f64,
    last_jump: f64,
}

/// Growth of the mean squared jump over a doubling of the steps below which the moves stop.
const SETTLED: f64 = 1.05;
/// Minimum number of steps before this growth is checked.
const FIRST_LOOK: usize = 8;

impl Watch {
    /// The rule with the given largest correlation.
    pub(super) fn new(correlation: f64) -> Self {
        Self {
            threshold: correlation * correlation,
            last_jump: 0.0,
        }
    }

    /// Whether the moves are enough after `steps` of them.
    pub(super) fn enough(&mut self, steps: usize, memory: Memory) -> bool {
        if memory.squared_correlation <= self.threshold {
            return true;
        }
        if steps < FIRST_LOOK / 2 || !steps.is_power_of_two() {
            return false;
        }
        let settled = steps >= FIRST_LOOK && memory.jump < SETTLED * self.last_jump;
        self.last_jump = memory.jump;
        settled
    }
}

/// Correlation of coordinate `k`; 1 if it has not moved at all, 0 if either side is constant but moved.
fn correlation(before: &[f64], after: &[f64], dim: usize, k: usize) -> f64 {
    let n = (before.len() / dim) as f64;
    let pairs = || {
        before
            .iter()
            .skip(k)
            .step_by(dim)
            .zip(after.iter().skip(k).step_by(dim))
    };
    let (sum_x, sum_y) = pairs().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    let (mean_x, mean_y) = (sum_x / n, sum_y / n);
    let (xx, yy, xy) = pairs().fold((0.0, 0.0, 0.0), |(xx, yy, xy), (x, y)| {
        let (x, y) = (x - mean_x, y - mean_y);
        (xx + x * x, yy + y * y, xy + x * y)
    });
    if xx > 0.0 && yy > 0.0 {
        return xy / (xx * yy).sqrt();
    }
    if pairs().all(|(x, y)| x == y) {
        1.0
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Particles with the given positions in `dim` coordinates; the likelihood is that of the first one.
    fn particles(positions: Vec<f64>, dim: usize) -> Particles {
        let n = positions.len() / dim;
        let mut particles = Particles::new(n, dim);
        particles.log_likelihood = positions.iter().step_by(dim).map(|x| -x * x).collect();
        particles.positions = positions;
        particles
    }

    fn uniform(n: usize, dim: usize, item: u64) -> Particles {
        use crate::rng::{Key, Purpose};
        use rand::RngExt;
        let key = Key::new(1, Purpose::Move).item(item);
        let mut stream = key.stream();
        particles((0..n * dim).map(|_| stream.random()).collect(), dim)
    }

    fn left(before: &Particles, after: &Particles) -> f64 {
        Memory::of(before, after).squared_correlation
    }

    #[test]
    fn an_unmoved_population_is_fully_correlated() {
        let population = uniform(60, 3, 0);
        let memory = Memory::of(&population, &population);
        assert!(
            memory.squared_correlation > 0.9 && memory.jump.abs() < 1e-12,
            "{memory:?}"
        );
        let constant = particles(vec![2.0; 6], 2);
        assert!(left(&constant, &constant) > 0.4);
    }

    #[test]
    fn the_floor_of_independent_populations_is_removed() {
        // Without the correction the coordinates alone, at about 1/199 = 0.005, would never pass 0.05²; with it
        // only the likelihood's single correlation fails now and then.
        let independent =
            |seed: u64| left(&uniform(200, 50, 2 * seed), &uniform(200, 50, 2 * seed + 1));
        let passed = (0..100)
            .filter(|seed| independent(*seed) < 0.05 * 0.05)
            .count();
        assert!(
            passed >= 60,
            "{passed} of 100 independent populations passed"
        );
    }

    #[test]
    fn an_unmoved_likelihood_counts_even_where_the_coordinates_have_moved() {
        let before = uniform(200, 2, 0);
        let mut after = uniform(200, 2, 1);
        after.log_likelihood = before.log_likelihood.clone();
        assert!(left(&before, &after) > 0.9);
    }

    /// Steps at which a watch stops, given what is left and how far the particles have come after each step.
    fn stops(memory: impl Fn(f64) -> Memory) -> Option<usize> {
        let mut watch = Watch::new(0.05);
        (1..=200).find(|steps| watch.enough(*steps, memory(*steps as f64)))
    }

    #[test]
    fn a_slow_kernel_goes_on_and_a_barrier_stops() {
        let correlated = |rho: f64| Memory {
            squared_correlation: rho * rho,
            jump: 2.0 - 2.0 * rho,
        };
        // Slowly decreasing correlation: moves continue until it is small.
        assert_eq!(stops(|m| correlated((-m / 30.0).exp())), Some(90));
        // Two modes: the moves mix within each mode after a few steps, and never between them.
        assert_eq!(stops(|m| correlated(0.8 + 0.2 * (-m).exp())), Some(8));
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
        assert!(Mutations::adaptive().max_steps(0).validate().is_err());
        assert!(
            Mutations::adaptive()
                .correlation(0.1)
                .max_steps(50)
                .validate()
                .is_ok()
        );
    }
}
