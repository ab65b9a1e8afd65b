//! Runs that continue until their estimates are precise enough.

use crate::density::{LogDensity, Posterior};
use crate::engine::{Common, Engine, PriorChoice, ROUND, Smc, SuitsPriorOf};
use crate::error::Error;
use crate::kernel::{Kernel, Moves};
use crate::model::Model;
use crate::observe::Memory;
use crate::run::{PRECISION_MISSED, Run, RunError, RunFile};
use std::ops::Range;
use std::path::Path;

mod precision;
mod streamed;
#[cfg(test)]
mod tests;

pub use precision::Precision;

use precision::What;

/// The maximum number of islands, unless [`Until::at_most`] sets another.
const MOST: usize = 1000;
/// Minimum number of islands whose standard error may end a run: with fewer, the spread is too often too small by chance.
const LEAST: u64 = 16;

/// An SMC engine that adds islands until its estimates are precise enough; [`Smc::until`] makes it.
#[derive(Clone, Debug)]
#[must_use = "an engine does nothing until `.run(..)`"]
pub struct Until<K, P> {
    smc: Smc<K, P>,
    wanted: Vec<Precision>,
    most: usize,
}

impl<K: Kernel, P: PriorChoice> Smc<K, P> {
    /// Adds islands until an estimate has the wanted standard error: first the number of [`Smc::islands`], at least 16, then half as many
    /// again, and so on, at most 1000 ([`Until::at_most`]). Islands are counted in order, and a round is always finished. The result
    /// therefore does not depend on the number of threads and equals a run with this number of islands.
    ///
    /// ```text
    /// let run = Inference::psmc().until(Precision::log_evidence(0.05)).until(Precision::mean("mu", 0.01)).run(&model)?;
    /// ```
    ///
    /// Unlike a limit of time, this rule looks at the results: rounds end earlier where the islands happen to agree. The effect on the
    /// evidence is small. In 10,000 simulated runs with log-normal evidences of the islands (coefficient of variation 1, wanted 0.1), the
    /// mean of the estimated evidence is too small by 0.0079 ± 0.0009 of itself, a twelfth of its standard error. Of the 95% intervals,
    /// 94.9% hold the truth (a test bounds both). If no bias is acceptable, take the number of islands from one run and make another run
    /// with a new seed and this number.
    ///
    /// With a folder of checkpoints every round has its own subfolder. With [`Smc::memory_limit`] the number of islands stays within
    /// memory.
    pub fn until(self, precision: Precision) -> Until<K, P> {
        Until {
            smc: self,
            wanted: vec![precision],
            most: MOST,
        }
    }
}

impl<K: Kernel + Clone, P: PriorChoice + Clone> Until<K, P> {
    /// Another estimate with a wanted precision; all must reach theirs.
    pub fn until(mut self, precision: Precision) -> Self {
        self.wanted.push(precision);
        self
    }

    /// The maximum number of islands; if they are not enough, the run has a warning.
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
    /// As [`Smc::run_on`]; [`Error::Setting`] for a standard error that is not above 0, for no islands, and together with [`Smc::shard`]
    /// or [`Smc::interacting`], whose islands cannot be added to; [`RunError::UnknownName`], before the run, for a quantity that the
    /// model does not have.
    pub fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error> {
        let islands = |numbers| self.round(numbers).run_on(density);
        self.grown_on(density, false, islands)
    }

    /// The engine of some of the islands.
    fn round(&self, numbers: Range<u64>) -> Smc<K, P> {
        let folder = format!("{ROUND}{}", numbers.start);
        let is_first = numbers.start == 0;
        let mut smc = self.smc.clone().island_range(numbers);
        let common = smc.settings_of_all();
        if let Some(folders) = &mut common.checkpoint {
            folders.push(folder);
        }
        // the first round has searched
        common.checks_propriety &= is_first;
        smc
    }

    /// Rounds of islands until they are precise enough, and whether their draws leave memory.
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

    /// The memory of the maximum number of islands.
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

/// The run of the first islands, joined by half as many again until `is_reached` or `most` islands.
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
            // the islands of earlier rounds are there
            Err(Error::Stopped { finished: 0, .. }) => run.is_stopped = true,
            Err(error) => return Err(error),
        }
        made = next;
    }
    // a run that was not stopped has all its islands
    run.part_of = run.is_stopped.then_some(0..made);
    Ok(run)
}
