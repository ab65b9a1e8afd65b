//! Markov chains, serial or many in parallel: the papers' MCMC and MCMC∥.

pub(super) mod burn_in;
pub(super) mod group;
mod length;
pub(super) mod mean_slopes;
mod other_maxima;
pub(super) mod record;
pub(super) mod start;
pub(super) mod step_size;

pub use length::Length;
pub(super) use length::MAX_STEPS;
pub use start::Starts;

use crate::density::LogDensity;
use crate::engine::anchor::{AnchoredPrior, OwnPrior, with_prior};
use crate::engine::budget::{Budget, Cost};
use crate::engine::builder::{Algorithm, Builder, Divisible, MakesDraws, Runner};
use crate::engine::common::named_texts;
use crate::engine::drawn::Drawn;
use crate::engine::memory::{ChainGroups, Finished, Sizes};
use crate::engine::save::checkpoint::Journal;
use crate::engine::save::outcome::Made;
use crate::error::Error;
use crate::kernel::{Kernel, require_gradient};
use crate::observe::Memory;
use crate::rng::{Key, Purpose};
use crate::run::{GroupKind, Spool, Weighting};
use group::{BurntIn, GROUP, State, Task};
use other_maxima::Search;
use start::StartValues;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// Builder of Markov-chain runs.
///
/// Every chain starts from the draw of highest likelihood among its own ten prior draws, so that a heavy-tailed prior does not start it
/// far out. With a [`Flat`](crate::dist::Flat) or a vague prior it starts from an unconstrained coordinate uniform on (-2, 2).
/// [`start_at`](Chains::start_at) gives values to start from, and [`starts`](Chains::starts) has paths of Pathfinder find them.
///
/// The chain makes `burn_in` steps during which the kernel is tuned, then keeps `draws` states, one every `thin` steps. Serial MCMC is one
/// chain. The papers' MCMC∥ is many chains with `.draws(1)`: each keeps only its last state, and more chains do not reduce the bias that
/// remains after burn-in. With [`superchains`](Chains::superchains) such a run shows whether its chains have converged.
///
/// Chains are tuned in groups of 16 by their index, so that a long run of few chains and a short run of many chains
/// both adapt their step size and scales. The groups never communicate.
pub type Chains<K, P = OwnPrior> = Builder<MarkovChains, K, P>;

/// Markov chains of a kernel.
#[derive(Clone, Debug)]
pub struct MarkovChains {
    kernel: Arc<dyn Kernel>,
    settings: Settings,
    anchors: Option<AnchoredPrior>,
    budget: Budget,
}

#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) length: Length,
    pub(super) thin: usize,
    /// Number of points from which chains start; `None` if every chain has its own.
    superchains: Option<usize>,
    pub(super) start: StartValues,
    pub(super) starts: Starts,
}

impl MarkovChains {
    /// Four chains of 1000 draws.
    pub(super) fn new(kernel: impl Kernel, burn_in: usize, thin: usize) -> Self {
        Self {
            kernel: Arc::new(kernel),
            settings: Settings {
                length: Length {
                    chains: 4,
                    burn_in,
                    draws: 1000,
                },
                thin,
                superchains: None,
                start: StartValues::default(),
                starts: Starts::default(),
            },
            anchors: None,
            budget: Budget::default(),
        }
    }
}

impl Divisible for MarkovChains {}

impl AsMut<Length> for MarkovChains {
    fn as_mut(&mut self) -> &mut Length {
        &mut self.settings.length
    }
}

impl MakesDraws for MarkovChains {
    fn draws(&mut self) -> &mut usize {
        &mut self.settings.length.draws
    }
}

impl AsMut<Budget> for MarkovChains {
    fn as_mut(&mut self) -> &mut Budget {
        &mut self.budget
    }
}

impl AsMut<Option<AnchoredPrior>> for MarkovChains {
    fn as_mut(&mut self) -> &mut Option<AnchoredPrior> {
        &mut self.anchors
    }
}

impl<K, P> Chains<K, P> {
    /// Steps T from one kept draw to the next, at least 1; at most 10⁹ steps of a chain.
    pub fn thin(self, steps: usize) -> Self {
        self.set(|chains| chains.settings.thin = steps)
    }

