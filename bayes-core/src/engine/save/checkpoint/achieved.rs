//! The finished units of a run: in memory, or in the file of draws.

use crate::error::FileError;
use crate::run::{Group, Spool};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Instant;

/// The finished units by their numbers.
pub(super) struct Achieved {
    /// The units in memory.
    all: BTreeMap<u64, Vec<Group>>,
    /// The units in the spool.
    spooled: BTreeSet<u64>,
    /// The units that are not yet in a file of the folder.
    pub(super) unwritten: Vec<u64>,
    /// The number of values in these units.
    pub(super) waiting: usize,
    /// The time of their next write.
    pub(super) due: Instant,
    /// The file that takes units out of memory, if there is one.
    pub(super) spool: Option<Spool>,
}

impl Achieved {
    pub(super) fn new(due: Instant, spool: Option<Spool>) -> Self {
        Self {
            all: BTreeMap::new(),
            spooled: BTreeSet::new(),
            unwritten: Vec::new(),
            waiting: 0,
            due,
            spool,
        }
    }

    pub(super) fn add(&mut self, number: u64, groups: Vec<Group>) {
        let numbers = |group: &Group| group.draws.len() + group.positions.len();
        self.waiting += groups.iter().map(numbers).sum::<usize>();
        self.all.insert(number, groups);
    }

    pub(super) fn has(&self, number: u64) -> bool {
        self.all.contains_key(&number) || self.spooled.contains(&number)
    }

    /// The numbers of all finished units.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u64> {
        self.all.keys().chain(&self.spooled).copied()
    }

    /// How many of `units` are finished.
    pub(super) fn count(&self, units: &Range<u64>) -> usize {
        self.all.range(units.clone()).count() + self.spooled.range(units.clone()).count()
    }

    /// The units that are not yet in a file of the folder.
    pub(super) fn unwritten(&self) -> Vec<(u64, &[Group])> {
        let unwritten = self.unwritten.iter();
        let groups = |unit: &u64| Some((*unit, self.all.get(unit)?.as_slice()));
        unwritten.filter_map(groups).collect()
    }

    /// Whether folders of checkpoints have all units, if this run has a folder; including the units of earlier rounds.
    pub(super) fn is_saved(&self) -> bool {
        self.unwritten.is_empty() && self.spool.as_ref().is_none_or(Spool::is_saved)
    }

    /// Whether the spool has groups of a finished round.
    pub(super) fn has_settled(&self) -> bool {
        self.spool.as_ref().is_some_and(Spool::has_settled)
    }

    /// Moves a unit from memory to the spool, if there is one.
    ///
    /// # Errors
    /// The errors of the file, after which the unit stays in memory.
    pub(super) fn release(&mut self, number: u64) -> Result<(), FileError> {
        if let (Some(spool), Some(groups)) = (&mut self.spool, self.all.get(&number)) {
            spool.add_all(number, groups)?;
            self.spooled.insert(number);
            self.all.remove(&number);
        }
        Ok(())
    }

    /// The groups of these units in order; or, if there is a spool, the spool with all of them.
    ///
    /// # Errors
    /// [`FileError::System`] if groups cannot be encoded.
    pub(super) fn take(
        &mut self,
        units: &Range<u64>,
        is_saved: bool,
    ) -> Result<(Vec<Group>, Option<Spool>), FileError> {
        // moved, since a copy of all draws would double their memory
        let all = std::mem::take(&mut self.all);
        let own = all.into_iter().filter(|(number, _)| units.contains(number));
        let Some(mut spool) = self.spool.take() else {
            return Ok((own.flat_map(|(_, groups)| groups).collect(), None));
        };
        // the units for which the spool had no room
        for (number, groups) in own {
            if spool.add_all(number, &groups).is_err() {
                spool.hold(number, &groups)?;
            }
        }
        spool.settle(units, is_saved);
        Ok((Vec::new(), Some(spool)))
    }
}
