//! A single island, because a limit left no room for all requested islands.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::{LIMITED, Run};
use serde::{Deserialize, Serialize};

/// A limit of time, gradients or memory left room for one of several requested islands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SingleIsland {
    /// Number of requested islands, as written in the setting.
    pub wanted: String,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<SingleIsland> {
    let wanted = run.settings.get(LIMITED)?.clone();
    (run.groups.len() == 1).then_some(SingleIsland { wanted })
}

impl Message for SingleIsland {
    fn problem(&self) -> String {
        let wanted = &self.wanted;
        format!("the limits left room for one of {wanted} islands")
    }

    fn remedy(&self) -> &'static str {
        "One island does not show whether islands agree, and its standard errors, from its ancestry alone, may be too small. Allow more \
         time, gradients or memory, or use fewer particles, until there are at least four."
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::LIMITED;
    use crate::run::example::islands;

    #[test]
    fn a_run_whose_limit_left_room_for_one_island() {
        let mut run = islands(&[-3.0], 4000);
        run.settings.insert(LIMITED.to_owned(), "8".to_owned());
        assert_warned(
            &run,
            "the limits left room for one of 8 islands. One island does not show whether islands agree, and its standard errors, from its \
             ancestry alone, may be too small. Allow more time, gradients or memory, or use fewer particles, until there are at least four.",
        );
    }
}
