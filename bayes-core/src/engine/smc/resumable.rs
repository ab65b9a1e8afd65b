//! An island that continues from its saved state.

use super::doomed;
use super::island::Island;
use super::plan::Plan;
use super::sampler::Sampler;
use crate::engine::save::checkpoint::{Unit, savable};
use crate::error::Error;
use crate::observe::Observer;
use crate::run::Group;
use serde::{Deserialize, Serialize};

/// The saved form of an island, or of a pilot with its findings.
#[derive(Serialize, Deserialize)]
pub(in crate::engine) struct State {
    pub(in crate::engine) island: Island,
    /// Empty except for a pilot.
    pub(in crate::engine) plan: Plan,
}

savable!(State);

impl State {
    /// The saved state of a unit, or a new island with this number.
    pub(in crate::engine) fn begin(
        sampler: &Sampler<'_>,
        unit: &Unit<'_, '_, Self>,
        number: u64,
    ) -> Result<Self, Error> {
        if let Some(saved) = unit.saved() {
            match saved.restored(sampler) {
                Ok(state) => return Ok(state),
                Err(error) => unit.tell(&error),
            }
        }
        Ok(Self {
            island: sampler.start(number)?,
            plan: Plan::default(),
        })
    }

    fn restored(mut self, sampler: &Sampler<'_>) -> Result<Self, Error> {
        self.island = sampler.restore(self.island)?;
        self.plan.restore(sampler.kernel)?;
        Ok(self)
    }
}

/// Runs an island to the end of the path; `None` if it was stopped, or cut by the clock.
pub(in crate::engine) fn run_island(
    sampler: &Sampler<'_>,
    mut unit: Unit<'_, '_, State>,
    observer: &dyn Observer,
) -> Result<Option<Vec<Group>>, Error> {
    let mut state = State::begin(sampler, &unit, unit.number)?;
    while !state.island.is_done() {
        let island = &mut state.island;
        sampler.advance(island);
        if unit.has_cut() {
            return Ok(None);
        }
        if let Some(stage) = island.history.last() {
            observer.stage(unit.place, stage, island.history.len());
        }
        // the ladder of a pilot is known to end
        if sampler.plan.is_none() {
            doomed::check(sampler.density, island)?;
        }
        if !island.is_done() && unit.boundary(&state) {
            return Ok(None);
        }
    }
    let show = |done, of| observer.outputs(unit.place, done, of);
    let group = sampler.finish_shown(state.island, &show);
    // its outputs, or all densities at its start, may be cut
    Ok((!unit.has_cut()).then(|| vec![group]))
}
