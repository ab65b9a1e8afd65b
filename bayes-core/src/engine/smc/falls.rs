//! The places where the moves of an island lost most energy: where climbs start that look for narrow modes.
//!
//! The moves evaluate the density at far more places than the particles keep, at every temperature. A leapfrog step that hits a narrow mode
//! loses energy; its trajectory is then halved and often turned away, and no particle stays there. The place costs nothing to remember.

use super::island::Island;
use crate::kernel::Fall;

/// Number of falls that an island remembers.
const MOST: usize = 32;

impl Island {
    /// Remembers the deepest of the falls of a temperature.
    pub(in crate::engine) fn note_falls(&mut self, falls: impl Iterator<Item = Fall>) {
        self.falls.extend(falls);
        // stable, so that the bits do not depend on anything but the order of blocks
        self.falls.sort_by(|a, b| b.depth.total_cmp(&a.depth));
        self.falls.truncate(MOST);
    }
}
