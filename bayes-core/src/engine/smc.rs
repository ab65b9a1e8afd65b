//! One SMC sampler ("SMC Is All You Need", Algorithm 1), with adaptive tempering and a kernel tuned on the way.

use super::mover::{self, Mover};
use super::mutations::{Memory, Mutations, Watch};
use super::resample::Resampling;
use super::schedule::{Schedule, log_ess};
use super::tune::tune_step_size;
use crate::density::{Counts, Density, Particles};
use crate::kernel::{Kernel, Target, Tuning};
use crate::numeric::{log_mean_exp, log_sum_exp};
use crate::report::Bar;
use crate::rng::{Key, Purpose, Stream};
use crate::run::{Group, Stage};
use rayon::prelude::*;

/// Settings of an SMC sampler that do not depend on the kernel's type.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub particles: usize,
    pub mutations: Mutations,
    pub schedule: Schedule,
    pub resampling: Resampling,
    pub short_steps: f64,
}

/// What the random streams of an island depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct IslandKey {
    pub seed: u64,
    pub index: u64,
}

/// An island on its way from the prior (λ = 0) to the posterior (λ = 1).
struct Island<'a> {
    settings: &'a Settings,
    density: &'a dyn Density,
    kernel: &'a dyn Kernel,
    key: IslandKey,
    particles: Particles,
    /// For each particle the index of the initial particle that it descends from.
    ancestors: Vec<u32>,
    lambda: f64,
    log_evidence: f64,
    /// How each half of the particles is moved, as the other half has taught.
    tunings: [Tuning; 2],
    history: Vec<Stage>,
    counts: Counts,
}

/// Runs an island to λ = 1.
///
/// An island whose particles all have likelihood zero ends at once with log evidence minus infinity, which is its
/// unbiased estimate.
pub(super) fn run_island(
    settings: &Settings,
    density: &dyn Density,
    kernel: &dyn Kernel,
    key: IslandKey,
    bar: &Bar,
) -> Group {
    let mut island = Island::from_prior(settings, density, kernel, key);
    while island.lambda < 1.0 && island.log_evidence > f64::NEG_INFINITY {
        island.stage();
        bar.lambda(island.lambda, island.history.len());
    }
    bar.finish();
    island.into_group()
}

impl<'a> Island<'a> {
    fn from_prior(
        settings: &'a Settings,
        density: &'a dyn Density,
        kernel: &'a dyn Kernel,
        key: IslandKey,
    ) -> Self {
        let dim = density.layout().dim;
        let n = settings.particles;
        let mut particles = Particles::new(n, dim);
        particles
            .positions
            .par_chunks_mut(dim)
            .enumerate()
            .for_each(|(i, position)| {
                let item = i as u64;
                let key = Key {
                    seed: key.seed,
                    group: key.index,
                    item,
                    stage: 0,
                    purpose: Purpose::Initial,
                };
                density.draw_prior(&mut key.stream(), position);
            });
        let counts = mover::evaluate(&mut particles, density);
        let any_alive = particles
            .log_likelihood
            .iter()
            .any(|l| *l > f64::NEG_INFINITY);
        let mut tuning = kernel.init(density);
        // a step size that the user fixed is meant as it is
        if kernel.target_acceptance().is_some() {
            tuning.short_steps = settings.short_steps;
        }
        Self {
            settings,
            density,
            kernel,
            key,
            particles,
            ancestors: (0..n as u32).collect(),
            lambda: 0.0,
            log_evidence: if any_alive { 0.0 } else { f64::NEG_INFINITY },
            tunings: [tuning.clone(), tuning],
            history: Vec::new(),
            counts,
        }
    }

