//! The stored output of a chain during a run.

use super::mean_slopes::SlopeBatches;
use crate::density::{Counts, Quantities};
use crate::kernel::{Kernel, Trajectory, Visit};
use crate::number;
use crate::run::{Chain, Group, Statistics, Trajectories};
use serde::{Deserialize, Serialize};

/// Statistics of a transition.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(in crate::engine) struct Step {
    pub(in crate::engine) acceptance: f64,
    pub(in crate::engine) trajectory: Trajectory,
}

impl Step {
    pub(in crate::engine) fn of(visit: &Visit<'_>) -> Self {
        Self {
            acceptance: visit.acceptance,
            trajectory: visit.trajectory,
        }
    }
}

/// The statistics before the first transition.
impl Default for Step {
    fn default() -> Self {
        Self {
            acceptance: f64::NAN,
            trajectory: Trajectory {
                energy: f64::NAN,
                ..Trajectory::default()
            },
        }
    }
}

/// The draws of a chain, and the statistics of its transitions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::engine) struct Record {
    #[serde(with = "number::many")]
    draws: Vec<f64>,
    #[serde(with = "number::many")]
    positions: Vec<f64>,
    #[serde(with = "number::many")]
    log_prior: Vec<f64>,
    #[serde(with = "number::many")]
    log_likelihood: Vec<f64>,
    statistics: Statistics,
    /// Transitions since the last draw.
    since: Since,
    acceptance_sum: f64,
    trajectories: Trajectories,
    energy: EnergyRecord,
    slopes: SlopeBatches,
}

/// The transitions since the last kept draw.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Since {
    transitions: usize,
    acceptance_sum: f64,
    leapfrogs: u64,
    depth: u32,
    divergent: bool,
}

/// The maximum number of draws for which memory is reserved at the start.
const MAX_RESERVED: usize = 10_000;

impl Record {
    /// A record with memory for this number of draws of `elements` values at positions of `dim` coordinates.
    pub(in crate::engine) fn new(draws: usize, elements: usize, dim: usize) -> Self {
        // a run that asks for more fails where it runs out of memory, not here
        let draws = draws.min(MAX_RESERVED);
        Self {
            draws: Vec::with_capacity(draws * elements),
            positions: Vec::with_capacity(draws * dim),
            log_prior: Vec::with_capacity(draws),
            log_likelihood: Vec::with_capacity(draws),
            statistics: Statistics {
                acceptance: Vec::with_capacity(draws),
                energy: Vec::with_capacity(draws),
                leapfrogs: Vec::with_capacity(draws),
                depth: Vec::with_capacity(draws),
                divergent: Vec::with_capacity(draws),
            },
            ..Self::default()
        }
    }

    /// Number of kept draws.
    pub(in crate::engine) fn draws(&self) -> usize {
        self.log_prior.len()
    }

    /// Number of transitions.
    pub(in crate::engine) fn transitions(&self) -> usize {
        self.trajectories.transitions as usize
    }

    /// Adds a transition.
    pub(in crate::engine) fn learn(
        &mut self,
        visit: &Visit<'_>,
        kernel: &dyn Kernel,
        quantities: &dyn Quantities,
    ) {
        self.acceptance_sum += visit.acceptance;
        let trajectory = visit.trajectory;
        self.since.transitions += 1;
        self.since.acceptance_sum += visit.acceptance;
        self.since.leapfrogs += trajectory.leapfrogs;
        self.since.depth = self.since.depth.max(trajectory.depth);
        self.since.divergent |= trajectory.divergent;
        let total = &mut self.trajectories;
        total.transitions += 1;
        total.leapfrogs += trajectory.leapfrogs;
        total.tree_depth_sum += u64::from(trajectory.depth);
        let max_depth_hits = kernel
            .max_depth()
            .is_some_and(|most| trajectory.depth >= most);
        total.max_depth_hits += u64::from(max_depth_hits);
        if trajectory.divergent {
            total.divergent += 1;
            if total.divergent <= Trajectories::KEPT as u64 {
                let start = quantities.output(visit.start);
                total.divergent_starts.extend(start);
            }
        }
        self.energy.learn(trajectory.energy);
        self.slopes.learn(visit.gradient);
    }

    /// Stores the position of a chain as a draw.
    pub(in crate::engine) fn keep(&mut self, visit: &Visit<'_>, quantities: &dyn Quantities) {
        self.draws.extend(quantities.output(visit.position));
        self.positions.extend_from_slice(visit.position);
        self.log_prior.push(visit.log_prior);
        self.log_likelihood.push(visit.log_likelihood);
        let since = std::mem::take(&mut self.since);
        let statistics = &mut self.statistics;
        if since.transitions == 0 {
            // the last transition of the burn-in
            statistics.acceptance.push(visit.acceptance);
            statistics.leapfrogs.push(visit.trajectory.leapfrogs);
            statistics.depth.push(visit.trajectory.depth);
            statistics.divergent.push(visit.trajectory.divergent);
        } else {
            let mean = since.acceptance_sum / since.transitions as f64;
            statistics.acceptance.push(mean);
            statistics.leapfrogs.push(since.leapfrogs);
            statistics.depth.push(since.depth);
            statistics.divergent.push(since.divergent);
        }
        statistics.energy.push(visit.trajectory.energy);
    }

    /// Number of divergent trajectories.
    pub(in crate::engine) fn divergent(&self) -> u64 {
        self.trajectories.divergent
    }

    /// Mean acceptance probability; `None` before the first transition.
    pub(in crate::engine) fn acceptance(&self) -> Option<f64> {
        let transitions = self.transitions() as f64;
        (transitions > 0.0).then(|| self.acceptance_sum / transitions)
    }

    /// The chain as a group of a run, with the trajectories of this record.
    pub(in crate::engine) fn into_group(
        mut self,
        index: u64,
        chain: Chain,
        counts: Counts,
    ) -> Group {
        self.trajectories.e_bfmi = self.energy.e_bfmi();
        if self.statistics.leapfrogs.iter().all(|steps| *steps == 0) {
            self.statistics = Statistics {
                acceptance: self.statistics.acceptance,
                ..Statistics::default()
            };
        }
        let chain = Chain {
            mean_slopes: self.slopes.means(),
            trajectories: (self.trajectories.leapfrogs > 0).then_some(self.trajectories),
            ..chain
        };
        Group {
            draws: self.draws,
            positions: self.positions,
            log_prior: self.log_prior,
            log_likelihood: self.log_likelihood,
            statistics: self.statistics,
            counts,
            ..Group::new(index, chain)
        }
    }
}

/// Sums over the energies of a chain's trajectories.
///
/// ```text
/// E-BFMI = Σ (E_n - E_{n-1})² / Σ (E_n - Ē)²        Betancourt (2016), equation 7
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct EnergyRecord {
    count: f64,
    last: f64,
    mean: f64,
    squares: f64,
    jumps: f64,
}

impl EnergyRecord {
    fn learn(&mut self, energy: f64) {
        if self.count > 0.0 {
            self.jumps += (energy - self.last).powi(2);
        }
        self.last = energy;
        self.count += 1.0;
        let distance = energy - self.mean;
        self.mean += distance / self.count;
        self.squares += distance * (energy - self.mean);
    }

    /// NaN if the energy never changed.
    fn e_bfmi(&self) -> f64 {
        self.jumps / self.squares
    }
}
