//! Non-reversible parallel tempering (Syed et al. 2022): chains that exchange states between the prior and the posterior.

pub(super) mod barrier;
pub(super) mod ensemble;
pub(super) mod rung;
pub(super) mod stepping_stones;
pub(super) mod swaps;

use crate::density::LogDensity;
use crate::engine::budget::Budget;
use crate::engine::builder::{Algorithm, Builder, Divisible, MakesDraws, Runner};
use crate::engine::chains::{Length, MAX_STEPS, members};
use crate::engine::common::{Common, named_texts};
use crate::engine::drawn::Drawn;
use crate::engine::memory::{ChainGroups, Finished, Sizes};
use crate::engine::save::checkpoint::Journal;
use crate::engine::save::outcome::Made;
use crate::error::Error;
use crate::kernel::{Hmc, Kernel, fits_positions};
use crate::observe::Memory;
use crate::run::{GroupKind, Spool, Weighting};
use ensemble::{FIRST, MAX_KEPT, MAX_STATES, SHARING, Task};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
pub type Tempering<K> = Builder<ParallelTempering, K>;

/// Parallel tempering with a kernel.
#[derive(Clone, Debug)]
pub struct ParallelTempering {
    kernel: Arc<dyn Kernel>,
    settings: Settings,
    budget: Budget,
}

#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) length: Length,
    /// The number K of temperatures; adaptive by default.
    pub(super) temperatures: Option<usize>,
    /// By default 1 with a gradient, 5 without.
    mutations: Option<usize>,
}

/// The explanation of why parallel tempering needs a prior.
const NEEDS_PRIOR: &str = "parallel tempering draws from it at its first temperature";

/// The largest number of temperatures.
const MOST: usize = 1000;

impl ParallelTempering {
    pub(super) fn new() -> Self {
        Self {
            kernel: Arc::new(Hmc::new()),
            settings: Settings {
                length: Length {
                    chains: 8,
                    burn_in: 1000,
                    draws: 1000,
                },
                temperatures: None,
                mutations: None,
            },
            budget: Budget::default(),
        }
    }
}

impl Divisible for ParallelTempering {}

impl AsMut<Length> for ParallelTempering {
    fn as_mut(&mut self) -> &mut Length {
        &mut self.settings.length
    }
}

impl MakesDraws for ParallelTempering {
    fn draws(&mut self) -> &mut usize {
        &mut self.settings.length.draws
    }
}

impl<K> Tempering<K> {
    /// Number K of temperatures with prior and posterior, from 2 to 1000. By default it adapts to twice the communication barrier, so
    /// that about half of the swaps are accepted.
    pub fn temperatures(self, temperatures: usize) -> Self {
        self.set(|tempering| tempering.settings.temperatures = Some(temperatures))
    }

    /// The time of a run: it ends after the scan during which the time is over, with the draws so far; ladder and kernels are frozen before
    /// the first draw, so this causes no bias beyond the bias of short chains. If the burn-in is not finished by then, the error is
    /// [`Error::TimeLimit`]. It is not for folders of checkpoints, where [`Tempering::stop_when`] ends a run that goes on later.
    pub fn time_limit(self, limit: Duration) -> Self {
        self.set(|tempering| tempering.budget.time = Some(limit))
    }

    /// Moves M of the kernel in each scan, from 1 to 10⁹. By default 1 for a kernel with a gradient, 5 for others.
    pub fn mutations(self, moves: usize) -> Self {
        self.set(|tempering| tempering.settings.mutations = Some(moves))
    }

    /// The Markov kernel between swaps. Every temperature has its own tuning of it.
    pub fn kernel<L: Kernel>(self, kernel: L) -> Tempering<L> {
        self.with(|tempering| ParallelTempering {
            kernel: Arc::new(kernel),
            ..tempering
        })
    }
}

impl Algorithm for ParallelTempering {
    /// Groups of chains that share a ladder.
    fn units(&self) -> usize {
        self.settings.length.chains.div_ceil(SHARING)
    }

    fn memory(runner: &Runner<Self>, density: &dyn LogDensity) -> Option<Memory> {
        let sizes = Sizes::of(density);
        let share = runner.common.share_of(runner.own.units());
        Some(runner.own.groups(share, sizes).memory(sizes))
    }