    /// Reweight with the particles before the move, resample, tune, then move at the new temperature.
    fn stage(&mut self) {
        let stage = self.history.len();
        let next = self
            .settings
            .schedule
            .next(stage, self.lambda, &self.particles.log_likelihood);
        let h = next - self.lambda;
        let ess = log_ess(&self.particles.log_likelihood, h).exp();
        let log_weights: Vec<f64> = self
            .particles
            .log_likelihood
            .iter()
            .map(|l| h * l)
            .collect();
        // The mean keeps its 1/N: islands may have different numbers of stages, and the papers' stabilised product,
        // which drops it, would scale each by N to the power of its own number.
        let log_increment = log_mean_exp(&log_weights);
        if log_increment == f64::NEG_INFINITY {
            self.log_evidence = log_increment;
            return;
        }
        self.log_evidence += log_increment;
        self.lambda = next;
        let unique_ancestors = self.resample(&log_weights);
        self.tune();
        let (mutations, acceptance) = self.mutate();
        self.history.push(Stage {
            lambda: next,
            ess,
            log_increment,
            acceptance,
            step_size: 0.5 * (self.tunings[0].step_size + self.tunings[1].step_size),
            mutations,
            unique_ancestors,
        });
    }

    /// Resamples by the incremental weights `exp(h ℓ)`; returns the number of distinct particles left.
    fn resample(&mut self, log_weights: &[f64]) -> usize {
        let total = log_sum_exp(log_weights);
        let weights: Vec<f64> = log_weights.iter().map(|w| (w - total).exp()).collect();
        let mut chosen = self
            .settings
            .resampling
            .ancestors(&weights, &mut self.stream(Purpose::Resample, 0));
        chosen.sort_unstable();
        self.particles = self.particles.select(&chosen);
        self.ancestors = chosen.iter().map(|i| self.ancestors[*i as usize]).collect();
        chosen.dedup();
        chosen.len()
    }

    /// Fits the shape of each half's proposals to the other half; only the step size, one number, is tuned on the
    /// particles that it moves. Both halves are all of the particles where they are too few to split.
    fn tune(&mut self) {
        let n = self.particles.len();
        let dim = self.particles.dim;
        let half = mover::half(n);
        let halves = if half == n {
            [0..n, 0..n]
        } else {
            [0..half, half..n]
        };
        let target = Target {
            density: self.density,
            lambda: self.lambda,
        };
        let key = self.key(Purpose::Tune, 0);
        for (moved, tuning) in self.tunings.iter_mut().enumerate() {
            let other = &halves[1 - moved];
            let positions = &self.particles.positions[other.start * dim..other.end * dim];
            self.kernel.fit(tuning, self.density, positions);
            let among = halves[moved].clone();
            let counts = tune_step_size(self.kernel, tuning, target, &self.particles, among, key);
            self.counts.merge(&counts);
        }
    }

    /// Moves the particles; returns M and the mean acceptance probability.
    fn mutate(&mut self) -> (usize, f64) {
        let n = self.settings.particles as u64;
        let streams = (0..n).map(|i| self.stream(Purpose::Move, i)).collect();
        let target = Target {
            density: self.density,
            lambda: self.lambda,
        };
        let [first, second] = &self.tunings;
        let mut mover = Mover::new(self.kernel, self.particles.dim, streams);
        mover.refresh(&mut self.particles, target);
        let steps = match self.settings.mutations {
            Mutations::Fixed(steps) => {
                mover.step(&mut self.particles, [first, second], target, steps);
                steps
            }
            Mutations::Adaptive { correlation, most } => {
                let start = self.particles.clone();
                let mut watch = Watch::new(correlation);
                let mut steps = 0;
                loop {
                    mover.step(&mut self.particles, [first, second], target, 1);
                    steps += 1;
                    let enough = watch.enough(steps, Memory::of(&start, &self.particles));
                    if enough || steps >= most {
                        break;
                    }
                }
                steps
            }
        };
        self.counts.merge(&mover.counts());
        (steps, mover.take_acceptance())
    }

    fn key(&self, purpose: Purpose, item: u64) -> Key {
        let stage = self.history.len() as u32;
        Key {
            seed: self.key.seed,
            group: self.key.index,
            item,
            stage,
            purpose,
        }
    }

    fn stream(&self, purpose: Purpose, item: u64) -> Stream {
        self.key(purpose, item).stream()
    }

    fn into_group(self) -> Group {
        let dim = self.particles.dim;
        let draws: Vec<Vec<f64>> = self
            .particles
            .positions
            .par_chunks(dim)
            .map(|position| self.density.output(position))
            .collect();
        Group {
            log_evidence: Some(self.log_evidence),
            draws: draws.concat(),
            ancestors: self.ancestors,
            history: self.history,
            counts: self.counts,
            trajectories: None,
        }
    }
}
