//! Markov chains, serial or many in parallel: the papers' MCMC and MCMC∥.

pub(super) mod burn_in;
pub(super) mod group;
pub(super) mod record;
pub(super) mod start;
pub(super) mod step_size;

use crate::density::{LogDensity, Posterior};
use crate::engine::anchor::{
    AnchoredPrior, OwnPrior, PriorChoice, ScaleMode, SuitsPriorOf, with_prior,
};
use crate::engine::budget::{Budget, Cost};
use crate::engine::builder::{
    Common, common_setters, engine, named_texts, run_to_file, run_to_file_on, unit_setters,
};
use crate::engine::improper;
use crate::engine::memory::{ChainGroups, Finished, Sizes};
use crate::engine::save::checkpoint::Journal;
use crate::engine::save::outcome::Made;
use crate::error::Error;
use crate::kernel::{Kernel, Moves};
use crate::model::Model;
use crate::observe::Memory;
use crate::rng::{Key, Purpose};
use crate::run::{Fit, GroupKind, Run, RunFile, Spool, Weighting};
use group::{GROUP, State, Task};
use start::StartValues;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Builder of Markov-chain runs.
///
/// Every chain starts from the draw of highest likelihood among its own ten prior draws, so that a heavy-tailed prior does not start it
/// far out. With a [`Flat`](crate::dist::Flat) or a vague prior it starts from an unconstrained coordinate uniform on (-2, 2), with
/// [`start_at`](Self::start_at) from given values. The chain makes `burn_in` steps during which the kernel is tuned, then keeps `draws`
/// states, one every `thin` steps. Serial MCMC is one chain. The papers' MCMC∥ is many chains with `.draws(1)`: each keeps only its last
/// state, and more chains do not reduce the bias that remains after burn-in. With [`superchains`](Self::superchains) such a run shows
/// whether its chains have converged.
///
/// Chains are tuned in groups of 16 by their index, so that a long run of few chains and a short run of many chains
/// both adapt their step size and scales. The groups never communicate.
#[derive(Clone, Debug)]
#[must_use = "an engine does nothing until `.run(&model)`"]
pub struct Chains<K, P = OwnPrior> {
    runner: Runner,
    types: PhantomData<(K, P)>,
}

/// The builder without the types of kernel and prior, which only the bounds on models need. The code that runs chains is therefore
/// compiled once, not with every model.
#[derive(Clone, Debug)]
struct Runner {
    common: Common,
    kernel: Arc<dyn Kernel>,
    settings: Settings,
    anchors: Option<AnchoredPrior>,
    budget: Budget,
}

/// Maximum number of chains.
pub(super) const MAX_CHAINS: usize = 1_000_000;
/// Maximum number of steps of a chain, and of draws of a run: more would take years, or more memory than any machine has.
pub(super) const MAX_STEPS: usize = 1_000_000_000;

#[derive(Clone, Debug)]
pub(super) struct Settings {
    chains: usize,
    pub(super) burn_in: usize,
    pub(super) draws: usize,
    pub(super) thin: usize,
    /// Number of points from which chains start; `None` if every chain has its own.
    superchains: Option<usize>,
    pub(super) start: StartValues,
}

impl Runner {
    fn builder<K, P>(self) -> Chains<K, P> {
        Chains {
            runner: self,
            types: PhantomData,
        }
    }
}

impl<K: Kernel> Chains<K> {
    pub(super) fn new(engine: &'static str, kernel: K, burn_in: usize, thin: usize) -> Self {
        let settings = Settings {
            chains: 4,
            burn_in,
            draws: 1000,
            thin,
            superchains: None,
            start: StartValues::default(),
        };
        Runner {
            common: Common::new(engine),
            kernel: Arc::new(kernel),
            settings,
            anchors: None,
            budget: Budget::default(),
        }
        .builder()
    }

    /// Moves the model's Gaussian prior to the point of a fit and multiplies its variances by `scale`, above 0 and at most 1. At 1 the
    /// prior is the model's own. See [`Smc::anchor`](crate::engine::Smc::anchor).
    pub fn anchor(self, fit: &Fit, scale: f64) -> Chains<K, AnchoredPrior> {
        Runner {
            anchors: Some(AnchoredPrior::new([fit], scale)),
            ..self.runner
        }
        .builder()
    }
}

