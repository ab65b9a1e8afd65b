//! The numbers of the islands of a run.

use crate::error::Error;
use std::ops::Range;

/// Maximum number of islands of a run; the numbers of a part may be larger.
const MAX_ISLANDS: u64 = 1_000_000;

/// The numbers of the islands of a run.
#[derive(Clone, Debug)]
pub struct IslandNumbers {
    pub(in crate::engine) range: Range<u64>,
    /// Whether the islands are a part of a larger run.
    pub(in crate::engine) is_part: bool,
    /// Whether the user chose the number.
    is_chosen: bool,
}

impl IslandNumbers {
    /// All islands of a run, of which there are as many by default.
    pub(in crate::engine) fn by_default(count: u64) -> Self {
        Self {
            range: 0..count,
            is_part: false,
            is_chosen: false,
        }
    }

    /// All islands of a run; the user chose their number.
    pub(in crate::engine) fn all(count: u64) -> Self {
        Self {
            is_chosen: true,
            ..Self::by_default(count)
        }
    }

    /// These islands of a larger run.
    pub(crate) fn part(range: Range<u64>) -> Self {
        Self {
            range,
            is_part: true,
            is_chosen: true,
        }
    }

    /// The number of islands, if the user chose it.
    pub(crate) fn chosen(&self) -> Option<u64> {
        self.is_chosen.then(|| self.count())
    }

    pub(in crate::engine) fn count(&self) -> u64 {
        self.range.end.saturating_sub(self.range.start)
    }

    /// Checks the number of islands.
    pub(in crate::engine) fn validate(&self) -> Result<(), Error> {
        let count = self.count();
        let holds = (1..=MAX_ISLANDS).contains(&count);
        Error::setting("islands", count, holds, "from 1 to 1000000")
    }
}
