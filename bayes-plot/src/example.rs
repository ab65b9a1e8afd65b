//! Small runs with known contents, for the tests.

use bayes_core::density::{Arithmetic, GradientMode};
use bayes_core::dist::Shape;
use bayes_core::rng::{RngExt, stream};
use bayes_core::run::{
    Chain, FORMAT, Group, GroupKind, Island, Layout, Origin, Run, Stage, StatementInfo, Statistics,
    Trajectories, Variable, VariableKind, Weighting,
};
use std::collections::BTreeMap;

/// A scalar `mu` and a vector `beta` of this length.
fn layout(length: usize) -> Layout {
    let variable = |name: &str, shape, offset| Variable {
        dims: Vec::new(),
        turns: Vec::new(),
        name: name.to_owned(),
        shape,
        kind: VariableKind::Continuous,
        offset,
    };
    Layout {
        variables: vec![
            variable("mu", Shape::Scalar, 0),
            variable("beta", Shape::Vector(length), 1),
        ],
        dim: 1 + length,
    }
}

fn run(engine: &str, kind: GroupKind, length: usize, groups: Vec<Group>) -> Run {
    Run {
        model: "line".to_owned(),
        format: FORMAT,
        version: "0.1.0".to_owned(),
        random_numbers: "0a1b2c3d".to_owned(),
        fingerprint: "00000000deadbeef".to_owned(),
        engine: engine.to_owned(),
        kernel: "hmc".to_owned(),
        settings: BTreeMap::from([("particles".to_owned(), "64".to_owned())]),
        seed: 1,
        arithmetic: Arithmetic {
            gradient: GradientMode::Reverse,
            reason: "a test".to_owned(),
            instruction_set: "avx2".to_owned(),
            trace: None,
            untraceable: None,
        },
        gradient_fault: None,
        rounded_priors: Vec::new(),
        equations: Vec::new(),
        products: Vec::new(),
        kind,
        weighting: match kind {
            GroupKind::Islands => Weighting::Evidence,
            _ => Weighting::Equal,
        },
        layout: layout(length),
        source: String::new(),
        recipe: None,
        statements: vec![StatementInfo {
            text: "observe(y[i], Normal::new(mu, 1.0))".to_owned(),
            line: 12,
            improper: false,
        }],
        part_of: None,
        is_stopped: false,
        groups,
    }
}

/// A group of this many draws; `mu` is uniform on `mean` ± 1, so that no draw of `mu` is far away.
fn group((index, origin): (u64, Origin), draws: usize, length: usize, mean: f64) -> Group {
    let mut stream = stream(index);
    let mut uniform = || 2.0 * stream.random::<f64>() - 1.0;
    let row = |_| {
        let mut row = vec![mean + uniform()];
        row.extend((0..length).map(|_| uniform()));
        row
    };
    let values: Vec<f64> = (0..draws).flat_map(row).collect();
    Group {
        positions: values.clone(),
        draws: values,
        log_prior: vec![-1.0; draws],
        log_likelihood: vec![-1.0; draws],
        ..Group::new(index, origin)
    }
}

/// What an island has, for changes.
pub(crate) fn of_island(group: &mut Group) -> &mut Island {
    group.island_mut().expect("it is an island")
}

/// Islands of 64 particles with these log evidences and a ladder of three temperatures. Their `mu` is around the island's number.
pub(crate) fn islands(log_evidence: &[f64]) -> Run {
    let stage = |lambda: f64, log_evidence: f64| Stage {
        lambda,
        level: None,
        particles: 64,
        states: 64,
        ess: 40.0,
        log_increment: log_evidence / 3.0,
        acceptance: 0.7,
        step_size: 0.3,
        mutations: 10,
        relaxation_time: 3.0,
        jump_time: 2.0,
        leapfrog_steps: 12,
        unique_parents: 32,
    };
    let island = |(p, log_evidence): (usize, &f64)| {
        let island = Island {
            log_evidence: Some(*log_evidence),
            ancestors: (0..64).collect(),
            history: [0.001, 0.2, 1.0]
                .map(|lambda| stage(lambda, *log_evidence))
                .to_vec(),
            ..Island::default()
        };
        group((p as u64, island.into()), 64, 2, p as f64)
    };
    let groups = log_evidence.iter().enumerate().map(island).collect();
    run("psmc", GroupKind::Islands, 2, groups)
}

/// Hamiltonian chains of `1 + length` elements. Draws 3 and 7 of chain 0 are divergent; three divergent trajectories started at `mu` = 9.
pub(crate) fn chains(chains: usize, draws: usize, length: usize) -> Run {
    let chain = |c: usize| {
        let mut divergent_starts = Vec::new();
        if c == 0 {
            let start: Vec<f64> = std::iter::once(9.0).chain(vec![0.5; length]).collect();
            divergent_starts = start.repeat(3);
        }
        let chain = Chain {
            trajectories: Some(Trajectories {
                transitions: draws as u64,
                divergent: divergent_starts.len() as u64 / (1 + length as u64),
                divergent_starts,
                e_bfmi: 0.9,
                ..Trajectories::default()
            }),
            ..Chain::default()
        };
        let group = group((100 + c as u64, chain.into()), draws, length, 0.0);
        Group {
            index: c as u64,
            statistics: Statistics {
                energy: group.draws.iter().step_by(1 + length).copied().collect(),
                divergent: (0..draws).map(|i| c == 0 && [3, 7].contains(&i)).collect(),
                ..Statistics::default()
            },
            ..group
        }
    };
    run(
        "nuts",
        GroupKind::Chains,
        length,
        (0..chains).map(chain).collect(),
    )
}
