//! The result of an inference: draws, evidence, history and counts, as plain data.

mod draws;
mod error;
#[cfg(test)]
pub(crate) mod example;
mod intact;
mod layout;
mod number;
mod trajectories;
mod weights;

pub use crate::density::{Counts, NonFinite};
pub use draws::{DrawView, Draws};
pub use error::RunError;
pub use layout::{Layout, Variable, VariableKind};
pub use trajectories::Trajectories;
pub use weights::Weights;

use crate::density::Arithmetic;
use crate::model::Statement;
use serde::{Deserialize, Serialize};

/// What an engine produced, group by group: islands for SMC, chains for MCMC.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// The model function's name.
    pub model: String,
    /// The engine: `smc`, `psmc`, `nuts`, `hmc`, `pcn` or `random_walk`.
    pub engine: String,
    /// The Markov kernel: `nuts`, `hmc`, `pcn` or `random_walk`.
    pub kernel: String,
    /// The user's seed.
    pub seed: u64,
    /// How the model was evaluated.
    pub arithmetic: Arithmetic,
    /// How the groups are weighted.
    pub weighting: Weighting,
    /// Names and shapes of the columns of the draws.
    pub layout: Layout,
    /// The model's statements, to which counts refer.
    pub statements: Vec<StatementInfo>,
    /// Islands or chains, in index order.
    pub groups: Vec<Group>,
}

/// A statement as kept with a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementInfo {
    /// The statement's text.
    pub text: String,
    /// The line in the model's source file.
    pub line: u32,
    /// Whether it draws from a prior that is no probability distribution.
    #[serde(default)]
    pub improper: bool,
}

impl From<&Statement> for StatementInfo {
    fn from(statement: &Statement) -> Self {
        Self {
            text: statement.text.to_owned(),
            line: statement.line,
            improper: false,
        }
    }
}

/// How islands or chains are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Weighting {
    /// Islands weighted by their evidence: consistent as the number of islands grows.
    Evidence,
    /// The plain average over islands: keeps the bias of order 1/N (the baseline the papers warn of).
    Equal,
    /// Chains: every draw counts the same and there is no evidence.
    Chains,
}

/// One island or one chain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Group {
    /// Log evidence of this island; `None` for a chain.
    #[serde(with = "number::option")]
    pub log_evidence: Option<f64>,
    /// Constrained values, `[draws, layout.elements()]` row-major; equally weighted within the group.
    #[serde(with = "number::many")]
    pub draws: Vec<f64>,
    /// For each draw the index of the particle drawn from the prior that it descends from; empty for a chain.
    pub ancestors: Vec<u32>,
    /// Temperature by temperature for an island; for a chain, one entry for its draws.
    pub history: Vec<Stage>,
    /// Work done and non-finite densities met.
    pub counts: Counts,
    /// The trajectories between the draws of a chain with a Hamiltonian kernel.
    #[serde(default)]
    pub trajectories: Option<Trajectories>,
}

/// What happened at one temperature, or over the draws of a chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Power of the likelihood, 0 to 1.
    #[serde(with = "number::one")]
    pub lambda: f64,
    /// Effective sample size of the reweighted particles before resampling (particles).
    #[serde(with = "number::one")]
    pub ess: f64,
    /// Log of the mean incremental weight, this stage's factor of the evidence.
    #[serde(with = "number::one")]
    pub log_increment: f64,
    /// Mean acceptance probability of the moves.
    #[serde(with = "number::one")]
    pub acceptance: f64,
    /// The kernel's step size used.
    #[serde(with = "number::one")]
    pub step_size: f64,
    /// Mutation steps M; for a chain, steps from one draw to the next.
    pub mutations: usize,
    /// Distinct particles left by the resampling.
    pub unique_ancestors: usize,
}

impl Run {
    /// Work done and non-finite densities of all groups together.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut total = Counts::default();
        for group in &self.groups {
            total.merge(&group.counts);
        }
        total
    }
}
