//! Rounds of islands whose draws go to one file.

use super::Rounds;
use super::precision::{Precision, What};
use crate::density::LogDensity;
use crate::engine::{Algorithm, Made, ParallelSmc, Runner};
use crate::error::Error;
use crate::run::{Group, Layout, Run, RunError, Selection, Spool, Statistics};
use std::ops::Range;
use std::time::Instant;

impl Runner<Rounds> {
    /// The run with its draws in this spool.
    pub(super) fn streamed(&self, density: &dyn LogDensity, spool: Spool) -> Result<Made, Error> {
        let mut streamed = Streamed {
            spool: Some(spool),
            layout: density.describe().layout,
            is_saved: false,
        };
        let start = Instant::now();
        let islands = |numbers| self.streamed_round(density, (numbers, start), &mut streamed);
        let seen = self.grown_on(density, (true, start), islands)?;
        let run = Run {
            layout: streamed.layout,
            groups: Vec::new(),
            ..seen
        };
        Ok(Made {
            run,
            spool: streamed.spool,
            is_saved: streamed.is_saved,
        })
    }

    /// Islands whose draws go to the file. The run keeps only the data that determine the precision of the estimates.
    fn streamed_round(
        &self,
        density: &dyn LogDensity,
        (numbers, start): (Range<u64>, Instant),
        streamed: &mut Streamed,
    ) -> Result<Run, Error> {
        // after an error there is no further round
        let spool = streamed.spool.take().expect("a round gives it back");
        let first = spool.count();
        let round = self.round(numbers.clone(), start);
        let round = ParallelSmc::made(&round, density, Some(spool));
        let made = round.map_err(|error| with_earlier(error, &numbers))?;
        // `validate` refuses interacting islands, which would stay in memory
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

    /// The quantities whose means have a wanted precision, each once.
    fn quantities(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for Precision { what, .. } in &self.own.wanted {
            if let What::Mean(name) = what
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        }
        names
    }
}

/// A run whose draws go to a file, between two rounds.
struct Streamed {
    /// `None` while a round has it.
    spool: Option<Spool>,
    /// The layout of all quantities.
    layout: Layout,
    /// Whether the folders of checkpoints have all islands.
    is_saved: bool,
}

/// The part of an island that determines the precision of the estimates.
fn bare(watched: &Selection, mut group: Group) -> Group {
    if let Some(island) = group.island_mut() {
        // the last stage says whether the draws are of the posterior
        let last = island.history.len().saturating_sub(1);
        island.history.drain(..last);
        // the gains are enough
        if watched.is_empty() && !island.gains.is_empty() {
            island.ancestors = Vec::new();
            island.log_weights = Vec::new();
        }
    }
    Group {
        log_prior: Vec::new(),
        log_likelihood: Vec::new(),
        statistics: Statistics::default(),
        ..watched.of_group(group)
    }
}

/// The error of a later round. It is `Stopped` only if the folder of checkpoints has the islands of all rounds.
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
