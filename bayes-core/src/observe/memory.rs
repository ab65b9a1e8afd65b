//! The memory that a run takes.

use crate::text::bytes;
use std::fmt;

/// An estimate of the memory of a run before it begins: its draws, which are kept to the end, and the working memory of islands and
/// chains.
///
/// The estimate leaves out the data, the trace of the model and, with a folder of checkpoints, a file during its write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Number of draws.
    pub draws: u64,
    /// Bytes of a draw: its values, its position and its statistics.
    pub draw: u64,
    /// Bytes of the islands, or groups of chains, that run at the same time, and of the recordings at single positions of a model without a trace.
    pub at_work: u64,
}

impl Memory {
    /// All bytes.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.draws
            .saturating_mul(self.draw)
            .saturating_add(self.at_work)
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            draws,
            draw,
            at_work,
        } = *self;
        let [total, draw, at_work] = [self.total(), draw, at_work].map(bytes);
        write!(
            f,
            "about {total} of memory: {draws} draws of {draw}, and {at_work} to make them"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Memory;

    #[test]
    fn memory_is_reported_in_words() {
        let memory = Memory {
            draws: 65_536,
            draw: 1_240,
            at_work: 4_000_000,
        };
        assert_eq!(
            memory.to_string(),
            "about 85 MB of memory: 65536 draws of 1.2 kB, and 4.0 MB to make them"
        );
    }
}
