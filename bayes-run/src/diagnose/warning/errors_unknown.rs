//! A single island: its ancestry gives no standard error.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::genealogy::Families;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// A single island whose ancestry gives no standard error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorsUnknown {
    /// Number of particles.
    pub particles: usize,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<ErrorsUnknown> {
    let [island] = run.groups.as_slice() else {
        return None;
    };
    let particles = run.particles_per_group();
    let families = Families::of(island, run.draws_per_group()).map_or(0, |families| families.count);
    (families < 2).then_some(ErrorsUnknown { particles })
}

impl Message for ErrorsUnknown {
    fn problem(&self) -> String {
        let particles = self.particles;
        format!(
            "there are no standard errors: all {particles} particles of the only island descend from one \
             initial particle, or their ancestry was not recorded"
        )
    }

    fn remedy(&self) -> &'static str {
        "Use several islands (`Inference::psmc()`), or more particles."
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::{islands, of_island};

    #[test]
    fn a_single_island_of_one_family() {
        let mut run = islands(&[-3.0], 4000);
        of_island(&mut run.groups[0]).ancestors = vec![17; 4000];
        assert_eq!(run.log_evidence_se(), None);
        assert_warned(
            &run,
            "there are no standard errors: all 4000 particles of the only island descend from one initial \
         particle, or their ancestry was not recorded. Use several islands (`Inference::psmc()`), or more \
         particles.",
        );
    }
}
