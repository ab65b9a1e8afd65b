//! The finished units of a run: in memory, or in the file of its draws.

use crate::error::FileError;
use crate::run::{Group, Spool};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Instant;

/// The finished units by their numbers.
pub(super) struct Achieved {
    /// Those in memory.
    all: BTreeMap<u64, Vec<Group>>,
    /// Those in the spool.
    spooled: BTreeSet<u64>,
    /// Those that are in no file of the folder yet.
    pub(super) unwritten: Vec<u64>,
    /// The numbers that these consist of.
    pub(super) waiting: usize,
    /// When they are written.
    pub(super) due: Instant,
    /// Where they go in place of memory, if they do.
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

    /// All numbers.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u64> {
        self.all.keys().chain(&self.spooled).copied()
    }

    /// How many of these units there are.
    pub(super) fn count(&self, units: &Range<u64>) -> usize {
        self.all.range(units.clone()).count() + self.spooled.range(units.clone()).count()
    }

    /// Those that are in no file of the folder yet.
    pub(super) fn unwritten(&self) -> Vec<(u64, &[Group])> {
        let unwritten = self.unwritten.iter();
        let groups = |unit: &u64| Some((*unit, self.all.get(unit)?.as_slice()));
        unwritten.filter_map(groups).collect()
    }

    /// Whether folders of checkpoints have all units, if this run has one; those of earlier rounds too.
    pub(super) fn is_saved(&self) -> bool {
        self.unwritten.is_empty() && self.spool.as_ref().is_none_or(Spool::is_saved)
    }

    /// Whether the spool has groups of a round that has ended.
    pub(super) fn has_settled(&self) -> bool {
        self.spool.as_ref().is_some_and(Spool::has_settled)
    }

    /// Moves a unit from memory to the spool, if there is one.
    ///
    /// # Errors
    /// Those of the file, after which it is in memory.
    pub(super) fn release(&mut self, number: u64) -> Result<(), FileError> {
        if let (Some(spool), Some(groups)) = (&mut self.spool, self.all.get(&number)) {
            spool.add_all(number, groups)?;
            self.spooled.insert(number);
            self.all.remove(&number);
        }
        Ok(())
    }

    /// The groups of these units in order, or, if there is one, the spool with all of them.
    ///
    /// # Errors
    /// [`FileError::System`] if groups cannot be encoded.
    pub(super) fn take(
        &mut self,
        units: &Range<u64>,
        is_saved: bool,
    ) -> Result<(Vec<Group>, Option<Spool>), FileError> {
        // moved, since a copy of all draws would need their memory again
        let all = std::mem::take(&mut self.all);
        let own = all.into_iter().filter(|(number, _)| units.contains(number));
        let Some(mut spool) = self.spool.take() else {
            return Ok((own.flat_map(|(_, groups)| groups).collect(), None));
        };
        // those for which it had no room
        for (number, groups) in own {
            if spool.add_all(number, &groups).is_err() {
                spool.hold(number, &groups)?;
            }
        }
        spool.settle(units, is_saved);
        Ok((Vec::new(), Some(spool)))
    }
}
