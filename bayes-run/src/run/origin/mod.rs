//! Where the draws of a group come from: an island, a chain, or independent draws of an approximation.
//!
//! A new kind of engine is a file beside this one, a variant of [`Origin`] with its [`GroupKind`], and its warnings.

mod beyond;
mod chain;
mod independent;
mod island;
mod path;

pub use beyond::{Climbs, Excursions, Maximum, NotSearched, Widened};
pub use chain::Chain;
pub use independent::Independent;
pub use island::Island;
pub use path::{PathFailure, PathfinderPath};

use super::consistency::Consistency;
use super::{Exchanges, Group, RunError, Stage, Trajectories};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Where the draws of a [`Group`] come from, with what only draws of this origin have.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// An island of particles.
    Island(Island),
    /// A Markov chain.
    Chain(Chain),
    /// Independent draws of an approximation.
    Independent(Independent),
}

/// The kind of the groups of a run: the name of their [`Origin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupKind {
    /// Islands of particles, each with an estimate of the evidence.
    Islands,
    /// Markov chains: draws in the order in which they were made. They have no evidence, unless they exchange states with a prior
    /// ([`Chain::exchanges`]).
    Chains,
    /// One group of independent draws of an approximation: of a Gaussian, or the members of an ensemble.
    Independent,
}

impl GroupKind {
    /// What a group is called: `island`, `chain` or `group`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Islands => "island",
            Self::Chains => "chain",
            Self::Independent => "group",
        }
    }

    /// The groups of a run in words.
    pub(super) fn plural(self) -> &'static str {
        match self {
            Self::Islands => "islands",
            Self::Chains => "chains",
            Self::Independent => "independent draws",
        }
    }
}

impl Origin {
    /// The kind of a run of such groups.
    #[must_use]
    pub fn kind(&self) -> GroupKind {
        match self {
            Self::Island(_) => GroupKind::Islands,
            Self::Chain(_) => GroupKind::Chains,
            Self::Independent(_) => GroupKind::Independent,
        }
    }

    /// Further constrained values, each `[places, layout.elements()]` row-major: of modes, and of places where trajectories diverged.
    pub(super) fn draws_mut(&mut self) -> Vec<&mut Vec<f64>> {
        match self {
            Self::Island(island) => {
                let masses = island.local_masses.iter_mut();
                masses.map(|mass| &mut mass.values).collect()
            }
            Self::Chain(chain) => {
                let trajectories = chain.trajectories.iter_mut();
                trajectories.map(|t| &mut t.divergent_starts).collect()
            }
            Self::Independent(independent) => {
                let maxima = independent
                    .climbs
                    .iter_mut()
                    .flat_map(|climbs| &mut climbs.maxima);
                maxima.map(|maximum| &mut maximum.values).collect()
            }
        }
    }

    /// Keeps the data of the first draws.
    pub(super) fn truncate(&mut self, draws: usize) {
        match self {
            Self::Island(island) => {
                island.log_weights.truncate(draws);
                island.ancestors.truncate(draws);
            }
            Self::Chain(_) => {}
            Self::Independent(independent) => {
                independent.log_weights.truncate(draws);
                independent.log_approximation.truncate(draws);
            }
        }
    }

    /// Checks that an engine can have written every number.
    pub(super) fn check(&self, at: &Consistency<'_>) -> Result<(), RunError> {
        match self {
            Self::Island(island) => island.check(at),
            Self::Chain(chain) => chain.check(at),
            Self::Independent(independent) => independent.check(at),
        }
    }
}

/// What an origin is asked. The answers are empty for the origins that have none.
impl Group {
    /// Log evidence of an island, of a chain of parallel tempering, or of a Gaussian approximation; `None` if the group has none.
    #[must_use]
    pub fn log_evidence(&self) -> Option<f64> {
        match &self.origin {
            Origin::Island(island) => island.log_evidence,
            Origin::Chain(chain) => chain.log_evidence(),
            Origin::Independent(independent) => independent.log_evidence,
        }
    }

    /// Log weight of each draw within the group, up to a constant, `[draws]`; empty if all weights are equal.
    #[must_use]
    pub fn log_weights(&self) -> &[f64] {
        match &self.origin {
            Origin::Island(island) => &island.log_weights,
            Origin::Chain(_) => &[],
            Origin::Independent(independent) => &independent.log_weights,
        }
    }

    /// One entry per temperature for an island and for a chain of parallel tempering; one entry for the draws of any other chain.
    #[must_use]
    pub fn history(&self) -> &[Stage] {
        match &self.origin {
            Origin::Island(island) => &island.history,
            Origin::Chain(chain) => &chain.history,
            Origin::Independent(_) => &[],
        }
    }

    /// For each draw, the number of the initial particle from which it descends, `[draws]`; `None` if the draws do not descend from
    /// independent particles, or if this is unknown. An independent draw descends from itself.
    #[must_use]
    pub(crate) fn ancestors(&self) -> Option<Cow<'_, [u32]>> {
        match &self.origin {
            Origin::Island(island) if island.ancestors.is_empty() => None,
            Origin::Island(island) => Some(Cow::Borrowed(&island.ancestors)),
            Origin::Chain(_) => None,
            Origin::Independent(_) => Some((0..self.log_prior.len() as u32).collect()),
        }
    }

    /// What an island has; `None` for another group.
    #[must_use]
    pub fn island(&self) -> Option<&Island> {
        match &self.origin {
            Origin::Island(island) => Some(island),
            _ => None,
        }
    }

    /// As [`Group::island`], for changes.
    pub fn island_mut(&mut self) -> Option<&mut Island> {
        match &mut self.origin {
            Origin::Island(island) => Some(island),
            _ => None,
        }
    }

    /// What a chain has; `None` for another group.
    #[must_use]
    pub fn chain(&self) -> Option<&Chain> {
        match &self.origin {
            Origin::Chain(chain) => Some(chain),
            _ => None,
        }
    }

    /// As [`Group::chain`], for changes.
    pub fn chain_mut(&mut self) -> Option<&mut Chain> {
        match &mut self.origin {
            Origin::Chain(chain) => Some(chain),
            _ => None,
        }
    }

    /// What independent draws have; `None` for another group.
    #[must_use]
    pub fn independent(&self) -> Option<&Independent> {
        match &self.origin {
            Origin::Independent(independent) => Some(independent),
            _ => None,
        }
    }

    /// As [`Group::independent`], for changes.
    pub fn independent_mut(&mut self) -> Option<&mut Independent> {
        match &mut self.origin {
            Origin::Independent(independent) => Some(independent),
            _ => None,
        }
    }

    /// The trajectories of a chain with a Hamiltonian kernel.
    #[must_use]
    pub fn trajectories(&self) -> Option<&Trajectories> {
        self.chain()?.trajectories.as_ref()
    }

    /// The swaps of a chain of parallel tempering.
    #[must_use]
    pub fn exchanges(&self) -> Option<&Exchanges> {
        self.chain()?.exchanges.as_ref()
    }
}
