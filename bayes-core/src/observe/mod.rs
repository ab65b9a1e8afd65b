//! Observers of a run.

mod forecast;
mod progress;

pub use progress::{Bar, Progress};

use crate::run::Stage;
use std::fmt::Debug;
use std::sync::Arc;

/// Observes a run; called from any thread.
///
/// A group is an island, or 16 chains that are tuned together.
pub trait Observer: Debug + Send + Sync {
    /// Island number `island` of the run has finished a temperature, its `number`-th (from 1).
    fn stage(&self, island: usize, stage: &Stage, number: usize) {
        let _ = (island, stage, number);
    }

    /// The first chain of a group has made `done` of `total` steps of its burn-in, or of its draws.
    fn draw(&self, group: usize, done: usize, total: usize) {
        let _ = (group, done, total);
    }

    /// A group is done.
    fn finish(&self, group: usize) {
        let _ = group;
    }
}

/// All observers of a run.
#[derive(Clone, Debug, Default)]
pub struct Observers(pub Vec<Arc<dyn Observer>>);

impl Observer for Observers {
    fn stage(&self, island: usize, stage: &Stage, number: usize) {
        self.0.iter().for_each(|o| o.stage(island, stage, number));
    }

    fn draw(&self, group: usize, done: usize, total: usize) {
        self.0.iter().for_each(|o| o.draw(group, done, total));
    }

    fn finish(&self, group: usize) {
        self.0.iter().for_each(|o| o.finish(group));
    }
}
