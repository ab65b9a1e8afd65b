//! The result of an inference: draws, evidence, history and counts, as plain data.

mod consistency;
mod controlled;
mod dims;
mod draws;
#[doc(hidden)]
pub mod example;
mod exchanges;
mod file;
mod fit;
mod gains;
mod group;
mod kept;
mod learnt;
mod local_mass;
mod mean_slopes;
mod merge;
mod moves;
mod origin;
mod reader;
mod relabel;
mod save;
pub(crate) mod saved;
mod statistics;
mod trajectories;
mod validate;
mod weights;

pub use crate::density::{Counts, NonFinite, Panics};
pub use crate::error::{
    ApproximationError, FileError, FitError, Kept, PictureError, QuoteFault, RowUnit, RunError,
    TableError,
};
pub use crate::model::{Dim, Layout, StatementInfo, Variable, VariableKind};
pub use controlled::Controlled;
pub use draws::{DrawView, Draws};
pub use exchanges::Exchanges;
pub use file::{RunFile, RunWriter};
pub use fit::{Ended, FIT_FORMAT, Fit, Objective, Restart};
pub use kept::KeptRun;
pub use learnt::Learnt;
pub use local_mass::{LocalDraws, LocalMass};
pub use mean_slopes::MeanSlopes;
pub use origin::*;
pub use statistics::Statistics;
pub use trajectories::Trajectories;
pub use weights::Weights;

// what engines use, and users do not
#[doc(hidden)]
pub use file::{Selection, Spool};
#[doc(hidden)]
pub use gains::add_gains;
#[doc(hidden)]
pub use kept::keep;
#[doc(hidden)]
pub use merge::difference;

use crate::density::{Arithmetic, Equations, GradientFault, Product, RoundedPrior};
use crate::model::Recipe;
use crate::number;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// The format of saved runs that this version writes and reads.
pub const FORMAT: u32 = 4;

/// The setting of a run that missed the requested precision; its value says what was requested.
#[doc(hidden)]
pub const PRECISION_MISSED: &str = "precision_missed";

/// The setting of a run that combines the runs of parts; its value is the number of parts.
#[doc(hidden)]
pub const PARTS: &str = "parts";

/// The setting of a run of one island for which a limit left no room for more; its value is the number of requested islands.
#[doc(hidden)]
pub const LIMITED: &str = "limited";

/// The result of an engine, group by group: islands for SMC, chains for MCMC.
///
/// A run stores what later queries need: positions, log densities, weights and the statistics of every draw. `println!("{run}")` prints its
/// summary and warnings, `{run:#}` with a small histogram of each element.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// The model function's name.
    pub model: String,
    /// The format of the saved run: [`FORMAT`].
    pub format: u32,
    /// The version of the library that made it.
    pub version: String,
    /// A hash of random numbers that the program draws, 8 hexadecimal digits: it differs between versions of `rand`, `chacha20` and
    /// `rand_distr` that draw different numbers. Empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub random_numbers: String,
    /// A hash of the model's text and data and of numbers that it computes ([`fingerprint`](crate::model::fingerprint())), 16 hexadecimal digits:
    /// only runs that share it can be merged.
    pub fingerprint: String,
    /// A hash of exactly the observed values, 16 hexadecimal digits; the predictors and the prior do not count. Empty if unknown: for a
    /// density written by hand, a model with `factor`, files of other programs. Then nothing is compared.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub observed_data: String,
    /// The engine: `smc`, `psmc`, `ais`, `nested`, `tempering`, `laplace`, `mean_field`, `full_rank`, `pathfinder`, `swag`, `ensemble`, or a
    /// kernel's name for its chains.
    pub engine: String,
    /// The Markov kernel, by the name that `kernel::by_name` takes; the engine's name where there is none.
    pub kernel: String,
    /// The engine's settings by name, as text.
    pub settings: BTreeMap<String, String>,
    /// The user's seed.
    pub seed: u64,
    /// How the model was evaluated.
    pub arithmetic: Arithmetic,
    /// Where the gradient disagrees with differences of the density; `None` if it agrees, was not used, or was not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gradient_fault: Option<GradientFault>,
    /// The quantities whose prior draws round to an end of the support or to infinity, often enough to matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounded_priors: Vec<RoundedPrior>,
    /// How well the model's differential equations are solved at draws of each group; empty if it has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub equations: Vec<Equations>,
    /// The vectors that a random scale multiplies, recorded if trajectories diverged or their energies hardly changed. Empty if there are
    /// none or they are unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub products: Vec<Product>,
    /// Whether the limit of time ended the last comparisons: `gradient_fault`, `equations` and `products` are then unknown, and empty.
    #[serde(default, skip_serializing_if = "is_false")]
    pub not_compared: bool,
    /// The kind of the groups.
    pub kind: GroupKind,
    /// How the groups are weighted.
    pub weighting: Weighting,
    /// Names and shapes of the columns of the draws.
    pub layout: Layout,
    /// The source text of the model function; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// What a program built the model from, such as a formula ([`Model::recipe`](crate::model::Model::recipe)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<Recipe>,
    /// The maximum memory in bytes of what is asked of the run, such as [`Run::loo`], together with the run itself: the `memory_limit` of the
    /// engine. It is not saved; `None` in a run that was loaded.
    #[serde(skip)]
    pub memory_limit: Option<u64>,
    /// The model's statements; counts refer to their indices.
    pub statements: Vec<StatementInfo>,
    /// The numbers of the islands or chains of the whole, if this is one of its shards (`Smc::shard`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<Range<u64>>,
    /// Whether the run was stopped before all of its islands or chains were finished.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_stopped: bool,
    /// Islands or chains, in index order.
    pub groups: Vec<Group>,
}