    /// Number of different starting points, each shared by the same number of chains; by default every chain has its own.
    ///
    /// Chains that start at the same point are a superchain. If superchains differ, chains still depend on their starting points: nested
    /// R-hat ([`rhat::superchains`](crate::diagnose::rhat::superchains); Margossian et al. 2024) then takes the place of R-hat. It needs
    /// only one draw of each chain, so it can check many short chains, which R-hat cannot. Few points with many chains each, such as 16
    /// points of 64 chains, leave the least to chance.
    ///
    /// At least 2, and at most half of the chains, whose number is a multiple of it.
    pub fn superchains(self, superchains: usize) -> Self {
        self.set(|chains| chains.settings.superchains = Some(superchains))
    }

    /// Starts all chains at these values of some or all random quantities, row-major by name. The other quantities are drawn from the
    /// prior given these values, as without this method. `.start_at(&fit.values())` starts at a fit of the same model; for a model with
    /// params, pass only the sampled values. A second call replaces the first.
    ///
    /// Chains that start far apart reveal by R-hat where they do not mix; chains that start at one point may all miss the same mode. So
    /// give values only where prior draws are bad starting points: a scale with a very wide prior, the mode of a network.
    ///
    /// ```text
    /// Inference::nuts().start_at(&[("tau", &[1.0]), ("rates", &[0.1, 0.2, 0.1])])
    /// ```
    ///
    /// A run has the error [`Error::Values`] for names or lengths that the model does not have, and for a value outside its support or on
    /// its boundary, such as a scale of 0.
    #[doc(alias = "init")]
    #[doc(alias = "initvals")]
    pub fn start_at(self, values: &[(&str, &[f64])]) -> Self {
        self.set(|chains| chains.settings.start = StartValues::new(values))
    }

    /// How chains find their starting points: the likeliest of prior draws by default, or [`Starts::Pathfinder`], which cannot be used with
    /// [`start_at`](Chains::start_at).
    pub fn starts(self, starts: Starts) -> Self {
        self.set(|chains| chains.settings.starts = starts)
    }

    /// Whether to search after the draws for other maxima, where all chains may have missed a mode. `true` by default. The search takes a
    /// 25th of the gradients of the run, or up to 1000 of a short run. It is made for at most 16 chains, in at most 100 coordinates, by
    /// kernels that use gradients, of 100 draws or more, and not where the time of the run is over.
    pub fn search_beyond(self, search: bool) -> Self {
        self.set_common(|common| common.searches_beyond = search)
    }

    /// The kernel with its settings.
    pub fn kernel(self, kernel: K) -> Self
    where
        K: Kernel,
    {
        self.set(|chains| chains.kernel = Arc::new(kernel))
    }
}

impl Algorithm for MarkovChains {
    /// Groups of chains that are tuned together.
    fn units(&self) -> usize {
        self.settings.length.chains.div_ceil(GROUP)
    }

    fn memory(runner: &Runner<Self>, density: &dyn LogDensity) -> Option<Memory> {
        let sizes = Sizes::of(density);
        let share = runner.common.share_of(runner.own.units());
        Some(runner.groups(share, sizes).memory(sizes))
    }

    fn made(
        runner: &Runner<Self>,
        density: &dyn LogDensity,
        spool: Option<Spool>,
    ) -> Result<Made, Error> {
        with_prior(runner.own.anchors.as_ref(), density, |densities| {
            // chains have one anchor
            runner.run_with_prior(densities[0], spool)
        })
    }
}

impl Runner<MarkovChains> {
    /// This number of groups of the run.
    fn groups(&self, groups: u64, sizes: Sizes) -> ChainGroups {
        let chains = self.own.settings.length.chains.min(GROUP) as u64;
        // no window of the burn-in has more states than the whole burn-in
        let tuning = (self.own.settings.length.burn_in as u64).saturating_mul(chains * sizes.dim);
        let own = self.own.kernel.for_chains();
        let kernel = own.as_deref().unwrap_or(&*self.own.kernel);
        // with their gradients
        let copies = 1 + u64::from(kernel.fits_gradients());
        let tuning = tuning.saturating_mul(copies);
        ChainGroups {
            groups,
            chains,
            draws: self.own.settings.length.draws as u64,
            tuning,
            traces: 0,
            finished: Finished::All,
        }
    }

    /// The groups of chains that this process runs.
    fn share(&self) -> Result<Range<u64>, Error> {
        let (chains, all) = (self.own.settings.length.chains, self.own.units() as u64);
        let units =
            format!("{chains} chains are {all} groups of up to {GROUP} that are tuned together");
        self.common.share(0..all, &units)
    }

