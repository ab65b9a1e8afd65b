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
}

impl IslandNumbers {
    /// All islands of a run.
    pub(in crate::engine) fn all(count: u64) -> Self {
        Self {
            range: 0..count,
            is_part: false,
        }
    }

    /// These islands of a larger run.
    pub(crate) fn part(range: Range<u64>) -> Self {
        Self {
            range,
            is_part: true,
        }
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
