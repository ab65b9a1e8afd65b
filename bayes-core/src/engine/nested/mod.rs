//! Nested sampling by sequential Monte Carlo (Salomone et al. 2018): islands that climb levels of the likelihood.

mod dead;
mod families;
mod levels;
mod memory;

use super::budget::Budget;
use super::builder::{Algorithm, Builder, Divisible, Runner};
use super::common::named_texts;
use super::memory::{Finished, Sizes, Smaller, at_once};
use super::save::checkpoint::Journal;
use super::save::outcome::Made;
use super::smc::mutations::Mutations;
use super::smc::numbers::IslandNumbers;
use super::smc::path::Path;
use super::smc::psmc::no_start;
use super::smc::resample::Resampling;
use super::smc::sampler::{NEEDS_PRIOR, Sampler};
use super::smc::schedule::Schedule;
use super::smc::settings::Settings;
use super::smc::step_size_rule::StepSizeRule;
use super::timed::Clock;
use crate::density::LogDensity;
use crate::error::Error;
use crate::kernel::{Kernel, Mutation, RandomWalk};
use crate::observe::{Memory, Observer};
use crate::run::{GroupKind, Spool, Weighting};
use dead::NEGLIGIBLE;
use levels::Levels;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Builder of nested sampling: the log evidence by levels of the likelihood instead of its powers.
///
/// An island begins with prior draws. At each level the quarter of its states with the largest likelihood survives. The evidence of the
/// other states is added up, and survivors are resampled and moved within the prior above the level. So the prior mass above the level
/// falls by a known factor, until almost no evidence is left there. The states left behind, with their weights, are draws from the
/// posterior.
///
/// ```text
/// Z = Σ_t X_{t−1} · (1/n) Σ_{i: L(x_i) ≤ l_t} L(x_i),     X_t = X_{t−1} · (share of the n states with L > l_t),   X_0 = 1
/// ```
///
/// (Salomone, South, Drovandi, Kroese and Johansen 2018, "Unbiased and Consistent Nested Sampling via Sequential Monte Carlo"; Skilling
/// 2006). Islands never communicate and are weighted by their evidence, as in [`Inference::psmc`](super::Inference::psmc).
///
/// Use it for a likelihood that tempering cannot follow. A narrow mode inside a wide one (a first-order phase transition) appears only at
/// the last temperature, where no particle is near it, but at an ordinary level of the likelihood. Nested sampling needs no gradient.
/// Both methods miss a narrow mode that is far from all states. Where prior and posterior differ much, its error falls more slowly with
/// the number of states than the error of tempering: it is a second opinion ([`Inference::evidence`](super::Inference::evidence)) more
/// than a first.
///
/// ```
/// use bayes_core::density::{Block, LogDensity, Prior};
/// use bayes_core::engine::Inference;
/// use bayes_core::rng::{RngExt, Stream};
///
/// /// Uniform on the square (-6, 6)²; the likelihood is a ring of radius 2.
/// struct Ring;
///
/// impl LogDensity for Ring {
///     fn dim(&self) -> usize {
///         2
///     }
///     fn evaluate(&self, block: &mut Block<'_>) {
///         block.fill(|x| {
///             let inside = x.iter().all(|x| x.abs() < 6.0);
///             let distance = x[0].hypot(x[1]) - 2.0;
///             [if inside { -f64::ln(144.0) } else { f64::NEG_INFINITY }, -50.0 * distance * distance]
///         });
///     }
///     fn prior(&self) -> Option<&dyn Prior> {
///         Some(self)
///     }
/// }
///
/// impl Prior for Ring {
///     fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
///         position.fill_with(|| stream.random_range(-6.0..6.0));
///     }
/// }
///
/// let run = Inference::nested().seed(1).run_on(&Ring)?;
/// // the circumference times the area below the bell
/// let exact = f64::ln(4.0 * std::f64::consts::PI * 0.1 * std::f64::consts::TAU.sqrt() / 144.0);
/// let found = run.log_evidence_estimate().expect("a log evidence");
/// assert!((found.mean - exact).abs() < 4.0 * found.se);
/// # Ok::<(), bayes_core::Error>(())
/// ```
pub type Nested<K> = Builder<NestedSampling, K>;