    fn run_with_prior(
        &self,
        density: &dyn LogDensity,
        spool: Option<Spool>,
    ) -> Result<Made, Error> {
        let start = Instant::now();
        let own = self.own.kernel.for_chains();
        let kernel = own.as_deref().unwrap_or(&*self.own.kernel);
        self.validate(density, kernel)?;
        let budget = self.own.budget;
        let clock = budget.clock(start, budget.deadline(start));
        self.own.budget.search(density, &self.common, &clock)?;
        let chains = self.own.settings.length.chains;
        let share = self.share()?;
        let observers = self.common.observers((share.end - share.start) as usize);
        let sizes = Sizes::of(density);
        let mut groups = self.groups(share.end - share.start, sizes);
        groups.finished = Finished::of(&self.common, spool.is_some());
        if budget.is_limited() {
            // no more draws than memory has room for
            groups.draws = groups.within(&self.common, sizes);
        }
        groups.check(&self.common, &observers, sizes)?;
        let mut shorter = self.own.settings.clone();
        let drawn = Drawn::new();
        let settings = self.settings_as_text(kernel, &self.own.settings);
        let mut journal = Journal::open(&self.common, &[density], &settings, &observers, spool)?;
        journal.stop_by(&clock);
        let outcome = clock.over(&[density], |timed| {
            let task = Task {
                settings: &self.own.settings,
                seed: self.common.seed,
                density,
                until_cut: timed[0],
                kernel,
                observer: &observers,
                drawn: &drawn,
                search: self.search(timed[0], kernel),
            };
            if budget.is_limited() {
                let most = (groups.groups, groups.draws);
                shorter.length.draws = self.fitting_draws(&task, &journal, most, start)?;
            }
            let task = Task {
                settings: &shorter,
                ..task
            };
            journal.run(share, |unit| {
                task.run(members(unit.number, GROUP, chains), unit)
            })
        });
        let mut outcome = outcome?;
        shorter.length.draws = outcome.cut(0..chains as u64, shorter.length.draws, &drawn)?;
        let settings = self.settings_as_text(kernel, &shorter);
        let weighting = (GroupKind::Chains, Weighting::Equal);
        let run = |groups| {
            clock.close_over(density, |density| {
                self.common
                    .run(density, kernel, weighting, settings, groups)
            })
        };
        Ok(outcome.made(&self.common, 0..chains as u64, run))
    }

