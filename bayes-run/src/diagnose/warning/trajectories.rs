//! Sums over the trajectories of all chains.

use crate::run::{Group, Run, Trajectories};

/// The sum of a count over all chains, and the number of trajectories.
pub(in crate::diagnose) fn total(run: &Run, field: fn(&Trajectories) -> u64) -> (u64, u64) {
    let all = || run.groups.iter().filter_map(Group::trajectories);
    let sum = |count: fn(&Trajectories) -> u64| all().map(count).fold(0, u64::saturating_add);
    (sum(field), sum(|t| t.transitions))
}