/// Nested sampling with a kernel.
#[derive(Clone, Debug)]
pub struct NestedSampling {
    islands: IslandNumbers,
    budget: Budget,
    kernel: Arc<dyn Kernel>,
    /// The settings of the sampler that resamples and moves.
    moves: Settings,
    levels: levels::Settings,
}

/// The default number of states kept of each particle.
const STATES_KEPT: usize = 4;
/// The default share of the states that survive a level: with four states of each particle, one survivor per particle.
const SURVIVORS: f64 = 0.25;
/// The default share of the evidence that may be left.
const REMAINING: f64 = 1e-3;
/// The default range of shortened steps.
const STEP_SIZE_MIXTURE: f64 = 2.0;
/// The default of the correlation of a state with its start that may remain after the moves of a level. More moves follow where the variance of
/// the evidence asks for them ([`Sampler::steps_at_level`]).
const CORRELATION: f64 = 0.14;
/// The default maximum number of moves at a level: a random walk in many coordinates needs many.
const MOST_MOVES: usize = 2000;
/// Numbers stored with a draw beside its values and its position.
const BESIDE: u64 = 4;

impl NestedSampling {
    pub(super) fn new() -> Self {
        let moves = Settings {
            particles: 512,
            states_kept: STATES_KEPT,
            posterior_states: Some(STATES_KEPT),
            // the path stays at the prior; levels bring in the likelihood
            path: Path {
                from: [1.0, 0.0],
                to: [1.0, 0.0],
            },
            mutations: Arc::new(
                Mutations::adaptive()
                    .correlation(CORRELATION)
                    .max_steps(MOST_MOVES),
            ),
            schedule: Schedule::adaptive(1.0),
            resampling: Resampling::default(),
            step_size_rule: StepSizeRule::Trials,
            step_size_mixture: STEP_SIZE_MIXTURE,
            control_variates: Some(false),
        };
        Self {
            islands: IslandNumbers::by_default(4),
            budget: Budget::default(),
            kernel: Arc::new(RandomWalk::new()),
            moves,
            levels: levels::Settings {
                survivors: SURVIVORS,
                remaining: REMAINING,
            },
        }
    }
}

impl Divisible for NestedSampling {}

impl AsMut<IslandNumbers> for NestedSampling {
    fn as_mut(&mut self) -> &mut IslandNumbers {
        &mut self.islands
    }
}

impl AsMut<Settings> for NestedSampling {
    fn as_mut(&mut self) -> &mut Settings {
        &mut self.moves
    }
}

impl<K> Nested<K> {
    /// Number of states k that are kept of each particle along its moves at a level, at least 1. The level, the evidence and the
    /// proposals come from all k N states; N of the survivors continue.
    pub fn states_kept(self, states: usize) -> Self {
        self.set(|nested| {
            nested.moves.states_kept = states;
            nested.moves.posterior_states = Some(states);
        })
    }

    /// The share of the states that survive a level, above 0 and below 1. By default 0.25: with four states of each particle, there is
    /// one survivor per particle.
    pub fn survivors(self, share: f64) -> Self {
        self.set(|nested| nested.levels.survivors = share)
    }

    /// The share of the evidence that may be left above the last level, above 0 and below 1; 0.001 by default. The largest likelihood of
    /// a state serves to estimate the rest, and the states above the last level are counted too. A higher peak that no state has met is
    /// not counted.
    pub fn remaining(self, share: f64) -> Self {
        self.set(|nested| nested.levels.remaining = share)
    }

    /// The approximate time of a run. At one and a half times the limit unfinished islands are given up; the result has the finished ones,
    /// with a warning that the run was stopped, because it favours quick islands. If none is finished, the error is
    /// [`Error::TimeLimit`].
    ///
    /// With a folder of checkpoints the limit is for each process, and a begun level is finished.
    pub fn time_limit(self, limit: Duration) -> Self {
        self.set(|nested| nested.budget.time = Some(limit))
    }

