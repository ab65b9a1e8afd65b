//! Runs of the islands of this process, from a folder of checkpoints or to a file.

use super::pilot::Rehearsal;
use super::{ParallelSmc, Smc, no_start};
use crate::density::{Counts, LogDensity};
use crate::engine::anchor::with_prior;
use crate::engine::budget::Budget;
use crate::engine::builder::{Algorithm, Runner};
use crate::engine::save::checkpoint::Journal;
use crate::engine::save::outcome::{Made, Outcome};
use crate::engine::smc::resumable::{State, run_island};
use crate::engine::smc::sampler::Sampler;
use crate::engine::timed::Clock;
use crate::error::Error;
use crate::observe::{Memory, Observer as _, Observers};
use crate::run::{Group, GroupKind, LIMITED, Run, Spool};
use std::ops::Range;
use std::time::{Duration, Instant};

impl<K, P> Smc<K, P> {
    /// The run of islands that a user-defined loop finished.
    pub fn collect(&self, density: &dyn LogDensity, groups: Vec<Group>) -> Run {
        self.runner.collect(density, groups)
    }
}

impl Algorithm for ParallelSmc {
    /// Islands that never communicate.
    fn units(&self) -> usize {
        match self.interaction {
            Some(_) => 1,
            None => self.islands.count() as usize,
        }
    }

    fn memory(runner: &Runner<Self>, density: &dyn LogDensity) -> Option<Memory> {
        Some(runner.memory(density))
    }

    fn made(
        runner: &Runner<Self>,
        density: &dyn LogDensity,
        spool: Option<Spool>,
    ) -> Result<Made, Error> {
        let Runner { common, own } = runner;
        let start = Instant::now();
        let clock = own.budget.clock(start, own.budget.deadline(start));
        with_prior(own.anchors.as_ref(), density, |densities| {
            // a temperature that has begun goes to the folder, if there is one, so that the next process continues from it
            if common.checkpoint.is_some() {
                return runner.make(densities, spool, (start, &clock));
            }
            let make = |timed: &[&dyn LogDensity]| runner.make(timed, spool, (start, &clock));
            match clock.over(densities, make) {
                Err(error) if clock.ended(&error) => {
                    let islands = own.islands.count();
                    let reached = Budget::none_finished(islands, own.is_interacting());
                    Err(own.budget.too_short(density.describe().name, reached))
                }
                made => made,
            }
        })
    }
}

impl ParallelSmc {
    /// The limit of time, if there is one.
    pub(crate) fn time(&self) -> Option<Duration> {
        self.budget.time
    }

    pub(crate) fn limit_time(&mut self, limit: Duration) {
        self.budget.time = Some(limit);
    }

    /// The number of islands, if the user chose it.
    pub(crate) fn chosen_islands(&self) -> Option<u64> {
        self.islands.chosen()
    }

    pub(crate) fn is_interacting(&self) -> bool {
        self.interaction.is_some()
    }
}

