//! Runs that go on until what they estimate is known well enough.

use crate::density::{LogDensity, Posterior};
use crate::diagnose::Estimate;
use crate::engine::{Common, Engine, Made, PriorChoice, ROUND, Smc, SuitsPriorOf};
use crate::error::Error;
use crate::kernel::{Kernel, Moves};
use crate::model::Model;
use crate::observe::Memory;
use crate::run::{
    Group, Layout, PRECISION_MISSED, Run, RunError, RunFile, Selection, Spool, Statistics,
};
use std::ops::Range;
use std::path::Path;

#[cfg(test)]
mod tests;

/// The most islands, unless [`Until::at_most`] sets another number.
const MOST: usize = 1000;
/// Islands from which a standard error is trusted to end a run: fewer have a spread that is too small by chance too often.
const LEAST: u64 = 16;

/// What is to be known, and how well.
#[derive(Clone, Debug, PartialEq)]
pub struct Precision {
    what: What,
    se: f64,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    LogEvidence,
    Mean(String),
}

impl Precision {
    /// The log evidence with this standard error.
    #[must_use]
    pub fn log_evidence(se: f64) -> Self {
        let what = What::LogEvidence;
        Self { what, se }
    }

    /// The posterior means of all elements of a quantity with this standard error.
    #[must_use]
    pub fn mean(name: impl Into<String>, se: f64) -> Self {
        let what = What::Mean(name.into());
        Self { what, se }
    }

    /// Whether a run has it.
    fn is_reached(&self, run: &Run) -> Result<bool, RunError> {
        let estimates: Vec<Estimate> = match &self.what {
            What::LogEvidence => run.log_evidence_estimate().into_iter().collect(),
            What::Mean(name) => run.mean_estimates(name)?,
        };
        // an unknown error is not small
        Ok(!estimates.is_empty() && estimates.iter().all(|estimate| estimate.se <= self.se))
    }

    fn in_words(&self) -> String {
        let se = self.se;
        match &self.what {
            What::LogEvidence => format!("log evidence ± {se}"),
            What::Mean(name) => format!("mean of {name} ± {se}"),
        }
    }
}

/// An SMC engine that adds islands until its estimates are precise enough; [`Smc::until`] makes it.
#[derive(Clone, Debug)]
#[must_use = "an engine does nothing until `.run(..)`"]
pub struct Until<K, P> {
    smc: Smc<K, P>,
    wanted: Vec<Precision>,
    most: usize,
}

impl<K: Kernel, P: PriorChoice> Smc<K, P> {
    /// Adds islands until an estimate has the wanted standard error: first those of [`Smc::islands`], at least 16, then half as many again, and so on,
    /// at most 1000 ([`Until::at_most`]). Islands are counted in their order and a round is always finished, so the result does not depend on the
    /// number of threads, and is that of a run with this many islands.
    ///
    /// ```text
    /// let run = Inference::psmc().until(Precision::log_evidence(0.05)).until(Precision::mean("mu", 0.01)).run(&model)?;
    /// ```
    ///
    /// Unlike a limit of time, this stop looks at the results: rounds end earlier where the islands happen to agree. What that does to the
    /// evidence is small: in 10,000 simulated runs whose islands have log-normal evidences with a coefficient of variation of 1, wanted 0.1, the
    /// mean of the estimated evidence is too small by 0.0079 ± 0.0009 of itself, a twelfth of its standard error, and 94.9% of the 95%
    /// intervals hold the truth (a test bounds both). Where nothing may be lost, take the number of islands from
    /// one run and make another with a new seed and this number.
    ///
    /// With a folder of checkpoints every round has a folder within it. With [`Smc::memory_limit`] no more islands are made than fit.
    pub fn until(self, precision: Precision) -> Until<K, P> {
        Until {
            smc: self,
            wanted: vec![precision],
            most: MOST,
        }
    }
}

impl<K: Kernel + Clone, P: PriorChoice + Clone> Until<K, P> {
    /// Another estimate that is to be precise; all must be.
    pub fn until(mut self, precision: Precision) -> Self {
        self.wanted.push(precision);
        self
    }

    /// The most islands; if they are not enough, the run has a warning.
    pub fn at_most(mut self, islands: usize) -> Self {
        self.most = islands;
        self
    }

