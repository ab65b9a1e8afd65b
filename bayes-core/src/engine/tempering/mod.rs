//! Non-reversible parallel tempering (Syed et al. 2022): chains that exchange states between the prior and the posterior.

pub(super) mod barrier;
pub(super) mod ensemble;
pub(super) mod rung;
pub(super) mod stepping_stones;
pub(super) mod swaps;

use crate::density::{LogDensity, Posterior};
use crate::engine::builder::{
    Common, common_setters, engine, named_texts, run_to_file, run_to_file_on, unit_setters,
};
use crate::engine::chains::{MAX_STEPS, members, validate_length};
use crate::engine::improper;
use crate::engine::memory::{ChainGroups, Finished, Sizes};
use crate::engine::save::checkpoint::Journal;
use crate::engine::save::outcome::Made;
use crate::error::Error;
use crate::kernel::{Hmc, Kernel, Moves, fits_positions};
use crate::model::Model;
use crate::observe::Memory;
use crate::run::{GroupKind, Run, RunFile, Spool, Weighting};
use ensemble::{FIRST, MAX_KEPT, MAX_STATES, SHARING, Task};
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;

/// Builder of runs of non-reversible parallel tempering.
///
/// A chain has a state at each of K temperatures, the powers of the likelihood `0 = λ₁ < .. < λ_K = 1`. A scan moves every state by the
/// kernel of its temperature, replaces the state at the prior by an independent draw, and swaps neighbours: all even and all odd pairs in
/// turn. So states travel between prior and posterior, and a chain visits modes that are far apart. A draw is the state at the posterior
/// after each scan.
///
/// The burn-in has rounds that double in length. After each round the kernels are fitted, and the ladder is changed so that all pairs
/// would be rejected equally often. Then ladder and kernels are frozen. Eight chains share a ladder and move together in SIMD lanes;
/// otherwise chains never communicate.
///
/// The log evidence is the mean over chains of the sum over neighbours of log ratios, each estimated from the draws of both temperatures,
/// with the standard error between chains. It shares no estimator with SMC's, and its bias does not come from resampling: a second
/// opinion. It is only as good as the round trips that the run counts.
///
/// ```
/// use bayes_core::density::{Block, LogDensity, Prior};
/// use bayes_core::engine::Inference;
/// use bayes_core::rng::{RngExt, Stream};
///
/// /// Uniform on (-8, 8), with modes of width 0.1 at -4 and 4.
/// struct Modes;
///
/// impl LogDensity for Modes {
///     fn dim(&self) -> usize {
///         1
///     }
///     fn evaluate(&self, block: &mut Block<'_>) {
///         block.fill(|x| {
///             let inside = if x[0].abs() < 8.0 { -f64::ln(16.0) } else { f64::NEG_INFINITY };
///             [inside, -50.0 * (x[0].abs() - 4.0).powi(2)]
///         });
///     }
///     fn prior(&self) -> Option<&dyn Prior> {
///         Some(self)
///     }
/// }
///
/// impl Prior for Modes {
///     fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
///         position[0] = stream.random_range(-8.0..8.0);
///     }
/// }
///
/// let run = Inference::tempering().draws(400).burn_in(400).seed(1).run_on(&Modes)?;
/// let exact = (2.0 * 0.1 * std::f64::consts::TAU.sqrt() / 16.0).ln();
/// let found = run.log_evidence_estimate().expect("a log evidence");
/// assert!((found.mean - exact).abs() < 4.0 * found.se);
/// assert!(run.mean("x")?[0].abs() < 1.0);
/// # Ok::<(), bayes_core::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine does nothing until `.run(&model)`"]
pub struct Tempering<K> {
    runner: Runner,
    types: PhantomData<K>,
}

/// The builder without the type of the kernel, which only the bounds on models need. The code that runs chains is therefore compiled
/// once, not with every model.
#[derive(Clone, Debug)]
struct Runner {
    common: Common,
    kernel: Arc<dyn Kernel>,
    settings: Settings,
}

