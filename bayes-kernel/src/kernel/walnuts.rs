//! The within-orbit adaptive No-U-Turn sampler (Bou-Rabee, Carpenter, Kleppe & Liu 2025).

use super::Adjustable;
use super::hmc::Hmc;
use super::macro_step::Halving;
use super::metric::Mass;
use super::no_u_turn::{NoUTurn, Settings};
use super::tree::MAX_ENERGY_ERROR;
use super::validate_energy_tolerance;
use crate::error::Error;

/// WALNUTS: trajectories of NUTS whose steps fit the place.
///
/// The states of a trajectory are a macro step apart, `2^k` leapfrog steps of a `2^k`-th of its size, with the smallest k for which the
/// energy changes by at most [`energy_tolerance`](Walnuts::energy_tolerance) on the way, or with the largest k
/// ([`halvings`](Walnuts::halvings)) if there is none. So a chain moves by long steps where the
/// posterior is wide and by short ones where it is narrow: in the neck of a funnel, near the end of a support. Everything else is as
/// in [`Nuts`](super::Nuts).
///
/// # Why the posterior stays invariant
///
/// The choice of k must be the same forward and backward in time: k is taken at z if from z every smaller one exceeds the tolerance, and
/// k itself does not or is the largest. The macro step `z ↦ z' = Φ_k(z)` exists only if from z', back in time, every smaller one
/// exceeds it too; k itself passes the same states. It then has an inverse, the same rule with time reversed, and preserves volume,
/// because `Φ_k` does. So the states fall into orbits, lines of states linked by macro steps, and an orbit ends where a macro step does
/// not exist, which is found from both sides.
///
/// NUTS draws a set of `2^j` consecutive states of an orbit around the present one, and then a state of this set by weights `exp(-H)`.
/// Doublings go forward or backward with equal probability, so every state of the set leads to it with probability `2^-j`, times that of
/// stopping there. The set is final if it turns, or if the half that would be added, forward or backward, turns within or meets an end of
/// the orbit. Both are properties of the set and of the half, and not of the state from which the set was grown. So the transition
/// is reversible with respect to `exp(-H)`: an end of the orbit is treated as a U-turn within the new half.
///
/// This is within-orbit adaptation with a deterministic choice of k; the paper has random choices too.
///
/// ```
/// # use bayes_core::density::{Block, LogDensity};
/// # use bayes_core::engine::Inference;
/// # use bayes_core::kernel::{Mass, Walnuts};
/// # struct Line;
/// # impl LogDensity for Line {
/// #     fn dim(&self) -> usize { 1 }
/// #     fn evaluate(&self, block: &mut Block<'_>) { block.fill(|x| [0.0, -0.5 * x[0] * x[0]]); }
/// #     fn evaluate_gradient(&self, _: [f64; 2], block: &mut Block<'_>) {
/// #         block.fill_gradient(|x, gradient| { gradient[0] = -x[0]; [0.0, -0.5 * x[0] * x[0]] });
/// #     }
/// # }
/// # let density = Line;
/// let kernel = Walnuts::new().mass(Mass::LowRank).energy_tolerance(0.5);
/// let run = Inference::walnuts().kernel(kernel).seed(1).progress(false).run_on(&density)?;
/// assert!(run.warnings().is_empty());
/// # Ok::<(), bayes_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Walnuts {
    step_size: Option<f64>,
    target_acceptance: f64,
    max_depth: u32,
    mass: Mass,
    halvings: u32,
    energy_tolerance: f64,
}

impl Default for Walnuts {
    fn default() -> Self {
        Self::new()
    }
}

impl Walnuts {
    /// As [`Nuts::new`](super::Nuts::new), with at most 10 halvings of a step, and a tolerance of 2.
    ///
    /// The macro step is tuned so that the mean acceptance over all states, times the share of macro steps that are not divided, is 0.8:
    /// at least four of five are one leapfrog step. A divided one costs up to three times as many gradients as it has parts, because k
    /// must be found and checked from the other end. Where a Gaussian has this acceptance, hardly any step changes the energy by 2, so
    /// that WALNUTS is NUTS there, in any dimension; the tolerance is in units of log density, and needs no tuning.
    #[must_use]
    pub fn new() -> Self {
        Self {
            step_size: None,
            target_acceptance: 0.8,
            max_depth: 10,
            mass: Mass::Variance,
            halvings: 10,
            energy_tolerance: 2.0,
        }
    }

    setters! {
        /// A fixed macro step instead of a tuned one.
        step_size(step_size: f64) => Some(step_size);

        /// The target of the mean acceptance probability over all states of a trajectory, times the share of macro steps that are not
        /// divided.
        target_acceptance(probability: f64) => probability;

        /// The maximum tree depth, from 1 to 20: a trajectory has at most this number of doublings of macro steps.
        max_depth(doublings: u32) => doublings;

        /// The mass matrix; see [`Nuts::mass`](super::Nuts::mass).
        mass(mass: Mass) => mass;

        /// The maximum number of halvings of a macro step, from 1 to 20. Where the density jumps no step is short enough: the one with the
        /// most halvings is taken, and costs `2^halvings` gradients. If its energy changes by more than 1000, or to NaN, the trajectory
        /// diverges.
        halvings(most: u32) => most;

        /// The change of the energy (a difference of log densities) within a macro step above which it is divided. The density of a
        /// state can be wrong by the factor e to this power while a trajectory passes there; weights correct for it.
        energy_tolerance(tolerance: f64) => tolerance;
    }
}

impl NoUTurn for Walnuts {
    const NAME: &'static str = "walnuts";

    fn settings(&self) -> Settings<'_> {
        Settings {
            step_size: self.step_size,
            target_acceptance: self.target_acceptance,
            max_depth: self.max_depth,
            mass: &self.mass,
        }
    }

    fn adjustable(&mut self) -> Adjustable<'_> {
        Adjustable {
            target_acceptance: Some(&mut self.target_acceptance),
            mass: Some(&mut self.mass),
            max_depth: Some(&mut self.max_depth),
        }
    }

    fn halving(&self) -> Halving {
        Halving {
            most: self.halvings,
            tolerance: self.energy_tolerance,
            limit: MAX_ENERGY_ERROR,
        }
    }

    /// One leapfrog step that is not divided: trial moves of any size would be accepted otherwise.
    fn single_step(&self) -> Hmc {
        Hmc::new().leapfrog_steps(1).jitter(0.0).halvings(0)
    }

    fn validate_halving(&self) -> Result<(), Error> {
        let most = self.halvings;
        Error::setting("halvings", most, (1..=20).contains(&most), "from 1 to 20")?;
        validate_energy_tolerance(self.energy_tolerance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // a run keeps this text, and the warning about divergences reads it
    #[test]
    fn the_settings_of_a_run_name_the_halvings() {
        assert_eq!(
            format!("{:?}", Walnuts::new()),
            "Walnuts { step_size: None, target_acceptance: 0.8, max_depth: 10, mass: Variance, halvings: 10, energy_tolerance: 2.0 }"
        );
    }
}