    /// The search for other maxima after the draws, if there is one: among many chains that are tuned apart, R-hat sees what some have missed.
    fn search<'d>(&self, density: &'d dyn LogDensity, kernel: &dyn Kernel) -> Option<Search<'d>> {
        let is_wanted =
            self.common.searches_beyond && kernel.needs_gradient() && self.own.units() == 1;
        is_wanted.then_some(Search {
            density,
            seed: self.common.seed,
        })
    }

    /// Checks the settings, and that the kernel can move on the density.
    fn validate(&self, density: &dyn LogDensity, kernel: &dyn Kernel) -> Result<(), Error> {
        self.own.settings.validate()?;
        density.validate_for_sampling()?;
        let key = Key::new(self.common.seed, Purpose::Validation);
        self.own.settings.start.validate(density, key)?;
        if self.own.settings.starts == Starts::Pathfinder {
            let holds = self.own.settings.start.is_empty();
            let allowed = "left out with `.starts(Starts::Pathfinder)`, whose paths move away from the given values";
            Error::setting("start_at", "set", holds, allowed)?;
            require_gradient(density, ["starts", "pathfinder", "left out"])?;
        }
        kernel.validate(density)?;
        self.validate_budget(kernel)?;
        match kernel.needs_proper_prior() {
            Some(needed_for) => density.proper_prior(needed_for).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Limits need a burn-in that shows the cost of a draw, and a run whose length nothing else fixes.
    fn validate_budget(&self, kernel: &dyn Kernel) -> Result<(), Error> {
        let limit = match (self.own.budget.time, self.own.budget.gradients) {
            (Some(_), _) => "time_limit",
            (None, Some(_)) => "gradient_limit",
            (None, None) => return Ok(()),
        };
        let refused = |holds, allowed| Error::setting(limit, "set", holds, allowed);
        refused(
            self.own.settings.length.burn_in > 0,
            "used with a burn-in, which shows what a step costs",
        )?;
        refused(
            self.common.shard.is_none(),
            "used without `shard`: the parts would not know how many draws the others make",
        )?;
        refused(
            self.common.checkpoint.is_none(),
            "used without `checkpoint`: a run that goes on later would decide otherwise; `stop_when` ends it",
        )?;
        refused(
            self.own.budget.gradients.is_none() || kernel.needs_gradient(),
            "used with a kernel that uses gradients",
        )
    }

    /// The number of draws of each chain that fit into the budget, judged by the burn-in of the first group, which is kept.
    fn fitting_draws(
        &self,
        task: &Task<'_>,
        journal: &Journal<'_, State>,
        (groups, most): (u64, u64),
        start: Instant,
    ) -> Result<usize, Error> {
        let began = Instant::now();
        let unit = journal.unit(0, 0);
        let members = members(0, GROUP, self.own.settings.length.chains);
        let burnt_in = task.burn_in(members, &unit);
        let burnt_in = burnt_in.map_err(|error| journal.judged(error));
        let is_over = match &burnt_in {
            Err(Error::Cut) => true,
            Err(_) => false,
            Ok(found) => unit.has_cut() || found.is_none() && journal.is_late(),
        };
        if is_over {
            let steps = self.own.settings.length.burn_in;
            let reached = format!("the {steps} steps of the burn-in were not finished");
            let model = task.density.describe().name;
            return Err(self.own.budget.too_short(model, reached));
        }
        let Some(BurntIn {
            state,
            step,
            output,
            all,
        }) = burnt_in?
        else {
            return Ok(1);
        };
        journal.keep(0, state);
        // groups that are at work at the same time take turns on the threads
        let turns = groups.div_ceil(rayon::current_num_threads() as u64);
        let thin = self.own.settings.thin as u64;
        let each = Cost {
            time: (step.time * thin as u32 + output).mul_f64(turns as f64),
            gradients: step.gradients * thin * groups,
        };
        let others = groups - 1;
        let spent = Cost {
            time: start.elapsed() + began.elapsed().mul_f64(others.min(turns) as f64),
            gradients: all.gradients * groups,
        };
        Ok(self.own.budget.units(most, each, spent) as usize)
    }

    /// The settings that determine a result.
    fn settings_as_text(
        &self,
        kernel: &dyn Kernel,
        settings: &Settings,
    ) -> BTreeMap<String, String> {
        let mut texts = named_texts([
            ("chains", settings.length.chains.to_string()),
            ("kernel", format!("{kernel:?}")),
            ("burn_in", settings.length.burn_in.to_string()),
            ("draws", settings.length.draws.to_string()),
            ("thin", settings.thin.to_string()),
        ]);
        if let Some(superchains) = settings.superchains {
            texts.extend(named_texts([("superchains", superchains.to_string())]));
        }
        if let Some(start) = settings.start.describe() {
            texts.extend(named_texts([("start_at", start)]));
        }
        if settings.starts == Starts::Pathfinder {
            texts.extend(named_texts([("starts", "pathfinder".to_owned())]));
        }
        if let Some(anchors) = &self.own.anchors {
            anchors.describe(&mut texts);
        }
        texts
    }
}

/// The chains of a group. Every group has `size` chains, but the last may have fewer.
pub(super) fn members(group: u64, size: usize, chains: usize) -> Range<usize> {
    let first = group as usize * size;
    first..(first + size).min(chains)
}

impl Settings {
    fn validate(&self) -> Result<(), Error> {
        self.length.validate()?;
        let holds = (1..=MAX_STEPS / self.length.draws).contains(&self.thin);
        let allowed = "at least 1, and at most 1000000000 / `draws`";
        Error::setting("thin", self.thin, holds, allowed)?;
        let Some(superchains) = self.superchains else {
            return Ok(());
        };
        let chains = self.length.chains;
        let holds = (2..=chains / 2).contains(&superchains) && chains.is_multiple_of(superchains);
        let allowed =
            format!("at least 2, with equally many of the {chains} chains each, at least 2");
        Error::setting("superchains", superchains, holds, &allowed)
    }

    /// The superchain of a chain. Neighbouring chains are in different superchains, so that the chains of a group start from different
    /// points.
    pub(super) fn superchain(&self, chain: usize) -> Option<usize> {
        self.superchains.map(|superchains| chain % superchains)
    }
}
