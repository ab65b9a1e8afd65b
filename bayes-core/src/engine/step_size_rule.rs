//! How SMC finds the step size of a temperature.

use super::island::Island;
use super::mover;
use super::sampler::Sampler;
use super::tune::tune_step_size;
use crate::kernel::{FIRST_LEAPFROG_LIMIT, Tuning};
use crate::rng::Purpose;

/// How SMC finds the step size with which a kernel moves the particles at a temperature.
///
/// Kernels whose step size is given, or that have none, are not concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepSizeRule {
    /// By trial moves of at most 32 particles at the new temperature, which are discarded and counted. The acceptance is then within 0.06 of the
    /// kernel's target in most cases.
    #[default]
    Trials,
    /// By the moves at the temperature before (as the papers do): the logarithm of the step size changes by the difference of their mean
    /// acceptance probability from the kernel's target.
    ///
    /// This costs nothing but at the first temperature, which has trials. The step size is always that of the last temperature, which
    /// was flatter, so moves are accepted more rarely than wanted where the temperatures are far apart. All moves count, also those with the shorter steps of
    /// [`Smc::step_size_mixture`](super::Smc::step_size_mixture).
    LastMoves,
}

impl Sampler<'_> {
    /// Sets the step sizes for the moves of a resampled island.
    pub(super) fn find_step_sizes(&self, island: &mut Island) {
        let wanted = self.kernel.target_acceptance();
        match (self.settings.step_size_rule, island.history.last(), wanted) {
            (StepSizeRule::LastMoves, Some(last), Some(wanted)) => {
                let factor = (last.acceptance - wanted).exp();
                for tuning in &mut island.tunings {
                    let step = tuning.step_size * factor;
                    tuning.step_size = step.min(self.kernel.max_step_size(tuning));
                }
            }
            _ => self.try_step_sizes(island),
        }
    }

    /// Tunes the step size of each half on the particles that it moves, by trajectories of at most 24 leapfrog steps.
    fn try_step_sizes(&self, island: &mut Island) {
        let target = self.target(island);
        let key = self.key(island, Purpose::Tune, 0);
        let particles = &island.particles;
        let n = particles.len();
        let half = mover::half(n, self.density.block_size());
        let tune = |tuning: &mut Tuning, among| {
            tuning.leapfrog_limit = FIRST_LEAPFROG_LIMIT;
            tune_step_size(self.kernel, tuning, target, particles, among, key)
        };
        let [first, second] = &mut island.tunings;
        if half == n {
            // the first one moves all
            let counts = tune(first, 0..n);
            island.counts.merge(&counts);
            second.clone_from(first);
            return;
        }
        // a half may be a single block, which one thread moves
        let counts = rayon::join(|| tune(first, 0..half), || tune(second, half..n));
        island.counts.merge(&counts.0);
        island.counts.merge(&counts.1);
    }
}