impl<K> Chains<K, AnchoredPrior> {
    /// Whether the scale of the anchored prior multiplies variances (the default) or standard deviations.
    pub fn scale_mode(mut self, mode: ScaleMode) -> Self {
        self.runner.anchors = self.runner.anchors.map(|prior| prior.mode(mode));
        self
    }
}

impl<K, P> Chains<K, P> {
    /// Number of chains, from 1 to a million.
    pub fn chains(mut self, chains: usize) -> Self {
        self.runner.settings.chains = chains;
        self
    }

    /// Steps B before the first draw is kept, during which the kernel is tuned; at most 10⁹.
    #[doc(alias = "warmup")]
    #[doc(alias = "tune")]
    pub fn burn_in(mut self, steps: usize) -> Self {
        self.runner.settings.burn_in = steps;
        self
    }

    /// Draws kept of each chain, at least 1; at most 10⁹ of all chains together.
    pub fn draws(mut self, draws: usize) -> Self {
        self.runner.settings.draws = draws;
        self
    }

    /// Steps T from one kept draw to the next, at least 1; at most 10⁹ steps of a chain.
    pub fn thin(mut self, steps: usize) -> Self {
        self.runner.settings.thin = steps;
        self
    }

    /// The approximate time of a run: makes only as many of [`Chains::draws`] as fit, at least one of each chain.
    ///
    /// A burn-in that is not finished after one and a half times the limit ends the run with [`Error::TimeLimit`].
    ///
    /// The burn-in of the first group of chains shows the cost of a step. The number of draws is then decided, the same for all chains
    /// and before any draw is seen. The result equals a run with that number of draws, so the limit causes no bias beyond the bias of
    /// short chains, which R-hat shows. A rerun may make another number of draws. The limit needs some burn-in. It is not for parts of a
    /// run or for folders of checkpoints, where [`Chains::stop_when`] ends a run that goes on later.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.runner.budget.time = Some(limit);
        self
    }

    /// The approximate number of gradients of a run with its burn-in. Same as [`Chains::time_limit`], but the number of draws is the same
    /// in every rerun. For kernels that use gradients.
    pub fn gradient_limit(mut self, limit: u64) -> Self {
        self.runner.budget.gradients = Some(limit);
        self
    }

    /// Number of different starting points, each shared by the same number of chains; by default every chain has its own.
    ///
    /// Chains that start at the same point are a superchain. If superchains differ, chains still depend on their starting points: nested
    /// R-hat ([`rhat::superchains`](crate::diagnose::rhat::superchains); Margossian et al. 2024) then takes the place of R-hat. It needs
    /// only one draw of each chain, so it can check many short chains, which R-hat cannot. Few points with many chains each, such as 16
    /// points of 64 chains, leave the least to chance.
    ///
    /// At least 2, and at most half of the chains, whose number is a multiple of it.
    pub fn superchains(mut self, superchains: usize) -> Self {
        self.runner.settings.superchains = Some(superchains);
        self
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
    pub fn start_at(mut self, values: &[(&str, &[f64])]) -> Self {
        self.runner.settings.start = StartValues::new(values);
        self
    }

    /// The kernel with its settings.
    pub fn kernel(mut self, kernel: K) -> Self
    where
        K: Kernel,
    {
        self.runner.kernel = Arc::new(kernel);
        self
    }

    common_setters!(runner.common);
    unit_setters!();

    /// Runs the chains on `model`.
    ///
    /// # Errors
    /// Before the first move: a setting out of range, an instruction set that the processor does not support, data that do not fit the
    /// model, or no starting point with finite density in 100 prior draws.
    pub fn run<Mo: Model>(&self, model: &Mo) -> Result<Run, Error>
    where
        K: Moves<Mo>,
        P: SuitsPriorOf<Mo>,
    {
        let posterior = Posterior::with(
            model,
            self.runner.common.seed,
            self.runner.common.arithmetic,
        )?;
        self.run_on(&posterior)
    }

    run_to_file!(Mo: K: Moves<Mo>, P: SuitsPriorOf<Mo>);
}

