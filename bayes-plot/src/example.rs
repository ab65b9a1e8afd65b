//! Small runs with known contents, for the tests.

use bayes_core::rng::{RngExt, stream};
pub(crate) use bayes_core::run::example::of_island;
use bayes_core::run::{
    Chain, Group, Island, LocalDraws, LocalMass, Origin, Run, Stage, Statistics, Trajectories,
    example,
};

/// A run of groups with a scalar `mu` and a vector `beta` of this length.
fn run(engine: &str, length: usize, groups: Vec<Group>) -> Run {
    let mut run = example::run(engine, "hmc", groups);
    run.layout = example::layout(length);
    run.settings.insert("particles".to_owned(), "64".to_owned());
    run
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

/// Islands of 64 particles with these log evidences and a ladder of three temperatures. Their `mu` is around the island's number.
pub(crate) fn islands(log_evidence: &[f64]) -> Run {
    let stage = |lambda: f64, log_evidence: f64| Stage {
        ess: 40.0,
        log_increment: log_evidence / 3.0,
        acceptance: 0.7,
        ..example::stage(lambda, 64)
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
    run("psmc", 2, groups)
}

/// Islands whose path from the prior is 3 too low, and whose evidence is by integration around the mode.
pub(crate) fn integrated() -> Run {
    let mut run = islands(&[-6.0, -6.1, -5.9, -6.0]);
    for group in &mut run.groups {
        of_island(group).local_masses = vec![LocalMass {
            mode: vec![0.0; 3],
            values: vec![0.0; 3],
            factor: vec![1.0, 0.0, 1.0, 0.0, 0.0, 1.0],
            radius: 2.5,
            log_mass: -3.0 + 0.9_f64.ln(),
            se: 0.03,
            draws: Some(LocalDraws {
                inside: 0.9,
                near: 1.0,
                se: 0.03,
                degrees_of_freedom: 60.0,
            }),
        }];
    }
    run
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
    run("nuts", length, (0..chains).map(chain).collect())
}