impl Runner<ParallelSmc> {
    /// Runs the islands on the densities in turn: the first island on the first density. Finished islands go to the spool, if there is
    /// one.
    fn make(
        &self,
        densities: &[&dyn LogDensity],
        spool: Option<Spool>,
        (start, clock): (Instant, &Clock),
    ) -> Result<Made, Error> {
        self.validate()?;
        let mut share = self.share()?;
        let density = densities[0];
        let observers = self.common.observers((share.end - share.start) as usize);
        let wanted = share.end - share.start;
        self.check_memory(density, &mut share, spool.is_some(), &observers)?;
        let settings = self.settings_as_text(density);
        let mut journal = Journal::open(&self.common, densities, &settings, &observers, spool)?;
        journal.stop_by(clock);
        let samplers = densities.iter().enumerate();
        let samplers = samplers.map(|(place, density)| {
            let sampler = self.prepare(*density, place, &journal);
            sampler.map_err(|error| clock.judged(error))
        });
        let samplers: Vec<Sampler<'_>> = match samplers.collect() {
            // the time is over: the spool has the finished islands of earlier rounds
            Err(error) if journal.ends_rounds(&error) => {
                return self.earlier(density, journal, share);
            }
            // a pilot was stopped
            Err(Error::Stopped { .. } | Error::Cut)
                if journal.is_late() && self.own.pilot.is_some() =>
            {
                return Err(self.too_short(density, None));
            }
            Err(Error::Stopped { .. }) => return self.earlier(density, journal, share),
            samplers => samplers?,
        };
        let mut extra = Counts::default();
        let plans = samplers.iter().filter_map(|sampler| sampler.plan.as_ref());
        plans.for_each(|plan| extra.merge(&plan.counts));
        let mut whole = self.own.islands.range.clone();
        let mut rehearsal = None;
        if self.own.budget.is_limited() {
            let asked = share.end - share.start; // the number that memory has room for
            let rehearsed = match self.rehearse(&samplers[0], (start, clock), &mut extra) {
                Err(error) if journal.ends_rounds(&error) => {
                    return self.earlier(density, journal, share);
                }
                rehearsed => rehearsed?,
            };
            let fit = rehearsed.fit.min(asked);
            rehearsal = Some(rehearsed);
            share.end = share.start + fit;
            whole = share.clone();
            // the islands that will not run are finished
            (fit..asked).for_each(|place| observers.finish(place as usize));
        }
        let has_first = share.contains(&0);
        let rehearsal = rehearsal.as_ref();
        let mut outcome = self.run_islands(journal, &samplers, share, &observers, rehearsal)?;
        clock.switch_off();
        if has_first {
            outcome.amend(0, |first| {
                // divergences are a share of the islands' own moves
                extra.divergences = 0;
                first.counts.merge(&extra);
            })?;
        }
        self.of_outcome((density, clock), outcome, whole, wanted)
    }

    /// The run without islands of its own: the spool has the finished islands of earlier rounds.
    ///
    /// # Errors
    /// [`Error::Stopped`] if there are none.
    fn earlier(
        &self,
        density: &dyn LogDensity,
        journal: Journal<'_, State>,
        share: Range<u64>,
    ) -> Result<Made, Error> {
        let outcome = journal.run(share, |_| Ok(None))?;
        let run = |groups| self.collect(density, groups);
        Ok(outcome.made(&self.common, self.own.islands.range.clone(), run))
    }

    /// The run of an outcome of the islands `whole`; `wanted` is the requested number.
    ///
    /// # Errors
    /// [`Error::Start`] if no particle of any island has a positive likelihood.
    fn of_outcome(
        &self,
        (density, clock): (&dyn LogDensity, &Clock),
        outcome: Outcome,
        whole: Range<u64>,
        wanted: u64,
    ) -> Result<Made, Error> {
        let is_complete = outcome.is_complete;
        // a part counts in the whole run even if all its islands have an evidence of zero
        let is_part = self.own.islands.is_part || self.common.shard.is_some() || !is_complete;
        if !is_part && outcome.is_impossible() {
            let islands = (whole.end - whole.start) as usize;
            let tried = islands * self.own.settings.particles * self.own.settings.kept();
            return Err(no_start(density, self.common.seed, tried));
        }
        let is_limited = self.own.budget.is_limited() && whole.end - whole.start == 1 && wanted > 1;
        let run = |groups| {
            let mut run = clock.close(|| self.collect(density, groups));
            if is_limited {
                run.settings.insert(LIMITED.to_owned(), wanted.to_string());
            }
            run
        };
        Ok(outcome.made(&self.common, whole, run))
    }

    /// Runs the islands with these numbers on the samplers in turn: the first island on the first sampler.
    ///
    /// The island of a rehearsal replaces the first one if that is not finished in time, so that there is at least one.
    fn run_islands(
        &self,
        journal: Journal<'_, State>,
        samplers: &[Sampler<'_>],
        share: Range<u64>,
        observers: &Observers,
        rehearsal: Option<&Rehearsal<'_>>,
    ) -> Result<Outcome, Error> {
        if let Some(rehearsal) = rehearsal.filter(|rehearsal| rehearsal.is_over) {
            rehearsal.clock.switch_off();
            return journal.run(share, |unit| Ok(Some(rehearsal.stand_in(unit.number))));
        }
        let Some(interaction) = self.own.interaction else {
            let first = share.start;
            let sampler = |number: u64| &samplers[(number % samplers.len() as u64) as usize];
            return journal.run(share, |unit| {
                let number = unit.number;
                let found = run_island(sampler(number), unit, observers);
                let judged = |error| match rehearsal {
                    Some(rehearsal) => rehearsal.clock.judged(error),
                    None => error,
                };
                let found = match found.map_err(judged) {
                    // a start that was cut
                    Err(Error::Cut) => None,
                    found => found?,
                };
                let rehearsal = rehearsal.filter(|_| number == first);
                let late = rehearsal.filter(|rehearsal| rehearsal.is_late());
                Ok(found.or_else(|| Some(late?.stand_in(number))))
            });
        };
        let anchors = samplers.len();
        let allowed = "1 fit: islands that interact have the same prior";
        Error::setting("anchors", anchors, anchors == 1, allowed)?;
        let first = share.start;
        let numbers: Vec<u64> = share.collect();
        let groups = interaction.run(&samplers[0], &numbers, observers);
        // islands that interact are finished together
        let late = rehearsal.filter(|rehearsal| rehearsal.clock.has_cut());
        Ok(Outcome {
            is_complete: late.is_none(),
            groups: match late {
                Some(rehearsal) => rehearsal.stand_in(first),
                None => groups?,
            },
            spool: None,
            is_saved: false,
        })
    }

    /// The run of these islands.
    fn collect(&self, density: &dyn LogDensity, groups: Vec<Group>) -> Run {
        let weighting = (GroupKind::Islands, self.own.weighting);
        let settings = self.settings_as_text(density);
        let run = self
            .common
            .run(density, &*self.own.kernel, weighting, settings, groups);
        Run {
            part_of: self.common.part_of(self.own.islands.range.clone(), true),
            ..run
        }
    }

    /// The numbers of the islands of this process.
    pub(super) fn share(&self) -> Result<Range<u64>, Error> {
        let islands = self.own.islands.count();
        let units = format!("there are {islands} islands");
        self.common.share(self.own.islands.range.clone(), &units)
    }
}