#[derive(Clone, Debug)]
pub(super) struct Settings {
    chains: usize,
    /// The number K of temperatures; adaptive by default.
    pub(super) temperatures: Option<usize>,
    pub(super) burn_in: usize,
    pub(super) draws: usize,
    /// By default 1 with a gradient, 5 without.
    mutations: Option<usize>,
}

/// The explanation of why parallel tempering needs a prior.
const NEEDS_PRIOR: &str = "parallel tempering draws from it at its first temperature";

/// The largest number of temperatures.
const MOST: usize = 1000;

impl Runner {
    fn builder<K>(self) -> Tempering<K> {
        Tempering {
            runner: self,
            types: PhantomData,
        }
    }
}

impl Tempering<Hmc> {
    pub(super) fn new(engine: &'static str) -> Self {
        let settings = Settings {
            chains: 8,
            temperatures: None,
            burn_in: 1000,
            draws: 1000,
            mutations: None,
        };
        Runner {
            common: Common::new(engine),
            kernel: Arc::new(Hmc::new()),
            settings,
        }
        .builder()
    }
}

impl<K> Tempering<K> {
    /// Number of chains, from 1 to a million; at least 2 for a standard error of the log evidence. Multiples of 8 fill the SIMD lanes.
    pub fn chains(mut self, chains: usize) -> Self {
        self.runner.settings.chains = chains;
        self
    }

    /// Number K of temperatures with prior and posterior, from 2 to 1000. By default it adapts to twice the communication barrier, so
    /// that about half of the swaps are accepted.
    pub fn temperatures(mut self, temperatures: usize) -> Self {
        self.runner.settings.temperatures = Some(temperatures);
        self
    }

    /// Scans before the first draw, when ladder and kernels adapt; at most 10⁹.
    pub fn burn_in(mut self, scans: usize) -> Self {
        self.runner.settings.burn_in = scans;
        self
    }

    /// Draws kept of each chain, one of every scan: at least 1, and at most 10⁹ of all chains together.
    pub fn draws(mut self, draws: usize) -> Self {
        self.runner.settings.draws = draws;
        self
    }

    /// Moves M of the kernel in each scan, from 1 to 10⁹. By default 1 for a kernel with a gradient, 5 for others.
    pub fn mutations(mut self, moves: usize) -> Self {
        self.runner.settings.mutations = Some(moves);
        self
    }

    /// The Markov kernel between swaps. Every temperature has its own tuning of it.
    pub fn kernel<L: Kernel>(mut self, kernel: L) -> Tempering<L> {
        self.runner.kernel = Arc::new(kernel);
        self.runner.builder()
    }

    common_setters!(runner.common);
    unit_setters!();

    /// Runs the chains on `model`.
    ///
    /// # Errors
    /// Before the first move: a setting out of range, an instruction set that the processor does not support, data that do not fit the
    /// model, an improper prior, or no starting point with finite density in 100 prior draws.
    pub fn run<Mo: Model>(&self, model: &Mo) -> Result<Run, Error>
    where
        K: Moves<Mo>,
    {
        let posterior = Posterior::with(
            model,
            self.runner.common.seed,
            self.runner.common.arithmetic,
        )?;
        self.run_on(&posterior)
    }

    run_to_file!(Mo: K: Moves<Mo>);
}

impl<K: Kernel> Tempering<K> {
    /// Runs the chains on a density.
    ///
    /// # Errors
    /// As [`Tempering::run`]; [`Error::NoPrior`] if the density has no prior.
    pub fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error> {
        Ok(self.runner.made(density, None)?.run)
    }

    run_to_file_on!();

    fn spooled(&self, density: &dyn LogDensity, spool: Spool) -> Result<Made, Error> {
        self.runner.made(density, Some(spool))
    }
}

impl Runner {
    /// Groups of chains that share a ladder.
    fn units(&self) -> usize {
        self.settings.chains.div_ceil(SHARING)
    }

