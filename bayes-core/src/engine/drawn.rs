//! The draws of groups of chains whose time may be over before they are done.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The draws of each chain that the longest group has so far, and the draws of the shortest one that ended because the time was over.
#[derive(Debug)]
pub(super) struct Drawn {
    most: AtomicUsize,
    fewest: AtomicUsize,
}

impl Drawn {
    pub(super) fn new() -> Self {
        Self {
            most: AtomicUsize::new(0),
            fewest: AtomicUsize::new(usize::MAX),
        }
    }

    /// A group has so many draws now.
    pub(super) fn have(&self, draws: usize) {
        self.most.fetch_max(draws, Ordering::Relaxed);
    }

    /// Whether a group that ends with so many draws, because the time is over, counts. With less than a tenth of the draws of the longest
    /// one it began late, not slowly: a group has up to 16 chains, another perhaps one. All chains would be cut to its length, so the run
    /// goes without it and says that it was stopped.
    pub(super) fn ends_with(&self, draws: usize) -> bool {
        self.have(draws);
        let counts = 10 * draws >= self.most.load(Ordering::Relaxed);
        if counts {
            self.fewest.fetch_min(draws, Ordering::Relaxed);
        }
        counts
    }

    /// The number of draws to which all chains are cut; the largest number if no group ended early.
    pub(super) fn fewest(&self) -> usize {
        self.fewest.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::Drawn;

    // Detects a late group that shortens all others, and one that counts although it does not.
    #[test]
    fn a_group_that_began_late_does_not_count() {
        let drawn = Drawn::new();
        assert!(drawn.ends_with(60));
        drawn.have(100);
        assert!(drawn.ends_with(25));
        assert!(!drawn.ends_with(9));
        assert_eq!(drawn.fewest(), 25);
    }
}