    /// Runs the sampler on `model`.
    ///
    /// # Errors
    /// As [`Smc::run`], and as [`run_on`](Self::run_on).
    pub fn run<Mo: Model>(&self, model: &Mo) -> Result<Run, Error>
    where
        K: Moves<Mo>,
        P: SuitsPriorOf<Mo>,
    {
        let common = self.smc.common();
        let posterior = Posterior::with(model, common.seed, common.arithmetic)?;
        self.run_on(&posterior)
    }

    /// Runs the sampler on a density.
    ///
    /// # Errors
    /// As [`Smc::run_on`]; [`Error::Setting`] for a standard error that is not above 0, for no islands, and together with
    /// [`Smc::shard`] or [`Smc::interacting`], whose islands cannot be added to; [`RunError::UnknownName`] for a quantity that the model does not
    /// have, before the run.
    pub fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error> {
        let islands = |numbers| self.round(numbers).run_on(density);
        self.grown_on(density, false, islands)
    }

    /// As [`run`](Self::run), with the draws in a file; see [`Smc::run_to_file`]. What the estimates need stays in memory: the gains of each island
    /// for the log evidence, the draws of a quantity for its mean. A limit of memory does not count them.
    ///
    /// # Errors
    /// Those of [`run`](Self::run) and [`Smc::run_to_file`].
    pub fn run_to_file<Mo: Model>(
        &self,
        model: &Mo,
        path: impl AsRef<Path>,
    ) -> Result<RunFile, Error>
    where
        K: Moves<Mo>,
        P: SuitsPriorOf<Mo>,
    {
        let common = self.smc.common();
        let posterior = Posterior::with(model, common.seed, common.arithmetic)?;
        self.run_to_file_on(&posterior, path)
    }

    /// As [`run_on`](Self::run_on), with the draws in a file; see [`run_to_file`](Self::run_to_file).
    ///
    /// # Errors
    /// Those of [`run_on`](Self::run_on) and of the file.
    pub fn run_to_file_on(
        &self,
        density: &dyn LogDensity,
        path: impl AsRef<Path>,
    ) -> Result<RunFile, Error> {
        let path = path.as_ref();
        Run::may_save(path)?;
        let mut streamed = Streamed {
            spool: Some(Spool::beside(path)?),
            layout: density.describe().layout,
            is_saved: false,
        };
        let islands = |numbers| self.streamed_round(density, numbers, &mut streamed);
        let seen = self.grown_on(density, true, islands)?;
        let run = Run {
            layout: streamed.layout,
            groups: Vec::new(),
            ..seen
        };
        let made = Made {
            run,
            spool: streamed.spool,
            is_saved: streamed.is_saved,
        };
        made.into_file(path, self.smc.common())
    }

    /// Islands whose draws go to the file. The run has what tells how precise the estimates are, and no more.
    fn streamed_round(
        &self,
        density: &dyn LogDensity,
        numbers: Range<u64>,
        streamed: &mut Streamed,
    ) -> Result<Run, Error> {
        // after an error there is no other round
        let spool = streamed.spool.take().expect("a round gives it back");
        let first = spool.len();
        let round = self.round(numbers.clone()).spooled(density, spool);
        let made = round.map_err(|error| with_earlier(error, &numbers))?;
        // `validate` refuses islands that interact, which would stay in memory
        let mut spool = made.spool.expect("it was given one");
        let watched = Selection::of(&made.run, self.quantities())?;
        let groups = spool.after(first).map(|group| Ok(bare(&watched, group?)));
        let groups = groups.collect::<Result<Vec<Group>, RunError>>()?;
        let run = Run {
            layout: watched.layout(),
            groups,
            ..made.run.clone()
        };
        *streamed = Streamed {
            spool: Some(spool),
            layout: made.run.layout,
            is_saved: made.is_saved,
        };
        Ok(run)
    }

    /// The engine of some of the islands.
    fn round(&self, numbers: Range<u64>) -> Smc<K, P> {
        let folder = format!("{ROUND}{}", numbers.start);
        let mut smc = self.smc.clone().island_range(numbers);
        if let Some(folders) = &mut smc.settings_of_all().checkpoint {
            folders.push(folder);
        }
        smc
    }

    /// Rounds of islands until they are precise enough; whether their draws leave memory.
    fn grown_on(
        &self,
        density: &dyn LogDensity,
        streams: bool,
        islands: impl FnMut(Range<u64>) -> Result<Run, Error>,
    ) -> Result<Run, Error> {
        self.validate(density)?;
        let (most, memory) = self.smc.within_memory(density, self.most as u64, streams);
        let observers = &self.smc.common().observers;
        observers.iter().for_each(|o| o.memory(&memory));
        let first = self.smc.units() as u64;
        let mut run = grown(islands, |run| self.is_reached(run), first, most)?;
        if !run.is_stopped && !self.is_reached(&run)? {
            let wanted = self.wanted.iter().map(Precision::in_words);
            let wanted = wanted.collect::<Vec<_>>().join(", ");
            run.settings.insert(PRECISION_MISSED.to_owned(), wanted);
        }
        Ok(run)
    }

