//! One SMC sampler ("SMC Is All You Need", Algorithm 1), with adaptive tempering and an adaptive kernel.

use super::adaptation_bias;
use super::control_variates::{self, Reweighting};
use super::island::Island;
use super::plan::Plan;
use super::resample::Resampling;
use super::schedule::{Schedule, log_ess};
use super::settings::Settings;
use super::trails::{Trails, repeated, seen};
use super::trajectory_length::leapfrog_limit;
use super::walks::Walk;
use crate::density::{LogDensity, Particles, Target};
use crate::engine::mover::{self, Mover};
use crate::error::Error;
use crate::kernel::{Kernel, Tuning};
use crate::numeric::log_sum_exp;
use crate::rng::{Key, Purpose, Stream};
use crate::run::{self, Controlled, Group, Stage, Statistics, add_gains};
use std::collections::BTreeMap;

/// An SMC sampler on a density, one temperature at a time: `start`, `advance` until the island is done, `finish`.
///
/// [`Smc::run`](crate::engine::Smc::run) is this loop for every island. Write the loop yourself to inspect, save or stop an island
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
pub struct Sampler<'a> {
    pub(in crate::engine) settings: &'a Settings,
    pub(in crate::engine) density: &'a dyn LogDensity,
    /// The legs of the path; none if the density is the only one.
    pub(in crate::engine) legs: Vec<Box<dyn LogDensity + 'a>>,
    pub(in crate::engine) kernel: &'a dyn Kernel,
    pub(in crate::engine) seed: u64,
    /// The other kernel, if the particles may walk.
    pub(in crate::engine) walk: Option<Walk>,
    /// The first tuning of the kernel, before anything is known of the posterior; the same for every island.
    pub(in crate::engine) tuning: Tuning,
    /// The findings of a pilot, if there was one.
    pub(in crate::engine) plan: Option<Plan>,
    /// Whether control variates also estimate the log evidence.
    pub(in crate::engine) controls: bool,
    /// Everything that determines the islands: seed, fingerprint and settings, as text.
    pub(in crate::engine) origin: BTreeMap<String, String>,
}

