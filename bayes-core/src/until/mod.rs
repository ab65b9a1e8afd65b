//! Runs that continue until their estimates are precise enough.

use crate::density::LogDensity;
use crate::engine::{Algorithm, Builder, IslandNumbers, Made, ParallelSmc, ROUND, Runner, Smc};
use crate::error::Error;
use crate::observe::Memory;
use crate::run::{PRECISION_MISSED, Run, RunError, Spool};
use std::ops::Range;
use std::time::{Duration, Instant};

mod precision;
mod streamed;
#[cfg(test)]
mod tests;

pub use precision::Precision;

use precision::What;

/// The maximum number of islands, unless [`Until::at_most`] sets another.
const MOST: usize = 1000;
/// The number of islands of the first round, unless [`Smc::islands`] sets another.
const FIRST: u64 = 2;
/// A round adds at least one of this number of islands, so that rounds are few.
const SHARE: u64 = 8;

/// An SMC engine that adds islands until its estimates are precise enough; [`Smc::until`] makes it.
///
/// A run has the errors of [`Smc::run_on`]. A standard error that is not above 0, a limit of no islands, and [`Smc::shard`] or
/// [`Smc::interacting`], whose islands cannot be added to, are settings out of range. [`RunError::UnknownName`], before the run, names a
/// quantity that the model does not have.
///
/// With its draws in a file ([`Smc::run_to_file`]), the data for the estimates stay in memory: the gains of each island for the log
/// evidence, the draws of a quantity for its mean. A memory limit does not count them.
pub type Until<K, P> = Builder<Rounds, K, P>;

/// Rounds of islands.
#[derive(Clone, Debug)]
pub struct Rounds {
    smc: ParallelSmc,
    wanted: Vec<Precision>,
    most: usize,
}

impl<K, P> Smc<K, P> {
    /// Adds islands until an estimate has the wanted standard error: first 2, or the number that was set by [`Smc::islands`], then as many as
    /// the error so far asks for. A round adds at least an eighth and at most doubles them, up to 1000 islands ([`Until::at_most`]). Islands are
    /// counted in order, and a round is always finished. The result therefore does not depend on the number of threads and equals a run with
    /// this number of islands.
    ///
    /// A standard error by few islands may be small by chance. So a run ends where the 95% interval by Student's t is as short as by a wanted
    /// standard error that is known, and never by an error of fewer than 3 degrees of freedom. Islands know more of their errors than their
    /// spread, by the gains of their families.
    ///
    /// ```text
    /// let run = Inference::psmc().until(Precision::log_evidence(0.05)).until(Precision::mean("mu", 0.01)).run(&model)?;
    /// ```
    ///
    /// Unlike a limit of time, this rule looks at the results: rounds end earlier where the islands happen to agree. The effect on the
    /// evidence is small. In 1000 simulated runs with log-normal evidences of the islands (coefficient of variation 1, wanted 0.1), which know
    /// nothing of their errors, the mean of the estimated evidence is too small by 0.007 ± 0.003 of itself, and 94.8% of the 95% intervals hold
    /// the truth, with 111 islands where 100 have the error. Where islands know their errors, and 2, 4, 10 or 40 have the wanted one, runs make
    /// 2.6, 4.6, 10.8 and 41.6, and 94.1 to 94.9% of the intervals hold the truth (tests bound all of these). If no bias is acceptable, take the
    /// number of islands from one run and make another run with a new seed and this number.
    ///
    /// With [`Smc::time_limit`] no round begins after the limit, and each round has the time that is left.
    ///
    /// With a folder of checkpoints every round has its own subfolder. With [`Smc::memory_limit`] the number of islands stays within
    /// memory.
    pub fn until(self, precision: Precision) -> Until<K, P> {
        self.with(|smc| Rounds {
            smc,
            wanted: vec![precision],
            most: MOST,
        })
    }
}

impl<K, P> Until<K, P> {
    /// Another estimate with a wanted precision; all must reach theirs.
    pub fn until(self, precision: Precision) -> Self {
        self.set(|rounds| rounds.wanted.push(precision))
    }

    /// The maximum number of islands; if they are not enough, the run has a warning.
    pub fn at_most(self, islands: usize) -> Self {
        self.set(|rounds| rounds.most = islands)
    }
}

impl Algorithm for Rounds {
    /// The memory of the maximum number of islands.
    fn memory(runner: &Runner<Self>, density: &dyn LogDensity) -> Option<Memory> {
        let most = runner.own.most as u64;
        Some(runner.whole().within_memory(density, most, false).1)
    }

    fn made(
        runner: &Runner<Self>,
        density: &dyn LogDensity,
        spool: Option<Spool>,
    ) -> Result<Made, Error> {
        if let Some(spool) = spool {
            return runner.streamed(density, spool);
        }
        let start = Instant::now();
        let islands = |numbers: Range<u64>| {
            let is_first = numbers.start == 0;
            let round = runner.round(numbers, start);
            let made = ParallelSmc::made(&round, density, None);
            let made = made.map_err(|error| match error {
                Error::TimeLimit { .. } if !is_first => Error::Stopped {
                    finished: 0,
                    units: 0,
                },
                error => error,
            });
            Ok(made?.run)
        };
        Ok(Made::of(runner.grown_on(
            density,
            (false, start),
            islands,
        )?))
    }
}

