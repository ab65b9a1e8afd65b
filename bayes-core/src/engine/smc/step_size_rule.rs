//! Rules for the step size of a temperature in SMC.

use super::island::Island;
use super::sampler::Sampler;
use crate::engine::mover;
use crate::engine::tune::tune_step_size;
use crate::kernel::{FIRST_LEAPFROG_LIMIT, Tuning};
use crate::parallel;
use crate::rng::Purpose;

/// The rule by which SMC finds the step size of a kernel at a temperature.
///
/// It does not apply to kernels without a step size or with a given one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepSizeRule {
    /// By trial moves at the new temperature with at most 32 particles of each half of an island, for the step size of the other half. These
    /// moves are counted and discarded. The resulting acceptance is within 0.06 of the kernel's target in most cases.
    #[default]
    Trials,
    /// By the moves at the temperature before: the logarithm of a half's step size changes by its mean acceptance probability minus the
    /// kernel's target, a step of the adaptive scaling of Andrieu & Thoms (2008, algorithm 4).
    ///
    /// This costs nothing except at the first temperature, which has trials. Step sizes lag behind, because the last temperature was
    /// flatter. They shrink by at most a factor `exp(-target)` from one temperature to the next, so a ladder of few temperatures can
    /// outrun them. The shorter steps of [`Smc::step_size_mixture`](crate::engine::Smc::step_size_mixture) count too and lengthen the
    /// step compared with trials; with `.step_size_mixture(0.0)` they do not. A trajectory with a halved leapfrog step counts as
    /// rejected.
    LastMoves,
}

impl Sampler<'_> {
    /// Sets the step sizes for the moves of a resampled island.
    pub(in crate::engine) fn find_step_sizes(&self, island: &mut Island) {
        let n = island.particles.len();
        let half = mover::half(n, self.density.block_size());
        let kernel = self.kernel_of(island);
        let wanted = kernel.target_acceptance();
        match (
            self.settings.step_size_rule,
            island.tuning_acceptance,
            wanted,
        ) {
            (StepSizeRule::LastMoves, Some(found), Some(wanted)) => {
                for (tuning, found) in island.tunings.iter_mut().zip(found) {
                    let step = tuning.step_size * (found - wanted).exp();
                    tuning.step_size = step.min(kernel.max_step_size(tuning));
                }
            }
            _ => self.try_step_sizes(island, half),
        }
        if half == n {
            // without a second half, the first tuning moves all particles
            let [first, second] = &mut island.tunings;
            second.clone_from(first);
        }
    }

    /// Tunes the step size of each half on the particles of the other half, by trajectories of at most 24 leapfrog steps.
    ///
    /// A kernel whose step size depends on the particles that it moves does not keep their target. On a normal in 25 coordinates, islands of
    /// 64 particles that tuned their own steps had log evidences that were too small by 0.03 (experiments/figures.md).
    fn try_step_sizes(&self, island: &mut Island, half: usize) {
        let (kernel, target) = (self.kernel_of(island), self.target(island));
        let key = self.key(island, Purpose::Tune, 0);
        let particles = &island.particles;
        let n = particles.len();
        let tune = |tuning: &mut Tuning, among| {
            tuning.leapfrog_limit = FIRST_LEAPFROG_LIMIT;
            tune_step_size(kernel, tuning, target, particles, among, key)
        };
        let [first, second] = &mut island.tunings;
        if half == n {
            let counts = tune(first, 0..n);
            island.counts.merge(&counts);
            return;
        }
        // a half may be a single block, which one thread moves
        let halves = [(first, half..n), (second, 0..half)];
        for counts in parallel::map(halves, |(tuning, half)| tune(tuning, half)) {
            island.counts.merge(&counts);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::density::{Block, LogDensity, Prior};
    use crate::engine::Inference;
    use crate::rng::Stream;

    /// A narrow mode at -10 and a wide one at 10.
    struct Modes;

    const WIDTHS: [f64; 2] = [0.01, 1.0];

    /// The middle and the width of the mode of a place.
    fn mode(x: f64) -> (f64, f64) {
        if x < 0.0 {
            (-10.0, WIDTHS[0])
        } else {
            (10.0, WIDTHS[1])
        }
    }

    impl LogDensity for Modes {
        fn dim(&self) -> usize {
            1
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| {
                let (middle, width) = mode(x[0]);
                [0.0, -0.5 * ((x[0] - middle) / width).powi(2)]
            });
        }
        fn evaluate_gradient(&self, [_, likelihood]: [f64; 2], block: &mut Block<'_>) {
            self.evaluate(block);
            for i in 0..block.len() {
                let at = block.row(i).start;
                let (middle, width) = mode(block.positions[at]);
                block.gradient[at] = likelihood * (middle - block.positions[at]) / (width * width);
            }
        }
        fn prior(&self) -> Option<&dyn Prior> {
            Some(self)
        }
    }

    impl Prior for Modes {
        fn draw(&self, _: &mut Stream, position: &mut [f64]) {
            position[0] = 10.0;
        }
    }

    // Detects trials with the particles that then move: the narrow half would have the short step.
    #[test]
    fn trials_are_made_by_the_other_half() {
        let smc = Inference::smc().particles(64).states_kept(1);
        let sampler = smc.sampler(&Modes).expect("the settings are right");
        let mut island = sampler.start(0).expect("the prior is proper");
        island.lambda = 1.0;
        let draws = crate::example::normals(5, 64);
        for (i, z) in draws.iter().enumerate() {
            let (middle, width) = mode(if i < 32 { -1.0 } else { 1.0 });
            island.particles.positions[i] = middle + width * z;
        }
        sampler.find_step_sizes(&mut island);
        let [narrow, wide] = island.tunings.map(|tuning| tuning.step_size);
        assert!(narrow > 20.0 * wide, "{narrow} {wide}");
    }
}
