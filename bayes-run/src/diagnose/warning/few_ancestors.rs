//! A single island: its standard errors rest on few families of particles.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::genealogy::Families;
use crate::run::Run;
use crate::text::count;
use serde::{Deserialize, Serialize};

/// With fewer families the standard error of a single island is unreliable.
const FAMILIES: usize = 10;

/// The standard errors of a single island rest on few families of particles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FewAncestors {
    /// Number of initial particles that have descendants in the posterior.
    pub ancestors: usize,
    /// Number of particles.
    pub particles: usize,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<FewAncestors> {
    let [island] = run.groups.as_slice() else {
        return None;
    };
    let particles = run.particles_per_group();
    let ancestors = Families::of(island, run.draws_per_group())?.count;
    (2..FAMILIES).contains(&ancestors).then_some(FewAncestors {
        ancestors,
        particles,
    })
}

impl Message for FewAncestors {
    fn problem(&self) -> String {
        let ancestors = count(self.ancestors as u64, "initial particle");
        let particles = self.particles;
        format!(
            "the standard errors are unreliable: the {particles} particles of the only island descend \
             from {ancestors}"
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
    fn a_single_island_of_few_families() {
        let mut run = islands(&[-3.0], 4000);
        of_island(&mut run.groups[0]).ancestors = (0..4000).map(|i| i % 8).collect();
        assert_warned(
            &run,
            "the standard errors are unreliable: the 4000 particles of the only island descend from 8 \
         initial particles. Use several islands (`Inference::psmc()`), or more particles.",
        );
    }
}