    /// The kernel of the moves: [`RandomWalk`] by default; [`Pcn`](crate::kernel::Pcn) and
    /// [`EllipticalSlice`](crate::kernel::EllipticalSlice) for a Gaussian prior. Kernels that follow the gradient cannot see the level.
    pub fn kernel<L: Mutation>(self, kernel: L) -> Nested<L> {
        self.with(|nested| NestedSampling {
            kernel: Arc::new(kernel),
            ..nested
        })
    }
}

impl Algorithm for NestedSampling {
    /// Islands that never communicate.
    fn units(&self) -> usize {
        self.islands.count() as usize
    }

    fn memory(runner: &Runner<Self>, density: &dyn LogDensity) -> Option<Memory> {
        let share = runner.common.share_of(runner.own.units());
        let particles = runner.own.moves.particles as u64;
        let sizes = Sizes::of(density);
        Some(runner.own.memory_of(share, particles, Finished::All, sizes))
    }

    fn made(
        runner: &Runner<Self>,
        density: &dyn LogDensity,
        spool: Option<Spool>,
    ) -> Result<Made, Error> {
        runner.made(density, spool)
    }
}

impl Runner<NestedSampling> {
    fn made(&self, density: &dyn LogDensity, spool: Option<Spool>) -> Result<Made, Error> {
        let (start, budget) = (Instant::now(), self.own.budget);
        let clock = budget.clock(start, budget.deadline(start));
        self.own.validate()?;
        density.proper_prior(NEEDS_PRIOR)?;
        density.validate_for_sampling()?;
        self.own.kernel.validate(density)?;
        self.own.budget.search(density, &self.common, &clock)?;
        let make = |densities: &[&dyn LogDensity]| self.make(densities[0], spool, &clock);
        let made = match self.common.checkpoint {
            // a begun level goes to the folder, so that the next process continues from it
            Some(_) => make(&[density]),
            None => clock.over(&[density], make),
        };
        let has_folder = self.common.checkpoint.is_some();
        made.map_err(|error| match error {
            // with a folder, finished levels are there, and the same command goes on
            Error::Stopped { .. } if has_folder => error,
            error if clock.ended(&error) => {
                let reached = Budget::none_finished(self.own.islands.count(), false);
                self.own.budget.too_short(density.describe().name, reached)
            }
            error => error,
        })
    }

    /// The run on a density, until the time of the clock is over.
    fn make(
        &self,
        density: &dyn LogDensity,
        spool: Option<Spool>,
        clock: &Clock,
    ) -> Result<Made, Error> {
        let share = self.share()?;
        let observers = self.common.observers((share.end - share.start) as usize);
        self.check_memory(density, &share, spool.is_some(), &observers)?;
        let settings = self.own.settings_as_text();
        let sampler = self.sampler(density, settings.clone());
        let levels = Levels {
            sampler: sampler.map_err(|error| clock.judged(error))?,
            settings: self.own.levels,
        };
        let mut journal = Journal::open(&self.common, &[density], &settings, &observers, spool)?;
        journal.stop_by(clock);
        let outcome = journal.run(share, |unit| levels.run(unit, &observers))?;
        clock.switch_off();
        let is_whole = self.common.shard.is_none() && outcome.is_complete;
        if is_whole && outcome.is_impossible() {
            let tried = self.own.units() * self.own.moves.particles * self.own.moves.kept();
            return Err(no_start(density, self.common.seed, tried));
        }
        let kind = (GroupKind::Islands, Weighting::Evidence);
        let run = |groups| {
            clock.close(|| {
                self.common
                    .run(density, &*self.own.kernel, kind, settings, groups)
            })
        };
        Ok(outcome.made(&self.common, self.own.islands.range.clone(), run))
    }