/// Whether a number need not be written, for serde.
#[doc(hidden)]
#[must_use]
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

fn is_false(value: &bool) -> bool {
    !value
}

/// How groups are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weighting {
    /// Islands weighted by their evidence: consistent as the number of islands grows.
    Evidence,
    /// The plain average over groups. Islands keep a bias of order 1/N (the baseline that the papers warn against). For chains it is the
    /// only choice.
    Equal,
}

/// One island, one chain, or one set of independent draws.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Group {
    /// The island's or chain's number in the whole run, which may be spread over several processes.
    pub index: u64,
    /// Constrained values, `[draws, layout.elements()]` row-major.
    #[serde(with = "number::many")]
    pub draws: Vec<f64>,
    /// Unconstrained positions, `[draws, layout.dim]` row-major.
    #[serde(with = "number::many")]
    pub positions: Vec<f64>,
    /// Log prior of each draw with the log Jacobian, `[draws]`.
    #[serde(with = "number::many")]
    pub log_prior: Vec<f64>,
    /// Log likelihood of each draw, `[draws]`.
    #[serde(with = "number::many")]
    pub log_likelihood: Vec<f64>,
    /// Statistics of the transitions to each draw.
    pub statistics: Statistics,
    /// Numbers of evaluations and non-finite densities.
    #[serde(deserialize_with = "Counts::read")]
    pub counts: Counts,
    /// Where the draws come from, with what only draws of this origin have.
    pub origin: Origin,
}

/// Statistics of one temperature, of one level of the likelihood, or of the draws of a chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Power of the likelihood, 0 to 1. With data annealing, the share of the path; in nested sampling, the share of the evidence below
    /// the level.
    #[serde(with = "number::one")]
    pub lambda: f64,
    /// The log likelihood above which the states of nested sampling move; `None` at a temperature.
    #[serde(
        default,
        with = "number::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub level: Option<f64>,
    /// Number of particles N that move; 1 for a chain.
    pub particles: usize,
    /// Number of states that were reweighted: several of each particle; 1 for a chain.
    pub states: usize,
    /// Effective sample size of the reweighted states before resampling, as a number of states; NaN for chains.
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
    /// Leapfrog steps of a trajectory of this step size, the mean of both halves of the particles. 0 for kernels without trajectories and
    /// for chains.
    pub leapfrog_steps: usize,
    /// Mutation steps of each particle; at the posterior they include the steps to further states. For a chain, steps from one draw to the
    /// next.
    pub mutations: usize,
    /// Relaxation time of the moves, in mutation steps: the correlation of a particle with its own past falls by a factor e
    /// in this time; at the posterior, that of the log likelihood alone if SMC walked there. NaN if it was not measured, and for a chain.
    #[serde(with = "number::one")]
    pub relaxation_time: f64,
    /// Relaxation time of the positions alone in mutation steps, from the squared distances of successive states. NaN if it was not
    /// measured, and for a chain.
    #[serde(with = "number::one")]
    pub jump_time: f64,
    /// Number of distinct particles after the resampling.
    pub unique_parents: usize,
}

impl Run {
    /// The formula from which a program made the model, with its data in a few words; otherwise the name of the model.
    #[must_use]
    pub fn title(&self) -> &str {
        let recipe = self.recipe.as_ref();
        recipe.map_or(&self.model, |recipe| &recipe.title)
    }

    /// The formula from which a program made the model; otherwise this name.
    pub(crate) fn title_or(&self, name: &str) -> String {
        let recipe = self.recipe.as_ref();
        recipe.map_or_else(|| name.to_owned(), |recipe| recipe.title.clone())
    }

    /// Whether a quantity or one of its elements, by its name, is not part of the answer, but a coordinate of the sampler: of the model of a
    /// formula, such as its standardised effects. Printed runs, reports and pictures leave it out.
    #[must_use]
    pub fn hides(&self, name: &str) -> bool {
        let quantity = name.split('[').next();
        self.hidden().any(|hidden| quantity == Some(hidden))
    }

    /// The names of the quantities that are not part of the answer ([`Run::hides`]).
    pub fn hidden(&self) -> impl Iterator<Item = &str> {
        let names = self.recipe.iter().flat_map(|recipe| &recipe.hidden);
        let is_there = |name: &&str| self.layout.find(name).is_some();
        names.map(String::as_str).filter(is_there)
    }

    /// Numbers of evaluations and non-finite densities of all groups together.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut total = Counts::default();
        for group in &self.groups {
            total.merge(&group.counts);
        }
        total
    }
}
