//! The line of a search of chains for other maxima.

use crate::run::{Climbs, Group, Run};
use crate::text::count;
use std::fmt;

impl Run {
    /// What a search of chains for other maxima did not see, and why there was none.
    pub(super) fn write_search(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chain in self.groups.iter().filter_map(Group::chain) {
            if let Some(reason) = chain.not_searched {
                let reason = reason.reason();
                writeln!(f, "other maxima   not searched for: {reason}")?;
            }
            let unsettled = |climbs: &&Climbs| climbs.unsettled > 0;
            if let Some(climbs) = chain.climbs.as_ref().filter(unsettled) {
                let (some, all) = (climbs.unsettled, count(climbs.number, "climb"));
                writeln!(
                    f,
                    "other maxima   {some} of {all} ended about as high as the draws, or higher, where no mass could be measured"
                )?;
            }
        }
        Ok(())
    }
}
