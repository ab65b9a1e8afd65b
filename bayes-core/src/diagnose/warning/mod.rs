//! Warnings: what can be wrong with a run.

mod text;

pub(crate) use text::count;
pub(super) use text::{E_BFMI, EVIDENCE_SE, EVIDENCE_SPREAD};

use serde::{Deserialize, Serialize};

/// A reason not to trust a result: what is wrong, by how much, and what to do.
///
/// Islands, chains and elements are numbered from 0, as in the exports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Warning {
    /// Most of the weight is on very few islands.
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
    /// Islands differ by more than the noise of their particles explains.
    IslandsDisagree {
        /// The element with the largest R-hat.
        element: String,
        /// Its R-hat.
        r_hat: f64,
        /// The upper limit of R-hat for this run.
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
        /// The upper limit of R-hat for this run.
        limit: f64,
        /// Number of elements above the limit.
        elements: usize,
        /// Whether a prior is improper, so that islands cannot take the place of chains.
        improper: bool,
    },
    /// The effective sample size of the chains is too small.
    ChainsTooShort {
        /// The element with the smallest effective sample size.
        element: String,
        /// The smaller of its bulk and tail effective sample sizes.
        ess: f64,
        /// The recommended minimum.
        wanted: f64,
    },
    /// Trajectories diverged.
    Divergences {
        /// Number of such trajectories after the burn-in.
        divergent: u64,
        /// Number of all trajectories after the burn-in.
        trajectories: u64,
        /// Where they started, if an element stands out.
        region: Option<Region>,
    },
    /// A chain's energy changes little from one trajectory to the next.
    LowEnergyFraction {
        /// The chain with the smallest E-BFMI.
        chain: usize,
        /// Its E-BFMI.
        e_bfmi: f64,
        /// Number of chains whose E-BFMI is too small.
        chains: usize,
    },
    /// Trajectories reached the maximum tree depth.
    DepthReached {
        /// Number of such trajectories after the burn-in.
        saturated: u64,
        /// Number of all trajectories after the burn-in.
        trajectories: u64,
    },
    /// Islands stopped before they reached the posterior.
    LadderIncomplete {
        /// Number of such islands.
        islands: usize,
        /// The lowest power of the likelihood at which one stopped.
        lambda: f64,
    },
    /// The temperature ladder advances in tiny steps.
    LadderStalled {
        /// The island with the most such steps.
        island: usize,
        /// Number of such steps.
        stalled: usize,
        /// Number of all steps of that island.
        stages: usize,
    },
    /// The acceptance rate is too low.
    LowAcceptance {
        /// Mean acceptance probability at the last stage.
        acceptance: f64,
        /// Stages at which acceptance was too low.
        stages: usize,
        /// All stages.
        of: usize,
    },
    /// A resampling kept few distinct particles.
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
    /// The standard errors of a single island rest on few families of particles.
    FewAncestors {
        /// Number of initial particles that have descendants in the posterior.
        ancestors: usize,
        /// Number of particles.
        particles: usize,
    },
    /// The log evidence has a large standard error.
    EvidenceImprecise {
        /// The standard error.
        se: f64,
    },
    /// The log evidences of the islands differ much, so all of them may be too low.
    EvidenceScattered {
        /// Their standard deviation.
        spread: f64,
        /// Number of islands with a finite log evidence.
        islands: usize,
    },
    /// A single island whose ancestry gives no standard error.
    ErrorsUnknown {
        /// Number of particles.
        particles: usize,
    },
    /// A statement's log density was NaN; an evaluation with several NaN terms counts once.
    NanDensity {
        /// The statement's text.
        text: String,
        /// Its line in the model's source.
        line: u32,
        /// Number of such evaluations.
        times: u64,
        /// Number of evaluations of the density, with or without gradient.
        evaluations: u64,
        /// The parameter that was out of range there, in words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<String>,
    },
}

/// Where divergent trajectories started: the element in which their starting points differ most from the posterior.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// The element.
    pub element: String,
    /// Its mean over the starting points.
    pub there: f64,
    /// Its posterior mean.
    pub mean: f64,
}