    /// The quantities whose means are wanted, each once.
    fn quantities(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for Precision { what, .. } in &self.wanted {
            if let What::Mean(name) = what
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        }
        names
    }

    fn is_reached(&self, run: &Run) -> Result<bool, RunError> {
        for precision in &self.wanted {
            if !precision.is_reached(run)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn validate(&self, density: &dyn LogDensity) -> Result<(), Error> {
        let layout = density.describe().layout;
        for Precision { what, se } in &self.wanted {
            Error::setting("until", se, *se > 0.0, "a standard error above 0")?;
            if let What::Mean(name) = what
                && layout.find(name).is_none()
            {
                return Err(RunError::unknown_name(name, layout.names()).into());
            }
        }
        Error::setting("at_most", self.most, self.most >= 1, "at least 1")?;
        let is_shard = self.smc.common().shard.is_some();
        let allowed = "without `shard`: parts do not know when the whole is precise enough";
        Error::setting("until", self.wanted[0].se, !is_shard, allowed)?;
        let allowed = "without `interacting`: to islands that interact no others can be added";
        Error::setting(
            "until",
            self.wanted[0].se,
            !self.smc.is_interacting(),
            allowed,
        )
    }
}

impl<K: Kernel + Clone, P: PriorChoice + Clone> Engine for Until<K, P> {
    fn common(&self) -> &Common {
        self.smc.common()
    }

    fn common_mut(&mut self) -> &mut Common {
        self.smc.settings_of_all()
    }

    /// That of the most islands that may be made.
    fn memory(&self, density: &dyn LogDensity) -> Option<Memory> {
        let most = self.most as u64;
        Some(self.smc.within_memory(density, most, false).1)
    }

    fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error> {
        Self::run_on(self, density)
    }

    fn run_to_file_on(&self, density: &dyn LogDensity, path: &Path) -> Result<RunFile, Error> {
        Self::run_to_file_on(self, density, path)
    }
}

/// A run whose draws go to a file, between two rounds.
struct Streamed {
    /// `None` while a round has it.
    spool: Option<Spool>,
    /// That of all quantities.
    layout: Layout,
    /// Whether the folders of checkpoints have all islands.
    is_saved: bool,
}

/// What of an island tells how precise the estimates are.
fn bare(watched: &Selection, group: Group) -> Group {
    let group = match watched.is_empty() {
        // its gains tell
        true if !group.gains.is_empty() => Group {
            ancestors: Vec::new(),
            log_weights: Vec::new(),
            ..group
        },
        _ => group,
    };
    Group {
        log_prior: Vec::new(),
        log_likelihood: Vec::new(),
        statistics: Statistics::default(),
        history: Vec::new(),
        ..watched.of_group(group)
    }
}

/// The error of a round after others. It is told that it was stopped only if the folder of checkpoints has the islands of all rounds.
fn with_earlier(error: Error, numbers: &Range<u64>) -> Error {
    let earlier = numbers.start as usize;
    match error {
        Error::Stopped { finished, units } => Error::Stopped {
            finished: finished + earlier,
            units: units + earlier,
        },
        other => other,
    }
}

/// The run of the first islands, joined by half as many again until `is_reached` or `most` are there.
fn grown(
    mut islands: impl FnMut(Range<u64>) -> Result<Run, Error>,
    is_reached: impl Fn(&Run) -> Result<bool, RunError>,
    first: u64,
    most: u64,
) -> Result<Run, Error> {
    let mut made = first.max(LEAST).min(most);
    let mut run = islands(0..made)?;
    while !run.is_stopped && made < most && !is_reached(&run)? {
        let next = (made + made / 2 + 1).min(most);
        match islands(made..next) {
            Ok(more) => {
                run.is_stopped = more.is_stopped;
                run.groups.extend(more.groups);
            }
            // those of the rounds before are there
            Err(Error::Stopped { finished: 0, .. }) => run.is_stopped = true,
            Err(error) => return Err(error),
        }
        made = next;
    }
    // of a run that was not stopped, these are all islands
    run.part_of = run.is_stopped.then_some(0..made);
    Ok(run)
}
