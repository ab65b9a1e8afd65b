//! One SMC sampler ("SMC Is All You Need", Algorithm 1), with adaptive tempering and an adaptive kernel.

use super::island::Island;
use super::mover::{self, Mover};
use super::mutations::MovePolicy;
use super::path::Path;
use super::resample::Resampling;
use super::schedule::{Schedule, log_ess};
use super::tune::tune_step_size;
use crate::density::{LogDensity, Particles, Target};
use crate::error::Error;
use crate::kernel::{Kernel, Tuning};
use crate::numeric::{log_mean_exp, log_sum_exp};
use crate::rng::{Key, Purpose, Stream};
use crate::run::{Group, Stage, Statistics};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Settings of an SMC sampler that do not depend on the kernel's type.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub particles: usize,
    pub path: Path,
    pub mutations: Arc<dyn MovePolicy>,
    pub schedule: Schedule,
    pub resampling: Resampling,
    pub step_size_mixture: f64,
}

/// An SMC sampler on a density, one temperature at a time: `start`, `advance` until the island is done, `finish`.
///
/// [`Smc::run`](super::Smc::run) is this loop for every island. Write the loop yourself to inspect, save or stop an island
/// between two temperatures.
///
/// ```
/// # use bayes_core::density::{Block, LogDensity, Prior};
/// # use bayes_core::rng::{RngExt, Stream};
/// # use bayes_core::engine::Inference;
/// # struct Line;
/// # impl LogDensity for Line {
/// #     fn dim(&self) -> usize { 1 }
/// #     fn evaluate(&self, block: &mut Block<'_>) { block.fill(|x| [if (0.0..1.0).contains(&x[0]) { 0.0 } else { f64::NEG_INFINITY }, -50.0 * (x[0] - 0.3).powi(2)]); }
/// #     fn prior(&self) -> Option<&dyn Prior> { Some(self) }
/// # }
/// # impl Prior for Line {
/// #     fn draw(&self, stream: &mut Stream, position: &mut [f64]) { position[0] = stream.random_range(0.0..1.0); }
/// # }
/// # let density = Line;
/// let smc = Inference::smc().particles(64);
/// let sampler = smc.sampler(&density)?;
/// let mut island = sampler.start(0)?;
/// while !island.is_done() {
///     sampler.advance(&mut island);
/// }
/// assert_eq!(island.lambda, 1.0);
/// # Ok::<(), bayes_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Sampler<'a> {
    pub(super) settings: &'a Settings,
    pub(super) density: &'a dyn LogDensity,
    pub(super) kernel: &'a dyn Kernel,
    pub(super) seed: u64,
    /// The kernel's tuning before anything is known of the posterior, the same for every island.
    pub(super) tuning: Tuning,
    /// What the islands depend on: seed, fingerprint and settings, as text.
    pub(super) origin: BTreeMap<String, String>,
}

impl<'a> Sampler<'a> {
    /// Island number `index`, with particles drawn from the prior.
    ///
    /// An island whose particles all have likelihood zero is done immediately, with log evidence minus infinity, which
    /// is its unbiased estimate.
    ///
    /// # Errors
    /// [`Error::NoPrior`] and [`Error::Model`] if there is no proper prior.
    pub fn start(&self, index: u64) -> Result<Island, Error> {
        let prior = self.density.proper_prior(NEEDS_PRIOR)?;
        let (n, dim) = (self.settings.particles, self.density.dim());
        let key = Key::new(self.seed, Purpose::Initial).group(index);
        let mut particles = Particles::of_prior(n, dim, prior, key);
        let counts = mover::evaluate(&mut particles, Target::posterior(self.density));
        let potential = self.settings.path.potential(&particles);
        let any_alive = potential.iter().any(|p| *p > f64::NEG_INFINITY);
        Ok(Island {
            index,
            origin: self.origin.clone(),
            particles,
            ancestors: (0..n as u32).collect(),
            lambda: 0.0,
            log_evidence: if any_alive { 0.0 } else { f64::NEG_INFINITY },
            tunings: [self.tuning.clone(), self.tuning.clone()],
            acceptance: Vec::new(),
            history: Vec::new(),
            counts,
        })
    }

    /// Prepares an island that was read from a file to continue.
    ///
    /// # Errors
    /// [`Error::Saved`] if it was made with another seed, model, data or settings, or if its lists are incomplete.
    pub fn restore(&self, mut island: Island) -> Result<Island, Error> {
        let refused = |message| Error::Saved {
            what: "an island of this sampler",
            message,
        };
        for (name, wanted) in &self.origin {
            let found = island.origin.get(name).map_or("missing", String::as_str);
            if found != wanted {
                return Err(refused(format!(
                    "its `{name}` is {found}, expected {wanted}"
                )));
            }
        }
        let (n, dim) = (self.settings.particles, self.density.dim());
        if !island.is_complete(n, dim) {
            return Err(refused(format!(
                "its lists are not those of {n} particles of dimension {dim}"
            )));
        }
        for tuning in &mut island.tunings {
            self.kernel.restore(tuning)?;
        }
        Ok(island)
    }

