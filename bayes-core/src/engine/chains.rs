//! Markov chains, serial or many in parallel: the papers' MCMC and MCMC∥.

use super::group::{GROUP, run_group};
use crate::density::{ArithmeticSettings, Density, Gradient, Posterior};
use crate::error::Error;
use crate::kernel::Moves;
use crate::model::Model;
use crate::report::Progress;
use crate::rng::{Key, Purpose};
use crate::run::{Group, Run, Weighting};
use bayes_autodiff::simd::Level;
use rayon::prelude::*;

/// Builder of Markov-chain runs.
///
/// Every chain starts from its own draw from the prior (of a [`Flat`](crate::dist::Flat) prior: from an unconstrained
/// coordinate uniform on (-2, 2)), makes `burn_in` steps during which the kernel is tuned, then
/// keeps `draws` states, one every `thin` steps. Serial MCMC is one chain; the papers' MCMC∥ is many chains with
/// `.draws(1)`: each keeps only its last state, and the bias left by the burn-in does not fall with their number.
///
/// Chains are tuned in groups of 16 by their index, so that a long run of few chains and a short run of many both learn
/// their step size and scales; the groups never communicate.
#[derive(Clone, Debug)]
#[must_use = "an engine does nothing until `.run(&model)`"]
pub struct Chains<K> {
    engine: &'static str,
    kernel: K,
    settings: Settings,
    arithmetic: ArithmeticSettings,
    progress: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Settings {
    chains: usize,
    pub(super) burn_in: usize,
    pub(super) draws: usize,
    pub(super) thin: usize,
    seed: u64,
}

impl<K> Chains<K> {
    pub(super) fn new(engine: &'static str, kernel: K, burn_in: usize, thin: usize) -> Self {
        let settings = Settings {
            chains: 4,
            burn_in,
            draws: 1000,
            thin,
            seed: 0,
        };
        Self {
            engine,
            kernel,
            settings,
            arithmetic: ArithmeticSettings::default(),
            progress: true,
        }
    }

    /// Number of chains, at least 1.
    pub fn chains(mut self, chains: usize) -> Self {
        self.settings.chains = chains;
        self
    }

    /// Steps B before the first draw is kept, during which the kernel is tuned.
    pub fn burn_in(mut self, steps: usize) -> Self {
        self.settings.burn_in = steps;
        self
    }

    /// Draws kept of each chain, at least 1.
    pub fn draws(mut self, draws: usize) -> Self {
        self.settings.draws = draws;
        self
    }

    /// Steps T from one kept draw to the next, at least 1.
    pub fn thin(mut self, steps: usize) -> Self {
        self.settings.thin = steps;
        self
    }

    /// The kernel with its settings.
    pub fn kernel(mut self, kernel: K) -> Self {
        self.kernel = kernel;
        self
    }

    /// How gradients are computed; chosen by the model's dimension unless set.
    pub fn gradient(mut self, gradient: Gradient) -> Self {
        self.arithmetic.gradient = gradient;
        self
    }

    /// The instruction set; the fastest of the processor unless set. Two of them may differ in the last bits of a result.
    pub fn instruction_set(mut self, level: Level) -> Self {
        self.arithmetic.instruction_set = Some(level);
        self
    }

    /// The seed of every random number: same seed, same bits, for any number of threads.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// Whether to show progress on stderr (only where that is a terminal).
    pub fn progress(mut self, show: bool) -> Self {
        self.progress = show;
        self
    }

    /// Runs the chains on `model`.
    ///
    /// # Errors
    /// A setting out of range, an instruction set that the processor lacks, data that do not fit the model, or no starting point of finite density in 100 draws
    /// from the prior; all before the first move.
    pub fn run<Mo: Model>(&self, model: &Mo) -> Result<Run, Error>
    where
        K: Moves<Mo>,
    {
        self.settings.validate()?;
        let posterior = Posterior::with(model, self.settings.seed, self.arithmetic)?;
        self.kernel.validate(posterior.layout().dim)?;
        if let Some(needed_for) = self.kernel.needs_proper_prior() {
            posterior.require_proper_prior(needed_for)?;
        }
        let chains = self.settings.chains;
        let progress = Progress::new(self.progress, chains.div_ceil(GROUP));
        let groups: Result<Vec<Vec<Group>>, Error> = (0..chains.div_ceil(GROUP))
            .into_par_iter()
            .map(|g| {
                let first = g * GROUP;
                let size = GROUP.min(chains - first);
                run_group(
                    &self.settings,
                    &posterior,
                    &self.kernel,
                    first..first + size,
                    &progress.island(g),
                )
            })
            .collect();
        Ok(Run {
            model: model.name().to_owned(),
            engine: self.engine.to_owned(),
            kernel: self.kernel.name().to_owned(),
            seed: self.settings.seed,
            arithmetic: posterior.arithmetic().clone(),
            weighting: Weighting::Chains,
            layout: posterior.layout().clone(),
            statements: posterior.statements(),
            groups: groups?.concat(),
        })
    }
}

impl Settings {
    fn validate(&self) -> Result<(), Error> {
        Error::setting("chains", self.chains, self.chains >= 1, "at least 1")?;
        Error::setting("draws", self.draws, self.draws >= 1, "at least 1")?;
        Error::setting("thin", self.thin, self.thin >= 1, "at least 1")
    }

    /// The key of a chain's stream.
    pub(super) fn key(&self, chain: usize, stage: u32, purpose: Purpose) -> Key {
        Key {
            seed: self.seed,
            group: 0,
            item: chain as u64,
            stage,
            purpose,
        }
    }
}
