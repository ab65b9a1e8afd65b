//! Interacting islands: they descend from few of the initial islands.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::lineages::Lineages;
use crate::run::Run;
use crate::text::count;
use serde::{Deserialize, Serialize};

/// With fewer initial islands the standard errors are unreliable.
const ANCESTORS: usize = 4;

/// Interacting islands descend from few of the initial islands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FewAncestorIslands {
    /// Number of initial islands that have descendants.
    pub ancestors: usize,
    /// Number of islands.
    pub islands: usize,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<FewAncestorIslands> {
    let ancestors = Lineages::of(run)?.len();
    (ancestors < ANCESTORS).then_some(FewAncestorIslands {
        ancestors,
        islands: run.groups.len(),
    })
}

impl Message for FewAncestorIslands {
    fn problem(&self) -> String {
        let ancestors = count(self.ancestors as u64, "initial island");
        let islands = self.islands;
        format!(
            "the standard errors are unreliable: the {islands} interacting islands descend from {ancestors}"
        )
    }

    fn remedy(&self) -> &'static str {
        "Use more islands; or more particles per island or more mutation steps, so that islands are resampled less often."
    }
}

#[cfg(test)]
mod tests {
    use crate::run::example::{islands, of_island};

    #[test]
    fn islands_of_three_ancestors() {
        let mut run = islands(&[-3.0, -3.01, -2.99, -3.0, -3.02, -3.0, -3.0, -3.01], 4000);
        for (place, island) in run.groups.iter_mut().enumerate() {
            of_island(island).ancestor_island = Some(place as u64);
        }
        assert!(run.warnings().is_empty());
        for (place, island) in run.groups.iter_mut().enumerate() {
            of_island(island).ancestor_island = Some(place as u64 % 3);
        }
        // when so few islands count, the evidence is imprecise as well
        assert_eq!(
            run.warnings()[0].to_string(),
            "the standard errors are unreliable: the 8 interacting islands descend from 3 initial islands. Use more islands; \
             or more particles per island or more mutation steps, so that islands are resampled less often.",
        );
    }
}