    fn made(
        runner: &Runner<Self>,
        density: &dyn LogDensity,
        spool: Option<Spool>,
    ) -> Result<Made, Error> {
        let Runner { common, own } = runner;
        let start = Instant::now();
        let clock = own.budget.clock(start, own.budget.end(start));
        own.validate(density, common)?;
        own.budget.search(density, common, &clock)?;
        let chains = own.settings.length.chains;
        let share = own.share(common)?;
        let observers = common.observers((share.end - share.start) as usize);
        let sizes = Sizes::of(density);
        let groups = ChainGroups {
            finished: Finished::of(common, spool.is_some()),
            ..own.groups(share.end - share.start, sizes)
        };
        groups.check(common, &observers, sizes)?;
        let drawn = Drawn::new();
        let moved = rung::Common {
            density,
            kernel: &*own.kernel,
            mutations: own.moves(),
        };
        let settings = own.settings_as_text(own.settings.length.draws);
        let mut journal = Journal::open(common, &[density], &settings, &observers, spool)?;
        journal.stop_by(&clock);
        let outcome = clock.over(&[density], |timed| {
            let task = Task {
                settings: &own.settings,
                seed: common.seed,
                common: moved,
                until_cut: rung::Common {
                    density: timed[0],
                    ..moved
                },
                observer: &observers,
                drawn: &drawn,
            };
            journal.run(share, |unit| {
                task.run(members(unit.number, SHARING, chains), unit)
            })
        });
        let mut outcome = outcome.map_err(|error| match error {
            error if clock.ended(&error) => {
                let scans = own.settings.length.burn_in;
                let reached = format!("the {scans} scans of the burn-in were not finished");
                own.budget.too_short(density.describe().name, reached)
            }
            error => error,
        })?;
        let draws = outcome.cut(0..chains as u64, own.settings.length.draws, &drawn)?;
        let settings = own.settings_as_text(draws);
        let kind = (GroupKind::Chains, Weighting::Equal);
        let run = |groups| {
            clock.close_over(density, |density| {
                common.run(density, &*own.kernel, kind, settings, groups)
            })
        };
        Ok(outcome.made(common, 0..chains as u64, run))
    }
}

impl ParallelTempering {
    /// Checks the settings, and that the kernel can move on the density.
    fn validate(&self, density: &dyn LogDensity, common: &Common) -> Result<(), Error> {
        self.settings.validate()?;
        let holds = self.budget.time.is_none() || common.checkpoint.is_none();
        let allowed = "used without `checkpoint`: a run that goes on later would decide otherwise; `stop_when` ends it";
        Error::setting("time_limit", "set", holds, allowed)?;
        density.proper_prior(NEEDS_PRIOR)?;
        density.validate_for_sampling()?;
        fits_positions(&*self.kernel)?;
        self.kernel.validate(density)
    }

    /// The groups of chains that this process runs.
    fn share(&self, common: &Common) -> Result<Range<u64>, Error> {
        let (chains, all) = (self.settings.length.chains, self.units() as u64);
        let units =
            format!("{chains} chains are {all} groups of up to {SHARING} that share a ladder");
        common.share(0..all, &units)
    }

    /// This number of groups of the run.
    fn groups(&self, groups: u64, sizes: Sizes) -> ChainGroups {
        let rungs = self.settings.temperatures.unwrap_or(FIRST) as u64;
        let chains = self.settings.length.chains.min(SHARING) as u64;
        let states = (self.settings.length.burn_in as u64).saturating_mul(chains);
        let kept = rungs.saturating_mul(states.min(MAX_STATES as u64) * sizes.dim);
        let particles = rungs * chains * (2 * sizes.dim + 2);
        ChainGroups {
            groups,
            chains,
            draws: self.settings.length.draws as u64,
            tuning: kept.min(MAX_KEPT as u64) + particles,
            traces: rungs,
            finished: Finished::All,
        }
    }

    /// M.
    fn moves(&self) -> usize {
        let own = if self.kernel.needs_gradient() { 1 } else { 5 };
        self.settings.mutations.unwrap_or(own)
    }

    /// The settings that determine a result.
    fn settings_as_text(&self, draws: usize) -> BTreeMap<String, String> {
        let settings = &self.settings;
        let temperatures = settings.temperatures.map(|number| number.to_string());
        named_texts([
            ("chains", settings.length.chains.to_string()),
            ("kernel", format!("{:?}", self.kernel)),
            (
                "temperatures",
                temperatures.unwrap_or_else(|| "adaptive".to_owned()),
            ),
            ("burn_in", settings.length.burn_in.to_string()),
            ("draws", draws.to_string()),
            ("mutations", self.moves().to_string()),
        ])
    }
}

impl Settings {
    fn validate(&self) -> Result<(), Error> {
        self.length.validate()?;
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
