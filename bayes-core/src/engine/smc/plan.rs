//! The findings of a pilot run, for islands that replay it.

use super::island::Island;
use crate::density::Counts;
use crate::error::Error;
use crate::kernel::{Kernel, Tuning};
use crate::number;
use crate::run::Stage;
use serde::{Deserialize, Serialize};

/// The temperatures, numbers of moves and tunings of a pilot island, and its cost.
///
/// Islands that replay a plan adapt nothing to their own particles. Their evidence is then unbiased: its mean over runs is
/// the evidence, for any number of particles (Del Moral 2004, section 7.4; Dau & Chopin 2022, proposition 1).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::engine) struct Plan {
    stages: Vec<PlannedStage>,
    /// Evaluations of the pilot.
    #[serde(deserialize_with = "Counts::read")]
    pub(in crate::engine) counts: Counts,
}

/// One temperature of a plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::engine) struct PlannedStage {
    /// Its position on its leg of the path.
    #[serde(with = "number::one")]
    pub(in crate::engine) lambda: f64,
    /// Its number of mutation steps.
    pub(in crate::engine) mutations: usize,
    /// The tuning of the kernel at this temperature.
    pub(in crate::engine) tuning: Tuning,
}

impl Plan {
    /// Records the temperature that `island` has just reached.
    pub(in crate::engine) fn record(&mut self, island: &Island) {
        let Some(Stage { mutations, .. }) = island.history.last() else {
            return;
        };
        self.stages.push(PlannedStage {
            lambda: island.lambda,
            mutations: *mutations,
            tuning: island.tunings[0].clone(),
        });
    }

    /// Prepares a plan that was read from a file.
    ///
    /// # Errors
    /// [`Error::Saved`] if the tunings belong to another kernel.
    pub(in crate::engine) fn restore(&mut self, kernel: &dyn Kernel) -> Result<(), Error> {
        let mut stages = self.stages.iter_mut();
        stages.try_for_each(|stage| kernel.restore(&mut stage.tuning))
    }

    /// The temperature that follows `done` temperatures.
    ///
    /// # Panics
    /// If the plan is at its end: its last temperature is 1, where every island is finished.
    pub(in crate::engine) fn stage(&self, done: usize) -> &PlannedStage {
        &self.stages[done]
    }
}
