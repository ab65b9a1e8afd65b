//! More states of each particle at the posterior: the cheapest draws of an SMC sampler.
//!
//! The first states at the posterior have cost the moves of all temperatures; each further state costs only the moves since the last one.

use super::island::Island;
use super::sampler::Sampler;
use super::settings::Settings;
use super::trails::{Trails, repeated, seen};
use super::walks::CALLS_OF_A_GRADIENT;
use crate::density::Particles;
use crate::engine::mover::Mover;
use crate::rng::Purpose;

/// The default number of states kept at the posterior, as a multiple of the number at other temperatures.
const TIMES: usize = 8;
/// Limits of the default: the draws of an island, and the coordinates of all its draws.
const MOST_DRAWS: usize = 8192;
const MOST_COORDINATES: usize = 1 << 22;

/// The work on these states, as a share of the work on the whole way to the posterior. If moves at the posterior are so expensive that
/// this is too little, the states are closer together.
const SHARE: f64 = 0.25;

/// The fewest moves of a walk between two of these states, whatever their share of the work: about the integrated autocorrelation time of a
/// random walk on a normal density in one coordinate. On smooth posteriors the whole way takes few calls, and states after each move of a walk
/// would be worth a fifth of independent ones.
const MOVES_OF_A_WALK: usize = 4;

impl Settings {
    /// Number of states of each particle at the posterior, in `dim` coordinates.
    pub(in crate::engine) fn wanted_states(&self, dim: usize) -> usize {
        let kept = self.kept();
        self.posterior_states.unwrap_or_else(|| {
            let draws = self.particles.saturating_mul(kept);
            let coordinates = draws.saturating_mul(dim.max(1));
            let times = (MOST_DRAWS / draws).min(MOST_COORDINATES / coordinates);
            // one state is standard SMC
            if kept == 1 {
                1
            } else {
                kept * times.clamp(1, TIMES)
            }
        })
    }
}

impl Sampler<'_> {
    /// Evaluations of the density in an island so far, of the kind that its kernel's moves use. If particles may walk, three of their moves
    /// count as a gradient.
    pub(in crate::engine) fn work(&self, island: &Island) -> f64 {
        let [densities, gradients] = [
            island.counts.density_evaluations,
            island.counts.gradient_evaluations,
        ]
        .map(|count| count as f64);
        let draws = (self.settings.particles * self.settings.kept()) as f64;
        match (self.kernel.needs_gradient(), &self.walk) {
            (true, Some(_)) => gradients + (densities - draws).max(0.0) / CALLS_OF_A_GRADIENT,
            (true, None) => gradients,
            _ => densities,
        }
    }

    /// Continues the moves of an island at the posterior until the wanted number of states of each particle is kept. A step of all
    /// particles costs `step`.
    pub(in crate::engine) fn prolong(&self, island: &mut Island, step: f64) {
        let kept = self.settings.kept();
        let wanted = self.settings.wanted_states(island.particles.dim);
        if wanted == kept {
            return;
        }
        let mut states: Vec<Particles> = (0..kept).map(|k| state(island, kept, k)).collect();
        if wanted < kept {
            states.drain(..kept - wanted);
        } else {
            let spacing = self.spacing(island, wanted - kept, step);
            let more = self.more_states(island, &states[kept - 1], (wanted - kept, spacing));
            if island.walks {
                measure_again(island, spacing, &more);
            }
            states.extend(more);
        }
        island.particles = Particles::interleaved(&states);
        repeat_first(island, kept, wanted);
    }

    /// Number of steps between two of `count` further states.
    fn spacing(&self, island: &Island, count: usize, step: f64) -> usize {
        let steps = island.history.last().map_or(1, |stage| stage.mutations);
        let (_, regular) = seen(steps, self.settings.kept());
        if self.settings.posterior_states.is_some() {
            return regular;
        }
        let affordable = SHARE * self.work(island) / (count as f64 * step);
        let least = if island.walks { MOVES_OF_A_WALK } else { 1 };
        // the conversion saturates
        (affordable as usize).max(least).clamp(1, regular)
    }

    /// The next states of the particles, `(their number, steps between them)`.
    fn more_states(
        &self,
        island: &mut Island,
        last: &Particles,
        (count, spacing): (usize, usize),
    ) -> Vec<Particles> {
        // the temperature is in the history, so these streams differ from the streams of earlier moves
        let streams = (0..last.len() as u64)
            .map(|i| self.stream(island, Purpose::Move, i))
            .collect();
        let mut particles = last.clone();
        let mut mover = Mover::new(self.kernel_of(island), self.target(island), streams);
        let times: Vec<usize> = (1..=count).map(|state| state * spacing).collect();
        let [first, second] = &island.tunings;
        let states = mover.states(&mut particles, [first, second], &times);
        island.counts.merge(&mover.counts());
        island.note_falls(mover.falls());
        self.add_steps(island, count * spacing, &mover.take_acceptances());
        states
    }

    /// Adds steps, with the mean acceptance of each particle, to the statistics of the last moves.
    fn add_steps(&self, island: &mut Island, steps: usize, acceptances: &[f64]) {
        let Some(last) = island.history.last_mut() else {
            return;
        };
        let share = steps as f64 / (last.mutations + steps) as f64;
        let each = island.acceptance.chunks_mut(self.settings.kept());
        for (states, new) in each.zip(acceptances) {
            states
                .iter_mut()
                .for_each(|mean| *mean += share * (new - *mean));
        }
        last.mutations += steps;
        last.acceptance = island.acceptance.iter().sum::<f64>() / island.acceptance.len() as f64;
    }

    /// Gives an island without weight, which never reached the posterior, as many draws as the others.
    pub(in crate::engine) fn fill(&self, island: &mut Island) {
        let kept = self.settings.kept();
        let wanted = self.settings.wanted_states(island.particles.dim);
        let copies = vec![state(island, kept, kept - 1); wanted];
        island.particles = Particles::interleaved(&copies);
        repeat_first(island, kept, wanted);
    }
}

/// Replaces the relaxation time of a walk at the posterior by the one of the log likelihood along further states: the one along the first
/// states of few particles is too noisy for the warning of slow moves, and modes that particles rarely leave make it long.
fn measure_again(island: &mut Island, spacing: usize, states: &[Particles]) {
    let time = Trails::new(spacing, states.to_vec()).likelihood_time();
    if let Some(last) = island.history.last_mut().filter(|_| time.is_finite()) {
        last.relaxation_time = time;
    }
}

/// State number `k` of the `kept` states of each particle.
fn state(island: &Island, kept: usize, k: usize) -> Particles {
    let particles = island.particles.len() / kept;
    let indices: Vec<u32> = (0..particles).map(|i| (i * kept + k) as u32).collect();
    island.particles.select(&indices)
}

/// The lists have an equal entry for each of the `kept` states of a particle; repeats it for `wanted` states.
fn repeat_first(island: &mut Island, kept: usize, wanted: usize) {
    fn repeat<T: Copy>(list: &mut Vec<T>, kept: usize, wanted: usize) {
        let first: Vec<T> = list.iter().copied().step_by(kept).collect();
        *list = repeated(&first, wanted);
    }
    repeat(&mut island.acceptance, kept, wanted);
    repeat(&mut island.ancestors, kept, wanted);
    repeat(&mut island.log_weights, kept, wanted);
}