impl<'a> Sampler<'a> {
    /// Island number `index`, with one prior draw for each state that an island has at later temperatures.
    ///
    /// An island whose particles all have likelihood zero is finished immediately. Its log evidence is minus infinity, and its evidence
    /// of zero is unbiased.
    ///
    /// # Errors
    /// [`Error::NoPrior`] and [`Error::Model`] if there is no proper prior.
    pub fn start(&self, index: u64) -> Result<Island, Error> {
        let prior = self.density.proper_prior(NEEDS_PRIOR)?;
        let kept = self.settings.kept();
        let n = self.settings.particles * kept;
        let key = Key::new(self.seed, Purpose::Initial).group(index);
        let dim = self.density.dim();
        let (mut particles, mut counts) = Particles::of_prior_with_panics(n, dim, prior, key);
        counts.merge(&mover::evaluate(
            &mut particles,
            Target::posterior(self.leg(0)),
        ));
        let potential = self.settings.path.potential(&particles);
        let any_alive = potential.iter().any(|p| *p > f64::NEG_INFINITY);
        let controls = self.controls && potential.iter().all(|p| p.is_finite());
        let controlled = controls.then(|| {
            let target = Target::weighted(self.leg(0), self.settings.path.weights(0.0));
            control_variates::gradients(&mut particles, target, &mut counts)
                .then(|| Controlled::new(self.settings.particles))
        });
        Ok(Island {
            index,
            origin: self.origin.clone(),
            particles,
            log_weights: Vec::new(),
            ancestor_island: None,
            ancestors: (0..n).map(|i| (i / kept) as u32).collect(),
            gains: vec![0.0; self.settings.particles],
            adaptation_bias: 0.0,
            controlled: controlled.flatten(),
            leg: [0, self.legs.len().max(1)],
            lambda: 0.0,
            level: None,
            inflation: None,
            log_evidence: if any_alive { 0.0 } else { f64::NEG_INFINITY },
            tunings: [self.tuning.clone(), self.tuning.clone()],
            acceptance: Vec::new(),
            tuning_acceptance: None,
            walks: false,
            controls_help: false,
            history: Vec::new(),
            falls: Vec::new(),
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
        let dim = self.density.dim();
        let kept = if island.is_at_posterior() {
            self.settings.wanted_states(dim)
        } else {
            self.settings.kept()
        };
        let n = self.settings.particles * kept;
        let legs = self.legs.len().max(1);
        if !island.is_complete(n, dim, legs) {
            return Err(refused(format!(
                "its lists do not fit {n} states of dimension {dim} on one of {legs} legs"
            )));
        }
        let kernel = self.kernel_of(&island);
        for tuning in &mut island.tunings {
            kernel.restore(tuning)?;
        }
        Ok(island)
    }

    /// One temperature: reweight, resample, tune, then move at the new temperature. A finished island does not change.
    pub fn advance(&self, island: &mut Island) {
        if let Some(step) = self.reweight(island) {
            self.resample_and_move(island, step);
        }
    }

    /// Takes the states of an island to the next temperature by their weights; `None` if the island is finished, or if all weights are
    /// zero.
    pub(in crate::engine) fn reweight(&self, island: &mut Island) -> Option<Step> {
        if island.is_done() {
            return None;
        }
        self.enter_leg(island);
        let potential = self.settings.path.potential(&island.particles);
        let next = self.next_power(island, &potential);
        let h = next - island.lambda;
        // The mean over the states includes the factor one over their number. Islands may have different numbers of stages, and the
        // papers' stabilised product, without this factor, would scale each island by a power of it.
        let before = match island.log_weights.as_slice() {
            [] => (potential.len() as f64).ln(),
            log_weights => log_sum_exp(log_weights),
        };
        if island.log_weights.is_empty() {
            island.log_weights = vec![0.0; potential.len()];
        }
        let was_equal = island.log_weights.iter().all(|weight| *weight == 0.0);
        let earlier = island.log_weights.clone();
        let weights = island.log_weights.iter_mut().zip(&potential);
        weights.for_each(|(weight, p)| *weight += h * p);
        let total = log_sum_exp(&island.log_weights);
        let log_increment = total - before;
        if log_increment == f64::NEG_INFINITY {
            island.log_evidence = log_increment;
            island.controlled = None;
            island.log_weights.clear();
            return None;
        }
        island.log_evidence += log_increment;
        island.lambda = next;
        let weights = island.log_weights.iter().map(|now| (now - total).exp());
        let weights: Vec<f64> = weights.collect();
        let pairs = earlier.iter().zip(&weights);
        let shares = pairs.map(|(earlier, now)| [(earlier - before).exp(), *now]);
        add_gains(&mut island.gains, &island.ancestors, shares);
        let adapts = matches!(self.settings.schedule, Schedule::Adaptive { .. });
        let is_adapted = adapts && self.plan.is_none() && next < 1.0 && was_equal;
        let families = (&*island.ancestors, island.gains.len());
        let adaptation_bias = match is_adapted {
            true => adaptation_bias::of_weights(&weights, &potential, families),
            false => 0.0,
        };
        island.adaptation_bias += adaptation_bias;
        let reweighting = Reweighting {
            weights: &weights,
            log_increment,
            potential: &potential,
            is_adapted,
            adaptation_bias,
        };
        control_variates::learn(island, &reweighting);
        let ess = log_ess(&island.log_weights, 1.0).exp();
        Some(Step {
            log_increment,
            states: island.log_weights.len(),
            ess,
        })
    }

    /// The power of the likelihood at the next temperature.
    fn next_power(&self, island: &Island, potential: &[f64]) -> f64 {
        let stage = island.history.len();
        match &self.plan {
            Some(plan) => plan.stage(stage).lambda,
            None => {
                let schedule = &self.settings.schedule;
                schedule.next(stage, island.lambda, potential)
            }
        }
    }

    /// Resamples an island after its reweighting, tunes the kernel and moves the particles.
    pub(in crate::engine) fn resample_and_move(&self, island: &mut Island, step: Step) {
        let stage = island.history.len();
        self.choose_kernel(island);
        let unique_parents = self.resample_and_fit(island);
        match &self.plan {
            Some(plan) => island.tunings.fill(plan.stage(stage).tuning.clone()),
            None => {
                self.find_step_sizes(island);
                let limit = leapfrog_limit(&island.history);
                let tunings = island.tunings.iter_mut();
                tunings.for_each(|tuning| tuning.leapfrog_limit = limit);
            }
        }
        let before = self.work(island);
        let (mutations, [relaxation_time, jump_time]) = self.mutate(island);
        let moves = self.work(island) - before;
        island.history.push(Stage {
            lambda: island.progress(),
            level: island.level,
            particles: self.settings.particles,
            states: step.states,
            ess: step.ess,
            log_increment: step.log_increment,
            acceptance: island.acceptance.iter().sum::<f64>() / island.acceptance.len() as f64,
            step_size: 0.5 * (island.tunings[0].step_size + island.tunings[1].step_size),
            leapfrog_steps: self.trajectory_steps(island),
            mutations,
            relaxation_time,
            jump_time,
            unique_parents,
        });
        if island.is_at_posterior() {
            self.prolong(island, moves / mutations as f64);
        }
    }

    /// Resamples by the weights, and fits the proposals; returns the number of distinct states left.
    fn resample_and_fit(&self, island: &mut Island) -> usize {
        let n = self.settings.particles;
        let total = log_sum_exp(&island.log_weights);
        let weights: Vec<f64> = island
            .log_weights
            .iter()
            .map(|w| (w - total).exp())
            .collect();
        let mut stream = self.stream(island, Purpose::Resample, 0);
        let mut chosen = self.settings.resampling.ancestors(&weights, n, &mut stream);
        chosen.sort_unstable();
        if self.plan.is_none() {
            let fitted = self.weights_of_fit(island, weights);
            self.fit(island, &fitted, &chosen);
        }
        let ancestor = |i: &u32| island.ancestors[*i as usize];
        island.ancestors = chosen.iter().map(ancestor).collect();
        island.particles = island.particles.select(&chosen);
        if self.settings.resampling != Resampling::Never {
            island.log_weights.clear();
        }
        chosen.dedup();
        chosen.len()
    }

    /// Leapfrog steps of a trajectory, the mean of both halves.
    pub(super) fn trajectory_steps(&self, island: &Island) -> usize {
        let kernel = self.kernel_of(island);
        let steps = |tuning| kernel.trajectory_steps(tuning);
        let [first, second] = island.tunings.each_ref().map(steps);
        first.midpoint(second)
    }

    /// Moves the particles and replaces them by the states along their moves. Returns the number of steps, the relaxation time, and the
    /// relaxation time of the positions alone.
    fn mutate(&self, island: &mut Island) -> (usize, [f64; 2]) {
        let n = island.particles.len() as u64;
        let streams = (0..n)
            .map(|i| self.stream(island, Purpose::Move, i))
            .collect();
        let mut mover = Mover::new(self.kernel_of(island), self.target(island), streams);
        mover.refresh(&mut island.particles);
        let [first, second] = &island.tunings;
        let kept = self.settings.kept();
        let steps = match &self.plan {
            Some(plan) => plan.stage(island.history.len()).mutations,
            None => self.wanted_steps(island).max(kept),
        };
        let (states, spacing) = seen(steps, kept);
        let times: Vec<usize> = (0..states)
            .map(|state| steps - spacing * (states - 1 - state))
            .collect();
        let passed = mover.states(&mut island.particles, [first, second], &times);
        let trails = Trails::new(spacing, passed);
        let relaxation_times = [trails.relaxation_time(), trails.jump_time()];
        island.counts.merge(&mover.counts());
        island.note_falls(mover.falls());
        island.particles = trails.into_states(kept);
        island.tuning_acceptance = Some(mover.tuning_acceptance());
        island.acceptance = repeated(&mover.take_acceptances(), kept);
        island.ancestors = repeated(&island.ancestors, kept);
        self.add_gradients(island);
        (steps, relaxation_times)
    }

    /// The density of a leg of the path.
    fn leg(&self, number: usize) -> &dyn LogDensity {
        self.legs.get(number).map_or(self.density, |leg| &**leg)
    }

    /// Takes an island at the end of a leg to the next one, and evaluates its density at the states.
    fn enter_leg(&self, island: &mut Island) {
        if island.lambda < 1.0 {
            return;
        }
        island.leg[0] += 1;
        island.lambda = 0.0;
        let target = Target::posterior(self.leg(island.leg[0]));
        let counts = mover::evaluate(&mut island.particles, target);
        island.counts.merge(&counts);
    }

    /// The present target. For an island above a level the path stays at the prior, for any lambda.
    pub(in crate::engine) fn target(&self, island: &Island) -> Target<'_> {
        let weights = self.settings.path.weights(island.lambda);
        Target {
            level: island.level,
            ..Target::weighted(self.leg(island.leg[0]), weights)
        }
    }

    pub(in crate::engine) fn key(&self, island: &Island, purpose: Purpose, item: u64) -> Key {
        Key::new(self.seed, purpose)
            .group(island.index)
            .item(item)
            .stage(island.history.len() as u32)
    }

    pub(in crate::engine) fn stream(&self, island: &Island, purpose: Purpose, item: u64) -> Stream {
        self.key(island, purpose, item).stream()
    }

    /// The stored output of an island.
    #[must_use]
    pub fn finish(&self, island: Island) -> Group {
        self.finish_shown(island, &|_, _| {})
    }

    /// As [`Sampler::finish`]; calls `show` with the number of draws whose outputs are computed, and the number of all.
    pub(in crate::engine) fn finish_shown(
        &self,
        mut island: Island,
        show: &(dyn Fn(usize, usize) + Sync),
    ) -> Group {
        if !self.legs.is_empty() {
            // the densities of the last leg are not the prior and the likelihood
            let target = Target::posterior(self.density);
            let counts = mover::evaluate(&mut island.particles, target);
            island.counts.merge(&counts);
        }
        if island.log_evidence == f64::NEG_INFINITY {
            self.fill(&mut island);
        }
        let local_masses = self.local_masses(&mut island);
        let origin = run::Island {
            log_evidence: Some(island.log_evidence),
            log_weights: island.log_weights,
            ancestors: island.ancestors,
            gains: island.gains,
            inflation: island.inflation,
            adaptation_bias: island.adaptation_bias,
            controlled: island.controlled.filter(|found| found.temperatures > 0),
            local_masses,
            ancestor_island: island.ancestor_island,
            history: island.history,
        };
        let mut group = Group {
            statistics: Statistics {
                acceptance: island.acceptance,
                ..Statistics::default()
            },
            counts: island.counts,
            ..Group::of_particles_shown(
                (island.index, origin.into()),
                island.particles,
                self.density.quantities(),
                show,
            )
        };
        Group::note_nan_among_draws(std::slice::from_mut(&mut group));
        group
    }
}

/// The findings of a reweighting: the statistics of a temperature that are known before the moves.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Step {
    /// Log of the mean incremental weight.
    pub(in crate::engine) log_increment: f64,
    /// Number of states.
    pub(in crate::engine) states: usize,
    /// Effective sample size of the weights, as a number of states.
    pub(in crate::engine) ess: f64,
}

/// The explanation of why SMC needs a proper prior.
pub(in crate::engine) const NEEDS_PRIOR: &str =
    "SMC starts from prior draws, and the evidence needs a normalised prior";