    /// The sampler that resamples and moves the states of islands.
    fn sampler<'a>(
        &'a self,
        density: &'a dyn LogDensity,
        mut origin: BTreeMap<String, String>,
    ) -> Result<Sampler<'a>, Error> {
        let mut tuning = self.own.kernel.init(density)?;
        // a step size fixed by the user is not changed
        if self.own.kernel.target_acceptance().is_some() {
            tuning.step_size_mixture = self.own.moves.step_size_mixture;
        }
        let fingerprint = density.quantities().fingerprint();
        origin.insert("seed".to_owned(), self.common.seed.to_string());
        origin.insert("fingerprint".to_owned(), format!("{fingerprint:016x}"));
        Ok(Sampler {
            settings: &self.own.moves,
            density,
            legs: Vec::new(),
            kernel: &*self.own.kernel,
            seed: self.common.seed,
            tuning,
            plan: None,
            controls: false,
            walk: None,
            origin,
        })
    }

    /// The numbers of the islands of this process.
    fn share(&self) -> Result<Range<u64>, Error> {
        let units = format!("there are {} islands", self.own.islands.count());
        self.common.share(self.own.islands.range.clone(), &units)
    }

    /// Reports the memory of the islands of this process; with `streams`, finished islands leave memory.
    fn check_memory(
        &self,
        density: &dyn LogDensity,
        share: &Range<u64>,
        streams: bool,
        observer: &dyn Observer,
    ) -> Result<(), Error> {
        let sizes = Sizes::of(density);
        let finished = Finished::of(&self.common, streams);
        let (islands, particles) = (share.end - share.start, self.own.moves.particles as u64);
        let of_islands = |islands| self.own.memory_of(islands, particles, finished, sizes);
        let of_particles = |particles| self.own.memory_of(islands, particles, finished, sizes);
        let smaller = [
            Smaller {
                setting: "`.particles(#)`",
                least: 2,
                now: particles,
                memory: &of_particles,
            },
            Smaller {
                setting: "`.islands(#)`",
                least: 1,
                now: islands,
                memory: &of_islands,
            },
        ];
        self.common
            .check_memory(observer, (islands, &of_islands), &smaller)
    }
}

impl NestedSampling {
    /// Checks all settings.
    fn validate(&self) -> Result<(), Error> {
        self.islands.validate()?;
        self.moves.validate_particles()?;
        self.moves.validate_states()?;
        let between = |setting, share: f64| {
            let holds = share > 0.0 && share < 1.0;
            Error::setting(setting, share, holds, "above 0 and below 1")
        };
        between("survivors", self.levels.survivors)?;
        between("remaining", self.levels.remaining)?;
        let holds = !self.kernel.needs_gradient() && self.kernel.moves_together();
        let allowed = "`random_walk`, `pcn` or `elliptical_slice`: kernels that follow the gradient do not know where the level is";
        Error::setting("kernel", self.kernel.name(), holds, allowed)?;
        self.moves.mutations.validate()
    }

    /// The settings that determine a result, except the number of islands.
    fn settings_as_text(&self) -> BTreeMap<String, String> {
        named_texts([
            ("particles", self.moves.particles.to_string()),
            ("states_kept", self.moves.states_kept.to_string()),
            ("survivors", self.levels.survivors.to_string()),
            ("remaining", self.levels.remaining.to_string()),
            ("kernel", format!("{:?}", self.kernel)),
            ("mutations", format!("{:?}", self.moves.mutations)),
        ])
    }

    /// The memory of `islands` islands of `particles` particles; `finished` says where finished islands are.
    fn memory_of(&self, islands: u64, particles: u64, finished: Finished, sizes: Sizes) -> Memory {
        let states = particles.saturating_mul(self.moves.kept() as u64);
        // over the levels, the weights of a Gaussian posterior form a bell whose width in nats is √(2 d) of its standard deviations
        let nats = NEGLIGIBLE + (2.0 * NEGLIGIBLE * sizes.dim as f64).sqrt();
        let levels = (nats / -self.levels.survivors.ln()).ceil() + 1.0;
        // the running states, the selected ones, and those left behind whose weights count (twice, while draws are made of them)
        let populations = 2.0 + 2.0 * levels;
        let at_work = (states as f64 * populations * sizes.particle() as f64) as u64;
        let at_once = at_once(islands);
        Memory {
            draws: finished.draws(islands, at_once, states, sizes),
            draw: sizes.draw(BESIDE),
            at_work: at_once
                .saturating_mul(at_work)
                .saturating_add(sizes.recordings),
        }
    }
}
