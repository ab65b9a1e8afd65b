//! Runs of chains that are read from files of draws, without positions and weights.

use crate::density::{Arithmetic, GradientMode};
use crate::model::{Layout, Variable};
use crate::run::{Chain, FORMAT, Group, GroupKind, Run, Statistics, Trajectories, Weighting};
use std::collections::BTreeMap;

/// What the files say about the run that made them.
pub(super) struct Maker {
    pub(super) model: String,
    /// The version of the library.
    pub(super) version: String,
    /// The kernel of the chains.
    pub(super) kernel: String,
    pub(super) settings: BTreeMap<String, String>,
    pub(super) seed: u64,
    /// The kind of files that were read, in words.
    pub(super) read_from: &'static str,
}

impl Maker {
    /// A run of chains with these quantities.
    pub(super) fn run(self, variables: Vec<Variable>, groups: Vec<Group>) -> Run {
        Run {
            model: self.model,
            format: FORMAT,
            version: self.version,
            random_numbers: String::new(),
            fingerprint: format!("{:016x}", 0),
            engine: self.kernel.clone(),
            kernel: self.kernel,
            settings: self.settings,
            seed: self.seed,
            arithmetic: Arithmetic {
                gradient: GradientMode::Automatic,
                reason: self.read_from.to_owned(),
                instruction_set: "unknown".to_owned(),
                trace: None,
                untraceable: None,
                has_dual_numbers: false,
                recording: None,
            },
            gradient_fault: None,
            observed_data: String::new(),
            memory_limit: None,
            rounded_priors: Vec::new(),
            equations: Vec::new(),
            products: Vec::new(),
            not_compared: false,
            kind: GroupKind::Chains,
            weighting: Weighting::Equal,
            layout: Layout { variables, dim: 0 },
            source: String::new(),
            recipe: None,
            statements: Vec::new(),
            part_of: None,
            is_stopped: false,
            groups,
        }
    }
}

/// The statistics of draws from lists of numbers: acceptance, energy, leapfrog steps, depth, and whether the transition diverged (any
/// number but 0). A list is empty where the files lack it.
pub(super) fn statistics(
    [acceptance, energy, leapfrogs, depth, divergent]: [Vec<f64>; 5],
) -> Statistics {
    Statistics {
        acceptance,
        energy,
        leapfrogs: leapfrogs.into_iter().map(|n| n as u64).collect(),
        depth: depth.into_iter().map(|n| n as u32).collect(),
        divergent: divergent.into_iter().map(|flag| flag != 0.0).collect(),
    }
}

/// A chain of `count` draws. `log_density` stands for the log prior; where it is missing, the log prior is minus infinity. `limit` is the
/// largest depth of a trajectory, if known.
pub(super) fn chain(
    index: u64,
    (draws, count): (Vec<f64>, usize),
    log_density: Vec<f64>,
    statistics: Statistics,
    limit: Option<u64>,
) -> Group {
    let chain = Chain {
        trajectories: trajectories(&statistics, limit.unwrap_or(u64::MAX)),
        ..Chain::default()
    };
    Group {
        draws,
        log_prior: match log_density.is_empty() {
            true => vec![f64::NEG_INFINITY; count],
            false => log_density,
        },
        log_likelihood: vec![0.0; count],
        statistics,
        ..Group::new(index, chain)
    }
}

/// The trajectories of a chain of NUTS; `None` for other methods. The files lack the starting points of divergent trajectories.
fn trajectories(statistics: &Statistics, limit: u64) -> Option<Trajectories> {
    let Statistics {
        energy,
        leapfrogs,
        depth,
        divergent,
        ..
    } = statistics;
    if divergent.is_empty() {
        return None;
    }
    let mean = energy.iter().sum::<f64>() / energy.len() as f64;
    let squares: f64 = energy.iter().map(|e| (e - mean).powi(2)).sum();
    let jumps: f64 = energy
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).powi(2))
        .sum();
    Some(Trajectories {
        transitions: divergent.len() as u64,
        leapfrogs: leapfrogs.iter().sum(),
        tree_depth_sum: depth.iter().map(|depth| u64::from(*depth)).sum(),
        max_depth_hits: depth
            .iter()
            .filter(|depth| u64::from(**depth) >= limit)
            .count() as u64,
        divergent: divergent
            .iter()
            .filter(|is_divergent| **is_divergent)
            .count() as u64,
        divergent_starts: Vec::new(),
        e_bfmi: jumps / squares,
    })
}