impl Runner<Rounds> {
    /// The engine of all islands.
    fn whole(&self) -> Runner<ParallelSmc> {
        Runner {
            common: self.common.clone(),
            own: self.own.smc.clone(),
        }
    }

    /// The limit of time, if there is one.
    fn time(&self) -> Option<Duration> {
        self.own.smc.time()
    }

    /// The engine of some of the islands of a run that began at `start`.
    fn round(&self, numbers: Range<u64>, start: Instant) -> Runner<ParallelSmc> {
        let folder = format!("{ROUND}{}", numbers.start);
        let is_first = numbers.start == 0;
        let mut round = self.whole();
        if let Some(limit) = self.time() {
            round.own.limit_time(limit.saturating_sub(start.elapsed()));
        }
        *round.own.as_mut() = IslandNumbers::part(numbers);
        if let Some(folders) = &mut round.common.checkpoint {
            folders.push(folder);
        }
        // the first round has searched
        round.common.checks_propriety &= is_first;
        round
    }

    /// Rounds of islands until they are precise enough, and whether their draws leave memory.
    fn grown_on(
        &self,
        density: &dyn LogDensity,
        (streams, start): (bool, Instant),
        islands: impl FnMut(Range<u64>) -> Result<Run, Error>,
    ) -> Result<Run, Error> {
        self.validate(density)?;
        let whole = self.whole();
        let most = self.own.most as u64;
        let (most, memory) = whole.within_memory(density, most, streams);
        let observers = &self.common.observers;
        observers.iter().for_each(|o| o.memory(&memory));
        let first = self.own.smc.chosen_islands().unwrap_or(FIRST);
        let limit = self.time();
        let goal = |run: &Run| {
            let is_over = limit.is_some_and(|limit| start.elapsed() >= limit);
            match is_over || self.is_reached(run)? {
                true => Ok(None),
                false => self.needed(run).map(Some),
            }
        };
        let mut run = grown(islands, goal, first, most)?;
        if !run.is_stopped && !self.is_reached(&run)? {
            let wanted = self.own.wanted.iter().map(Precision::in_words);
            let wanted = wanted.collect::<Vec<_>>().join(", ");
            run.settings.insert(PRECISION_MISSED.to_owned(), wanted);
        }
        Ok(run)
    }

    fn is_reached(&self, run: &Run) -> Result<bool, RunError> {
        for precision in &self.own.wanted {
            if !precision.is_reached(run)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The multiple of the islands of a run that its errors ask for.
    fn needed(&self, run: &Run) -> Result<f64, RunError> {
        let each = self.own.wanted.iter().map(|wanted| wanted.needed(run));
        each.reduce(|a, b| Ok(a?.max(b?))).unwrap_or(Ok(1.0))
    }

    fn validate(&self, density: &dyn LogDensity) -> Result<(), Error> {
        let layout = density.describe().layout;
        for Precision { what, se } in &self.own.wanted {
            Error::setting("until", se, *se > 0.0, "a standard error above 0")?;
            if let What::Mean(name) = what
                && layout.find(name).is_none()
            {
                return Err(RunError::unknown_name(name, layout.names()).into());
            }
        }
        Error::setting("at_most", self.own.most, self.own.most >= 1, "at least 1")?;
        let is_shard = self.common.shard.is_some();
        let allowed = "without `shard`: parts do not know when the whole is precise enough";
        Error::setting("until", self.own.wanted[0].se, !is_shard, allowed)?;
        let allowed = "without `interacting`: to islands that interact no others can be added";
        Error::setting(
            "until",
            self.own.wanted[0].se,
            !self.own.smc.is_interacting(),
            allowed,
        )
    }
}

/// The run of the first islands, joined by others until `goal` knows no multiple of its islands that it asks for, or until there are `most`
/// islands. A limit may leave out the last islands of a round; the next round begins with them.
fn grown(
    mut islands: impl FnMut(Range<u64>) -> Result<Run, Error>,
    goal: impl Fn(&Run) -> Result<Option<f64>, RunError>,
    first: u64,
    most: u64,
) -> Result<Run, Error> {
    let wanted = first.min(most);
    let mut run = islands(0..wanted)?;
    let end = |run: &Run, from: u64, to: u64| match run.is_stopped {
        true => to,
        false => from + run.groups.len() as u64,
    };
    let mut made = end(&run, 0, wanted);
    while !run.is_stopped
        && made < most
        && let Some(multiple) = goal(&run)?
    {
        let next = next(made, multiple).min(most);
        match islands(made..next) {
            Ok(more) => {
                made = end(&more, made, next);
                run.is_stopped = more.is_stopped;
                run.groups.extend(more.groups);
            }
            // the islands of earlier rounds are there
            Err(Error::Stopped { finished: 0, .. }) => {
                run.is_stopped = true;
                made = next;
            }
            Err(error) => return Err(error),
        }
    }
    // a run that was not stopped has all its islands
    run.part_of = run.is_stopped.then_some(0..made);
    Ok(run)
}

/// The number of islands after the next round, if the errors of `made` islands ask for this multiple.
fn next(made: u64, multiple: f64) -> u64 {
    // the conversion saturates
    let wanted = (made as f64 * multiple).ceil() as u64;
    wanted.clamp(made + made / SHARE + 1, 2 * made.max(1))
}
