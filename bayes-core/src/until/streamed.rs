//! Rounds of islands whose draws go to one file.

use super::Until;
use super::precision::{Precision, What};
use crate::density::{LogDensity, Posterior};
use crate::engine::{Made, PriorChoice, SuitsPriorOf};
use crate::error::Error;
use crate::kernel::{Kernel, Moves};
use crate::model::Model;
use crate::run::{Group, Layout, Run, RunError, RunFile, Selection, Spool, Statistics};
use std::ops::Range;
use std::path::Path;

impl<K: Kernel + Clone, P: PriorChoice + Clone> Until<K, P> {
    /// Same as [`run`](Self::run), with the draws in a file; see [`Smc::run_to_file`](crate::engine::Smc::run_to_file). The data for the
    /// estimates stay in memory: the gains of each island for the log evidence, the draws of a quantity for its mean. A memory limit does
    /// not count them.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run) and [`Smc::run_to_file`](crate::engine::Smc::run_to_file).
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

    /// Same as [`run_on`](Self::run_on), with the draws in a file; see [`run_to_file`](Self::run_to_file).
    ///
    /// # Errors
    /// The errors of [`run_on`](Self::run_on), and errors of the file.
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

    /// Islands whose draws go to the file. The run keeps only the data that determine the precision of the estimates.
    fn streamed_round(
        &self,
        density: &dyn LogDensity,
        numbers: Range<u64>,
        streamed: &mut Streamed,
    ) -> Result<Run, Error> {
        // after an error there is no further round
        let spool = streamed.spool.take().expect("a round gives it back");
        let first = spool.count();
        let round = self.round(numbers.clone()).spooled(density, spool);
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
        for Precision { what, .. } in &self.wanted {
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
fn bare(watched: &Selection, group: Group) -> Group {
    let group = match watched.is_empty() {
        // the gains are enough
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
