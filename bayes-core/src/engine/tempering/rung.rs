//! The states of some chains at one temperature of parallel tempering, and the kernel tuned to them.

use crate::density::{Counts, LogDensity, Particles, Target};
use crate::engine::chains::record::Record;
use crate::engine::chains::step_size::DualAveraging;
use crate::engine::tune::tune_step_size;
use crate::error::Error;
use crate::kernel::{ChainBlock, Kernel, Population, Tuning, Visit, Workspace};
use crate::number;
use crate::rng::{Key, Stream};
use serde::{Deserialize, Serialize};

/// The common data of the rungs of a ladder.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Common<'a> {
    pub(in crate::engine) density: &'a dyn LogDensity,
    pub(in crate::engine) kernel: &'a dyn Kernel,
    /// Moves at each temperature between two swaps.
    pub(in crate::engine) mutations: usize,
}

/// One temperature: a state of each chain, which move together in SIMD lanes.
#[derive(Serialize, Deserialize)]
pub(in crate::engine) struct Rung {
    pub(in crate::engine) lambda: f64,
    pub(in crate::engine) particles: Particles,
    pub(in crate::engine) tuning: Tuning,
    workspace: Workspace,
    streams: Vec<Stream>,
    averaging: Option<DualAveraging>,
    /// Whether states came from other temperatures, so that the gradient belongs to another target.
    stale: bool,
    /// Positions for the fit of the kernel, `[kept, dim]`.
    #[serde(with = "number::many")]
    kept: Vec<f64>,
    /// Sum of the acceptance probabilities of each chain's moves.
    acceptance: Vec<f64>,
    moves: usize,
    /// The draws of each chain, at the posterior.
    pub(in crate::engine) records: Vec<Record>,
}

/// Minimum number of states to which the kernel is fitted.
const MIN_STATES: usize = 20;

impl Rung {
    /// Evaluated states at a temperature.
    pub(in crate::engine) fn new(lambda: f64, particles: Particles, tuning: Tuning) -> Self {
        let (chains, dim) = (particles.len(), particles.dim);
        Self {
            lambda,
            particles,
            tuning,
            workspace: Workspace::new(chains, dim),
            streams: Vec::new(),
            averaging: None,
            stale: true,
            kept: Vec::new(),
            acceptance: vec![0.0; chains],
            moves: 0,
            records: Vec::new(),
        }
    }

    /// Prepares a temperature that was read from a file.
    ///
    /// # Errors
    /// [`Error::Saved`] if the tuning belongs to another kernel.
    pub(in crate::engine) fn restored(mut self, kernel: &dyn Kernel) -> Result<Self, Error> {
        kernel.restore(&mut self.tuning)?;
        let (chains, dim) = (self.particles.len(), self.particles.dim);
        self.workspace = self.workspace.restored(chains, dim);
        Ok(self)
    }

    /// A temperature whose states, tuning and scales come from this one.
    pub(in crate::engine) fn copy_at(&self, lambda: f64) -> Self {
        let mut rung = Self::new(lambda, self.particles.clone(), self.tuning.clone());
        rung.kept.clone_from(&self.kept);
        rung
    }

    /// The log likelihood of a chain's state; minus infinity if its prior density is zero.
    pub(in crate::engine) fn potential(&self, chain: usize) -> f64 {
        if self.particles.log_prior[chain] == f64::NEG_INFINITY {
            f64::NEG_INFINITY
        } else {
            self.particles.log_likelihood[chain]
        }
    }

    /// Swaps the states of a chain at two temperatures.
    pub(in crate::engine) fn swap(&mut self, other: &mut Self, chain: usize) {
        let (mine, theirs) = (&mut self.particles, &mut other.particles);
        let row = chain * mine.dim..(chain + 1) * mine.dim;
        mine.positions[row.clone()].swap_with_slice(&mut theirs.positions[row]);
        std::mem::swap(&mut mine.log_prior[chain], &mut theirs.log_prior[chain]);
        let likelihoods = (&mut mine.log_likelihood, &mut theirs.log_likelihood);
        std::mem::swap(&mut likelihoods.0[chain], &mut likelihoods.1[chain]);
        (self.stale, other.stale) = (true, true);
    }