    /// One temperature: reweight, resample, tune, then move at the new temperature. An island that is done stays as it is.
    pub fn advance(&self, island: &mut Island) {
        if island.is_done() {
            return;
        }
        let stage = island.history.len();
        let potential = self.settings.path.potential(&island.particles);
        let next = self
            .settings
            .schedule
            .next(stage, island.lambda, &potential);
        let h = next - island.lambda;
        let ess = log_ess(&potential, h).exp();
        let log_weights: Vec<f64> = potential.iter().map(|p| h * p).collect();
        // The mean includes the factor 1/N: islands may have different numbers of stages, and the papers' stabilised
        // product, which omits it, would scale each island by N to the power of its number of stages.
        let log_increment = log_mean_exp(&log_weights);
        if log_increment == f64::NEG_INFINITY {
            island.log_evidence = log_increment;
            return;
        }
        island.log_evidence += log_increment;
        island.lambda = next;
        let unique_parents = self.resample(island, &log_weights);
        self.tune(island);
        let mutations = self.mutate(island);
        let particles = island.particles.len();
        island.history.push(Stage {
            lambda: next,
            ess,
            log_increment,
            acceptance: island.acceptance.iter().sum::<f64>() / particles.max(1) as f64,
            step_size: 0.5 * (island.tunings[0].step_size + island.tunings[1].step_size),
            mutations,
            unique_parents,
        });
    }

    /// Resamples by the incremental weights `exp(h ℓ)`; returns the number of distinct particles that remain.
    fn resample(&self, island: &mut Island, log_weights: &[f64]) -> usize {
        let total = log_sum_exp(log_weights);
        let weights: Vec<f64> = log_weights.iter().map(|w| (w - total).exp()).collect();
        let mut stream = self.stream(island, Purpose::Resample, 0);
        let mut chosen = self.settings.resampling.ancestors(&weights, &mut stream);
        chosen.sort_unstable();
        island.particles = island.particles.select(&chosen);
        let ancestor = |i: &u32| island.ancestors[*i as usize];
        island.ancestors = chosen.iter().map(ancestor).collect();
        chosen.dedup();
        chosen.len()
    }

    /// Fits the proposals of each half to the other half; only the step size, a single number, is tuned on the
    /// particles that it moves. If there are too few particles to split, both halves are all particles.
    fn tune(&self, island: &mut Island) {
        let n = island.particles.len();
        let dim = island.particles.dim;
        let half = mover::half(n, self.density.block_size());
        let halves = if half == n {
            [0..n, 0..n]
        } else {
            [0..half, half..n]
        };
        let target = self.target(island);
        let key = self.key(island, Purpose::Tune, 0);
        for (moved, tuning) in island.tunings.iter_mut().enumerate() {
            let other = &halves[1 - moved];
            let positions = &island.particles.positions[other.start * dim..other.end * dim];
            self.kernel.fit(tuning, positions);
            let among = halves[moved].clone();
            let counts = tune_step_size(self.kernel, tuning, target, &island.particles, among, key);
            island.counts.merge(&counts);
        }
    }

    /// Moves the particles until the policy stops; returns the number of steps.
    fn mutate(&self, island: &mut Island) -> usize {
        let n = island.particles.len() as u64;
        let streams = (0..n)
            .map(|i| self.stream(island, Purpose::Move, i))
            .collect();
        let mut mover = Mover::new(self.kernel, self.target(island), streams);
        mover.refresh(&mut island.particles);
        let [first, second] = &island.tunings;
        let mut watch = self.settings.mutations.watch(&island.particles);
        let mut steps = 0;
        loop {
            let more = watch.more(steps, &island.particles);
            if more == 0 {
                break;
            }
            mover.step(&mut island.particles, [first, second], more);
            steps += more;
        }
        island.counts.merge(&mover.counts());
        island.acceptance = mover.take_acceptances();
        steps
    }

    fn target(&self, island: &Island) -> Target<'a> {
        Target {
            density: self.density,
            weights: self.settings.path.weights(island.lambda),
        }
    }

    fn key(&self, island: &Island, purpose: Purpose, item: u64) -> Key {
        Key::new(self.seed, purpose)
            .group(island.index)
            .item(item)
            .stage(island.history.len() as u32)
    }

    fn stream(&self, island: &Island, purpose: Purpose, item: u64) -> Stream {
        self.key(island, purpose, item).stream()
    }

    /// The stored output of an island.
    #[must_use]
    pub fn finish(&self, island: Island) -> Group {
        Group {
            log_evidence: Some(island.log_evidence),
            statistics: Statistics {
                acceptance: island.acceptance,
                ..Statistics::default()
            },
            ancestors: island.ancestors,
            history: island.history,
            counts: island.counts,
            ..Group::of_particles(island.index, island.particles, self.density.quantities())
        }
    }
}

/// Why SMC needs a proper prior.
pub(super) const NEEDS_PRIOR: &str =
    "SMC starts from prior draws, and the evidence needs a normalised prior";