    fn made(&self, density: &dyn LogDensity, spool: Option<Spool>) -> Result<Made, Error> {
        self.settings.validate()?;
        density.proper_prior(NEEDS_PRIOR)?;
        density.validate_for_sampling()?;
        fits_positions(&*self.kernel)?;
        self.kernel.validate(density)?;
        improper::check(density, &self.common)?;
        let chains = self.settings.chains;
        let all = self.units() as u64;
        let units =
            format!("{chains} chains are {all} groups of up to {SHARING} that share a ladder");
        let share = self.common.share(0..all, &units)?;
        let observers = self.common.observers((share.end - share.start) as usize);
        let sizes = Sizes::of(density);
        let groups = ChainGroups {
            finished: Finished::of(&self.common, spool.is_some()),
            ..self.groups(share.end - share.start, sizes)
        };
        groups.check(&self.common, &observers, sizes)?;
        let task = Task {
            settings: &self.settings,
            seed: self.common.seed,
            common: rung::Common {
                density,
                kernel: &*self.kernel,
                mutations: self.moves(),
            },
            observer: &observers,
        };
        let settings = self.settings_as_text();
        let journal = Journal::open(&self.common, &[density], &settings, &observers, spool)?;
        let outcome = journal.run(share, |unit| {
            task.run(members(unit.number, SHARING, chains), unit)
        })?;
        let kind = (GroupKind::Chains, Weighting::Equal);
        let run = |groups| {
            self.common
                .run(density, &*self.kernel, kind, settings, groups)
        };
        Ok(outcome.made(&self.common, 0..chains as u64, run))
    }

    /// This number of groups of the run.
    fn groups(&self, groups: u64, sizes: Sizes) -> ChainGroups {
        let rungs = self.settings.temperatures.unwrap_or(FIRST) as u64;
        let chains = self.settings.chains.min(SHARING) as u64;
        let states = (self.settings.burn_in as u64).saturating_mul(chains);
        let kept = rungs.saturating_mul(states.min(MAX_STATES as u64) * sizes.dim);
        let particles = rungs * chains * (2 * sizes.dim + 2);
        ChainGroups {
            groups,
            chains,
            draws: self.settings.draws as u64,
            tuning: kept.min(MAX_KEPT as u64) + particles,
            traces: rungs,
            finished: Finished::All,
        }
    }

    /// The memory that the chains of this process need.
    fn memory(&self, density: &dyn LogDensity) -> Memory {
        let sizes = Sizes::of(density);
        let all = 0..self.units() as u64;
        let share = self.common.share(all.clone(), "").unwrap_or(all);
        self.groups(share.end - share.start, sizes).memory(sizes)
    }

    /// M.
    fn moves(&self) -> usize {
        let own = if self.kernel.needs_gradient() { 1 } else { 5 };
        self.settings.mutations.unwrap_or(own)
    }

    /// The settings that determine a result.
    fn settings_as_text(&self) -> BTreeMap<String, String> {
        let settings = &self.settings;
        let temperatures = settings.temperatures.map(|number| number.to_string());
        named_texts([
            ("chains", settings.chains.to_string()),
            ("kernel", format!("{:?}", self.kernel)),
            (
                "temperatures",
                temperatures.unwrap_or_else(|| "adaptive".to_owned()),
            ),
            ("burn_in", settings.burn_in.to_string()),
            ("draws", settings.draws.to_string()),
            ("mutations", self.moves().to_string()),
        ])
    }
}

engine!(Tempering);

impl Settings {
    fn validate(&self) -> Result<(), Error> {
        validate_length(self.chains, self.burn_in, self.draws)?;
        let moves = self.mutations.unwrap_or(1);
        let holds = (1..=MAX_STEPS).contains(&moves);
        Error::setting("mutations", moves, holds, "from 1 to 1000000000")?;
        let Some(temperatures) = self.temperatures else {
            return Ok(());
        };
        let holds = (2..=MOST).contains(&temperatures);
        Error::setting("temperatures", temperatures, holds, "from 2 to 1000")
    }
}