    /// Begins a round: new streams, and counts of moves from 0.
    pub(in crate::engine) fn begin(&mut self, streams: Vec<Stream>) {
        self.streams = streams;
        self.acceptance.fill(0.0);
        self.moves = 0;
    }

    /// Fits the kernel to the kept states, finds a step size by trial moves, and lets dual averaging refine it.
    pub(in crate::engine) fn tune(&mut self, common: Common<'_>, key: Key) {
        let kernel = common.kernel;
        if self.lambda == 0.0 {
            return self.kept.clear();
        }
        if self.kept.len() >= MIN_STATES * self.particles.dim {
            kernel.fit(&mut self.tuning, Population::of_positions(&self.kept));
        }
        self.kept.clear();
        let (particles, among) = (&self.particles, 0..self.particles.len());
        let target = Target::tempered(common.density, self.lambda);
        let counts = tune_step_size(kernel, &mut self.tuning, target, particles, among, key);
        self.workspace.counts.merge(&counts);
        let most = kernel.max_step_size(&self.tuning);
        let step_size = self.tuning.step_size;
        let averaging = |wanted| DualAveraging::new(step_size, wanted, most);
        self.averaging = kernel.target_acceptance().map(averaging);
    }

    /// Freezes the step size at the average of dual averaging.
    pub(in crate::engine) fn freeze(&mut self) {
        if let Some(averaging) = self.averaging.take() {
            self.tuning.step_size = averaging.average();
        }
    }

    /// Moves every chain: an independent draw at the prior, the kernel elsewhere.
    pub(in crate::engine) fn explore(&mut self, common: Common<'_>) {
        if self.lambda == 0.0 {
            self.refresh(common);
        } else {
            self.step(common);
        }
    }

    /// Keeps the present states for the next fit.
    pub(in crate::engine) fn keep(&mut self) {
        self.kept.extend_from_slice(&self.particles.positions);
    }

    /// Draws of the prior.
    fn refresh(&mut self, common: Common<'_>) {
        let rows = self
            .particles
            .positions
            .chunks_exact_mut(self.particles.dim);
        for (position, stream) in rows.zip(&mut self.streams) {
            let counts = &mut self.workspace.counts;
            common.density.draw_start_counted(stream, position, counts);
        }
        let target = Target::tempered(common.density, 0.0);
        target.evaluate(&mut self.particles.block(), &mut self.workspace.counts);
        self.acceptance.iter_mut().for_each(|sum| *sum += 1.0);
        self.moves += 1;
    }

    /// Moves of the kernel.
    fn step(&mut self, common: Common<'_>) {
        let Common {
            density,
            kernel,
            mutations,
        } = common;
        let target = Target::tempered(density, self.lambda);
        let mut block = self.particles.block();
        if kernel.needs_gradient() && self.stale {
            target.evaluate_gradient(&mut block, &mut self.workspace.counts);
        }
        self.stale = false;
        let (sums, records) = (&mut self.acceptance, &mut self.records);
        let (step_size, quantities) = (self.tuning.step_size, density.quantities());
        let mut mean = 0.0;
        let share = 1.0 / (sums.len() * mutations) as f64;
        let mut visit = |visit: Visit<'_>| {
            sums[visit.chain] += visit.acceptance;
            mean += share * visit.tuning_acceptance;
            if let Some(record) = records.get_mut(visit.chain) {
                record.learn(&visit, kernel, quantities);
                if record.transitions().is_multiple_of(mutations) {
                    record.keep(&visit, quantities);
                }
            }
            step_size
        };
        let chains = ChainBlock {
            block: &mut block,
            streams: &mut self.streams,
            workspace: &mut self.workspace,
        };
        kernel.transitions(&self.tuning, target, chains, mutations, &mut visit);
        self.moves += mutations;
        if let Some(averaging) = &mut self.averaging {
            averaging.learn(mean);
            self.tuning.step_size = averaging.step_size();
        }
    }

    /// Mean acceptance probability of a chain's moves in this round; NaN before the first.
    pub(in crate::engine) fn acceptance(&self, chain: usize) -> f64 {
        self.acceptance[chain] / self.moves as f64
    }

    /// The counts of all evaluations since the last call.
    pub(in crate::engine) fn take_counts(&mut self) -> Counts {
        std::mem::take(&mut self.workspace.counts)
    }
}
