//! The fit of the proposals of an island to its states.

use super::island::Island;
use super::resample::Resampling;
use super::sampler::Sampler;
use crate::density::Particles;
use crate::engine::mover;
use crate::kernel::Population;
use crate::rng::Purpose;
use std::ops::Range;

/// Survivors of a level for each coordinate, in each half, without which all states serve the fit of the proposals.
const SURVIVORS_PER_COORDINATE: usize = 16;

impl Sampler<'_> {
    /// The weights of the states in the fit: above a level those of the survivors, or equal ones if the survivors are few.
    ///
    /// In a funnel the states below the level are wider than the survivors in some directions and not in others, and proposals of their shape are
    /// mostly refused; but a covariance needs many states.
    pub(super) fn weights_of_fit(&self, island: &Island, weights: Vec<f64>) -> Vec<f64> {
        let survivors = weights.iter().filter(|weight| **weight > 0.0).count();
        let enough = 2 * SURVIVORS_PER_COORDINATE * self.density.dim();
        match island.level {
            Some(_) if survivors < enough => possible(&island.particles),
            _ => weights,
        }
    }

    /// Fits the proposals of each half of the resampled particles.
    ///
    /// The first half comes from the first states, since parents are sorted. Its proposals are fitted to the later states, the proposals
    /// of the second half to the earlier states. With too few particles to split, both are fitted to all states.
    pub(super) fn fit(&self, island: &mut Island, weights: &[f64], chosen: &[u32]) {
        let n = chosen.len();
        let half = mover::half(n, self.density.block_size());
        let others = if half == n {
            [0..weights.len(), 0..weights.len()]
        } else {
            [
                chosen[half - 1] as usize + 1..weights.len(),
                0..chosen[half] as usize,
            ]
        };
        for (half, others) in others.into_iter().enumerate() {
            let positions = self.weighted_positions(island, weights, others, half as u64 + 1);
            if !positions.is_empty() {
                let population = Population::of_positions(&positions);
                self.kernel_of(island)
                    .fit(&mut island.tunings[half], population);
            }
        }
    }

    /// Positions of the states in `among`, `[states, dim]`, each repeated according to its weight; none if all weights are zero.
    fn weighted_positions(
        &self,
        island: &Island,
        weights: &[f64],
        among: Range<usize>,
        item: u64,
    ) -> Vec<f64> {
        let total: f64 = weights[among.clone()].iter().sum();
        if total <= 0.0 {
            return Vec::new();
        }
        let own: Vec<f64> = weights[among.clone()].iter().map(|w| w / total).collect();
        let mut stream = self.stream(island, Purpose::Resample, item);
        let chosen = Resampling::Systematic.ancestors(&own, own.len(), &mut stream);
        let position = |i: u32| island.particles.position(among.start + i as usize);
        chosen.into_iter().flat_map(position).copied().collect()
    }
}

/// Equal weights of all states that are possible.
fn possible(particles: &Particles) -> Vec<f64> {
    let is_possible = |l: &f64| f64::from(*l > f64::NEG_INFINITY);
    particles.log_likelihood.iter().map(is_possible).collect()
}