impl<K: Kernel, P: PriorChoice> Chains<K, P> {
    /// Runs the chains on a density.
    ///
    /// # Errors
    /// Same as [`Chains::run`]; [`Error::NoPrior`] if the kernel needs a prior and the density has none.
    pub fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error> {
        Ok(self.runner.made(density, None)?.run)
    }

    run_to_file_on!();

    fn spooled(&self, density: &dyn LogDensity, spool: Spool) -> Result<Made, Error> {
        self.runner.made(density, Some(spool))
    }
}

impl Runner {
    fn made(&self, density: &dyn LogDensity, spool: Option<Spool>) -> Result<Made, Error> {
        with_prior(self.anchors.as_ref(), density, |densities| {
            // chains have one anchor
            self.run_with_prior(densities[0], spool)
        })
    }

    /// Groups of chains that are tuned together.
    fn units(&self) -> usize {
        self.settings.chains.div_ceil(GROUP)
    }

    /// This number of groups of the run.
    fn groups(&self, groups: u64, sizes: Sizes) -> ChainGroups {
        let chains = self.settings.chains.min(GROUP) as u64;
        // no window of the burn-in has more states than the whole burn-in
        let tuning = (self.settings.burn_in as u64).saturating_mul(chains * sizes.dim);
        let own = self.kernel.for_chains();
        let kernel = own.as_deref().unwrap_or(&*self.kernel);
        // with their gradients
        let copies = 1 + u64::from(kernel.fits_gradients());
        let tuning = tuning.saturating_mul(copies);
        ChainGroups {
            groups,
            chains,
            draws: self.settings.draws as u64,
            tuning,
            traces: 0,
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

    fn run_with_prior(
        &self,
        density: &dyn LogDensity,
        spool: Option<Spool>,
    ) -> Result<Made, Error> {
        let start = Instant::now();
        self.settings.validate()?;
        density.validate_for_sampling()?;
        let key = Key::new(self.common.seed, Purpose::Validation);
        self.settings.start.validate(density, key)?;
        let own = self.kernel.for_chains();
        let kernel = own.as_deref().unwrap_or(&*self.kernel);
        kernel.validate(density)?;
        self.validate_budget(kernel)?;
        if let Some(needed_for) = kernel.needs_proper_prior() {
            density.proper_prior(needed_for)?;
        }
        improper::check(density, &self.common)?;
        let chains = self.settings.chains;
        let all = self.units() as u64;
        let units =
            format!("{chains} chains are {all} groups of up to {GROUP} that are tuned together");
        let share = self.common.share(0..all, &units)?;
        let observers = self.common.observers((share.end - share.start) as usize);
        let sizes = Sizes::of(density);
        let mut groups = self.groups(share.end - share.start, sizes);
        groups.finished = Finished::of(&self.common, spool.is_some());
        if self.budget.is_limited() {
            // no more draws than memory has room for
            groups.draws = groups.within(&self.common, sizes);
        }
        groups.check(&self.common, &observers, sizes)?;
        let mut shorter = self.settings.clone();
        let most = groups.draws;
        let task = Task {
            settings: &self.settings,
            seed: self.common.seed,
            density,
            kernel,
            observer: &observers,
        };
        let settings = self.settings_as_text(kernel, &self.settings);
        let journal = Journal::open(&self.common, &[density], &settings, &observers, spool)?;
        if self.budget.is_limited() {
            let groups = share.end - share.start;
            shorter.draws = self.fitting_draws(&task, &journal, (groups, most), start)?;
        }
        let task = Task {
            settings: &shorter,
            ..task
        };
        let settings = self.settings_as_text(kernel, &shorter);
        let outcome = journal.run(share, |unit| {
            task.run(members(unit.number, GROUP, chains), unit)
        })?;
        let weighting = (GroupKind::Chains, Weighting::Equal);
        let run = |groups| {
            self.common
                .run(density, kernel, weighting, settings, groups)
        };
        Ok(outcome.made(&self.common, 0..chains as u64, run))
    }

    /// Limits need a burn-in that shows the cost of a draw, and a run whose length nothing else fixes.
    fn validate_budget(&self, kernel: &dyn Kernel) -> Result<(), Error> {
        let limit = match (self.budget.time, self.budget.gradients) {
            (Some(_), _) => "time_limit",
            (None, Some(_)) => "gradient_limit",
            (None, None) => return Ok(()),
        };
        let refused = |holds, allowed| Error::setting(limit, "set", holds, allowed);
        refused(
            self.settings.burn_in > 0,
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
            self.budget.gradients.is_none() || kernel.needs_gradient(),
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
        let members = members(0, GROUP, self.settings.chains);
        journal.stop_at(self.budget.deadline(start));
        let burnt_in = task.burn_in(members, &unit)?;
        if burnt_in.is_none() && journal.is_late() {
            let steps = self.settings.burn_in;
            let reached = format!("the {steps} steps of the burn-in were not finished");
            let model = task.density.describe().name;
            return Err(self.budget.too_short(model, reached));
        }
        // the number of draws is the number that fits
        journal.stop_at(None);
        let Some((state, [step, all])) = burnt_in else {
            return Ok(1);
        };
        journal.keep(0, state);
        // groups that are at work at the same time take turns on the threads
        let turns = groups.div_ceil(rayon::current_num_threads() as u64);
        let thin = self.settings.thin as u64;
        let each = Cost {
            time: step.time.mul_f64((thin * turns) as f64),
            gradients: step.gradients * thin * groups,
        };
        let others = groups - 1;
        let spent = Cost {
            time: start.elapsed() + began.elapsed().mul_f64(others.min(turns) as f64),
            gradients: all.gradients * groups,
        };
        Ok(self.budget.units(most, each, spent) as usize)
    }

    /// The settings that determine a result.
    fn settings_as_text(
        &self,
        kernel: &dyn Kernel,
        settings: &Settings,
    ) -> BTreeMap<String, String> {
        let mut texts = named_texts([
            ("chains", settings.chains.to_string()),
            ("kernel", format!("{kernel:?}")),
            ("burn_in", settings.burn_in.to_string()),
            ("draws", settings.draws.to_string()),
            ("thin", settings.thin.to_string()),
        ]);
        if let Some(superchains) = settings.superchains {
            texts.extend(named_texts([("superchains", superchains.to_string())]));
        }
        if let Some(start) = settings.start.describe() {
            texts.extend(named_texts([("start_at", start)]));
        }
        if let Some(anchors) = &self.anchors {
            anchors.describe(&mut texts);
        }
        texts
    }
}

engine!(Chains);

/// The chains of a group. Every group has `size` chains, but the last may have fewer.
pub(super) fn members(group: u64, size: usize, chains: usize) -> Range<usize> {
    let first = group as usize * size;
    first..(first + size).min(chains)
}

/// Checks the numbers of chains, of steps of burn-in and of draws.
pub(super) fn validate_length(chains: usize, burn_in: usize, draws: usize) -> Result<(), Error> {
    let holds = (1..=MAX_CHAINS).contains(&chains);
    Error::setting("chains", chains, holds, "from 1 to 1000000")?;
    let holds = (1..=MAX_STEPS / chains).contains(&draws);
    let allowed = "from 1 to 1000000000 in all chains together";
    Error::setting("draws", draws, holds, allowed)?;
    let holds = burn_in <= MAX_STEPS;
    Error::setting("burn_in", burn_in, holds, "at most 1000000000")
}

impl Settings {
    fn validate(&self) -> Result<(), Error> {
        validate_length(self.chains, self.burn_in, self.draws)?;
        let holds = (1..=MAX_STEPS / self.draws).contains(&self.thin);
        let allowed = "at least 1, and at most 1000000000 / `draws`";
        Error::setting("thin", self.thin, holds, allowed)?;
        let Some(superchains) = self.superchains else {
            return Ok(());
        };
        let chains = self.chains;
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
