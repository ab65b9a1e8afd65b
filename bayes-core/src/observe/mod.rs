//! Observers of a run.

mod forecast;
mod json_lines;
#[cfg(feature = "tracing")]
mod log;
mod memory;
mod progress;

pub(crate) use forecast::Forecast;
pub use json_lines::JsonLines;
#[cfg(feature = "tracing")]
pub use log::Log;
pub use memory::Memory;
pub use progress::{Bar, Progress};

use crate::error::Error;
use crate::run::Stage;
use std::fmt::Debug;
use std::sync::Arc;

/// Observes a run; called from any thread.
///
/// A group is an island, 16 chains that are tuned together, or 8 restarts of an optimisation.
pub trait Observer: Debug + Send + Sync {
    /// Island number `island` of the run has finished its temperature, or level of nested sampling, number `number` (from 1).
    fn stage(&self, island: usize, stage: &Stage, number: usize) {
        let _ = (island, stage, number);
    }

    /// The run begins, with this number of groups.
    fn start(&self, groups: usize) {
        let _ = groups;
    }

    /// The run continues from a folder of checkpoints with this number of finished groups and of begun groups.
    fn resume(&self, finished: usize, begun: usize) {
        let _ = (finished, begun);
    }

    /// The approximate memory of the run, before it begins.
    fn memory(&self, memory: &Memory) {
        let _ = memory;
    }

    /// The first chain of a group has made a step, or kept a draw.
    fn step(&self, group: usize, steps: Steps) {
        let _ = (group, steps);
    }

    /// The outputs of `done` of the `of` draws of an island are computed, after its moves. The last call has `done` equal to `of`.
    fn outputs(&self, island: usize, done: usize, of: usize) {
        let _ = (island, done, of);
    }

    /// The best restart of a group of an optimisation has ended epoch number `epoch` (from 1) of at most `epochs`, with this loss per row
    /// and this validation loss. An infinite loss stands for one that is not a number.
    fn epoch(&self, group: usize, epoch: usize, epochs: usize, losses: Losses) {
        let _ = (group, epoch, epochs, losses);
    }

    /// A problem that does not stop the run: a checkpoint that could not be written, or a damaged one that was set aside.
    fn trouble(&self, error: &Error) {
        let _ = error;
    }

    /// A group is finished.
    fn finish(&self, group: usize) {
        let _ = group;
    }
}

/// The progress of the chains of a group, and their statistics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// Steps that the first chain has made, burn-in included.
    pub done: usize,
    /// Steps of a chain in the whole run.
    pub of: usize,
    /// Whether these are steps of the burn-in.
    pub is_burn_in: bool,
    /// The mean acceptance probability of the group since the burn-in, or in the present window; NaN if it is not counted.
    pub acceptance: f64,
    /// Divergent trajectories of the group since the burn-in.
    pub divergent: u64,
}

/// The losses after an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Losses {
    /// Minus the log density per row.
    pub training: f64,
    /// Minus the log likelihood per validation row, if there are any.
    pub validation: Option<f64>,
}

/// All observers of a run.
#[derive(Clone, Debug, Default)]
pub struct Observers(pub Vec<Arc<dyn Observer>>);

impl Observer for Observers {
    fn stage(&self, island: usize, stage: &Stage, number: usize) {
        self.0.iter().for_each(|o| o.stage(island, stage, number));
    }

    fn start(&self, groups: usize) {
        self.0.iter().for_each(|o| o.start(groups));
    }

    fn resume(&self, finished: usize, begun: usize) {
        self.0.iter().for_each(|o| o.resume(finished, begun));
    }

    fn memory(&self, memory: &Memory) {
        self.0.iter().for_each(|o| o.memory(memory));
    }

    fn step(&self, group: usize, steps: Steps) {
        self.0.iter().for_each(|o| o.step(group, steps));
    }

    fn outputs(&self, island: usize, done: usize, of: usize) {
        self.0.iter().for_each(|o| o.outputs(island, done, of));
    }

    fn epoch(&self, group: usize, epoch: usize, epochs: usize, losses: Losses) {
        let observers = self.0.iter();
        observers.for_each(|o| o.epoch(group, epoch, epochs, losses));
    }

    fn trouble(&self, error: &Error) {
        self.0.iter().for_each(|o| o.trouble(error));
    }

    fn finish(&self, group: usize) {
        self.0.iter().for_each(|o| o.finish(group));
    }
}
