//! What can be wrong with a run, in plain words.

mod text;

pub(crate) use text::count;
pub(super) use text::{E_BFMI, EVIDENCE_SE, EVIDENCE_SPREAD};

use serde::{Deserialize, Serialize};

/// A reason not to trust a result as it stands: what, by how much, and what to do.
///
/// Islands, chains and elements are numbered from 0, as in the exports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Warning {
    /// Most of the weight lies on very few islands.
    IslandDominates {
        /// The heaviest island.
        island: usize,
        /// Its weight, 0 to 1.
        weight: f64,
        /// Effective number of islands.
        effective: f64,
        /// Number of islands.
        islands: usize,
    },
    /// Islands differ by more than their particles' own noise.
    IslandsDisagree {
        /// The element with the largest R-hat.
        element: String,
        /// Its R-hat.
        r_hat: f64,
        /// What R-hat should stay below for this run.
        limit: f64,
        /// Number of elements above the limit.
        elements: usize,
    },
    /// Chains have not converged to one distribution.
    ChainsDisagree {
        /// The element with the largest R-hat.
        element: String,
        /// Its R-hat.
        r_hat: f64,
        /// What R-hat should stay below for this run.
        limit: f64,
        /// Number of elements above the limit.
        elements: usize,
        /// Whether a prior is improper, so that islands cannot take the place of chains.
        improper: bool,
    },
    /// The chains' draws are worth too few independent ones.
    ChainsTooShort {
        /// The element with the smallest effective sample size.
        element: String,
        /// The smaller of its bulk and tail effective sample sizes.
        ess: f64,
        /// What it should be at least.
        wanted: f64,
    },
    /// Trajectories diverged.
    Divergences {
        /// Such trajectories after the burn-in.
        divergent: u64,
        /// All trajectories after the burn-in.
        trajectories: u64,
        /// Where they started, if an element tells.
        region: Option<Region>,
    },
    /// A chain's energy changes little from one trajectory to the next.
    LowEnergyFraction {
        /// The chain with the smallest E-BFMI.
        chain: usize,
        /// Its E-BFMI.
        e_bfmi: f64,
        /// Chains with too small a one.
        chains: usize,
    },
    /// Trajectories were cut off at the largest depth.
    DepthReached {
        /// Such trajectories after the burn-in.
        saturated: u64,
        /// All trajectories after the burn-in.
        trajectories: u64,
    },
    /// Islands stopped before they reached the posterior.
    LadderIncomplete {
        /// Number of such islands.
        islands: usize,
        /// The lowest power of the likelihood at which one stopped.
        lambda: f64,
    },
    /// Temperatures follow each other in tiny steps.
    LadderStalled {
        /// The island with the most such steps.
        island: usize,
        /// Number of such steps.
        stalled: usize,
        /// Number of all steps of that island.
        stages: usize,
    },
    /// Hardly any move is accepted.
    LowAcceptance {
        /// Mean acceptance probability at the last stage.
        acceptance: f64,
        /// Stages at which acceptance was too low.
        stages: usize,
        /// All stages.
        of: usize,
    },
    /// A resampling left few distinct particles.
    FewSurvivors {
        /// The island.
        island: usize,
        /// The power of the likelihood at which it happened.
        lambda: f64,
        /// Distinct particles left.
        survivors: usize,
        /// Number of particles.
        particles: usize,
    },
    /// The errors of a single island rest on few families of particles.
    FewAncestors {
        /// Particles of the prior that have descendants in the posterior.
        ancestors: usize,
        /// Number of particles.
        particles: usize,
    },
    /// The log evidence has a large standard error.
    EvidenceImprecise {
        /// The standard error.
        se: f64,
    },
    /// The islands' own log evidences differ much, so that all of them may be too low.
    EvidenceScattered {
        /// Their standard deviation.
        spread: f64,
        /// Number of islands with some evidence.
        islands: usize,
    },
    /// A single island whose ancestry cannot tell an error.
    ErrorsUnknown {
        /// Number of particles.
        particles: usize,
    },
    /// A statement's log density was NaN: however many terms of it were, an evaluation counts once.
    NanDensity {
        /// The statement's text.
        text: String,
        /// Its line in the model's source.
        line: u32,
        /// At how many evaluations.
        times: u64,
        /// Evaluations of the density, with or without gradient.
        evaluations: u64,
        /// A parameter that was not allowed there, in words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<String>,
    },
}

/// Where divergent trajectories started: the element by which these places stand out most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// The element.
    pub element: String,
    /// Its mean there.
    pub there: f64,
    /// Its posterior mean.
    pub mean: f64,
}
