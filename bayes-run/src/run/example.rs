//! Small synthetic runs for the tests of this crate and of the crates above it.

use crate::density::{Arithmetic, GradientMode};
use crate::dist::Shape;
use crate::model::{Layout, StatementInfo, Variable, VariableKind};
use crate::rng::{Key, Purpose};
use crate::run::{
    Chain, Counts, Ended, Exchanges, FIT_FORMAT, FORMAT, Fit, Group, GroupKind, Independent,
    Island, Objective, Origin, Restart, Run, Stage, Weighting,
};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::collections::BTreeMap;

/// A variable of real numbers.
pub fn variable(name: &str, shape: Shape, offset: usize) -> Variable {
    Variable {
        dims: Vec::new(),
        turns: Vec::new(),
        is_angle: false,
        name: name.to_owned(),
        shape,
        kind: VariableKind::Continuous,
        offset,
    }
}

/// A scalar `mu` and a vector `beta` of this length.
#[must_use]
pub fn layout(length: usize) -> Layout {
    let variables = vec![
        variable("mu", Shape::Scalar, 0),
        variable("beta", Shape::Vector(length), 1),
    ];
    Layout {
        variables,
        dim: 1 + length,
    }
}

/// Standard normal numbers from a stream of their own.
pub fn normals(item: u64, count: usize) -> Vec<f64> {
    let key = Key::new(7, Purpose::Validation).item(item);
    let mut stream = key.stream();
    (0..count).map(|_| stream.sample(StandardNormal)).collect()
}

/// What a group of [`islands`] has, for changes.
///
/// # Panics
/// If it is no island.
pub fn of_island(group: &mut Group) -> &mut Island {
    group.island_mut().expect("it is an island")
}

/// What a group of [`chains`] has, for changes.
///
/// # Panics
/// If it is no chain.
pub fn of_chain(group: &mut Group) -> &mut Chain {
    group.chain_mut().expect("it is a chain")
}

/// What the draws of an [`approximation`] have, for changes.
///
/// # Panics
/// If they are not independent.
pub fn of_draws(group: &mut Group) -> &mut Independent {
    group.independent_mut().expect("they are independent")
}

/// A healthy stage at power `lambda`.
pub fn stage(lambda: f64, particles: usize) -> Stage {
    Stage {
        lambda,
        level: None,
        particles,
        states: particles,
        ess: 0.5 * particles as f64,
        log_increment: -1.0,
        acceptance: 0.65,
        step_size: 0.3,
        mutations: 10,
        relaxation_time: 3.0,
        jump_time: 2.0,
        leapfrog_steps: 12,
        unique_parents: particles / 2,
    }
}

/// A run of these groups, at least one.
///
/// # Panics
/// Without groups.
#[must_use]
pub fn run(engine: &str, kernel: &str, groups: Vec<Group>) -> Run {
    let kind = groups[0].origin.kind();
    Run {
        model: "line".to_owned(),
        engine: engine.to_owned(),
        kernel: kernel.to_owned(),
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        random_numbers: "0a1b2c3d".to_owned(),
        fingerprint: "00000000deadbeef".to_owned(),
        settings: BTreeMap::new(),
        seed: 1,
        arithmetic: Arithmetic {
            gradient: GradientMode::Reverse,
            reason: "12 operations, recorded once, are replayed for 32 particles at a time"
                .to_owned(),
            instruction_set: "avx2".to_owned(),
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
        kind,
        weighting: match kind {
            GroupKind::Islands => Weighting::Evidence,
            _ => Weighting::Equal,
        },
        layout: layout(2),
        source: String::new(),
        recipe: None,
        statements: vec![StatementInfo {
            text: "observe(y[i], Normal::new(mu, 1.0))".to_owned(),
            line: 12,
            improper: false,
            words: None,
        }],
        part_of: None,
        is_stopped: false,
        groups,
    }
}

/// Draws of a standard normal in three dimensions, whose coordinates are their output.
fn group(index: usize, origin: impl Into<Origin>, draws: Vec<f64>) -> Group {
    let squares = |draw: &[f64]| draw.iter().map(|x| x * x).sum::<f64>();
    let log_prior: Vec<f64> = draws
        .chunks_exact(3)
        .map(|draw| -0.5 * squares(draw))
        .collect();
    Group {
        positions: draws.clone(),
        draws,
        log_likelihood: vec![-1.0; log_prior.len()],
        log_prior,
        ..Group::new(index as u64, origin)
    }
}

/// Three stages whose increments sum to the log evidence; two, if all particles then had density zero.
fn history(log_evidence: f64, particles: usize) -> Vec<Stage> {
    let is_dead = log_evidence == f64::NEG_INFINITY;
    let (lambdas, log_increment): (&[f64], f64) = match is_dead {
        true => (&[0.1, 0.4], -1.0),
        false => (&[0.1, 0.4, 1.0], log_evidence / 3.0),
    };
    let stages = lambdas.iter().map(|lambda| Stage {
        log_increment,
        ..stage(*lambda, particles)
    });
    stages.collect()
}

/// Healthy islands of standard normal draws with the given log evidences.
pub fn islands(log_evidence: &[f64], particles: usize) -> Run {
    let island = |(p, log_evidence): (usize, &f64)| {
        let island = Island {
            log_evidence: Some(*log_evidence),
            ancestors: (0..particles as u32).map(|i| i - i % 2).collect(),
            history: history(*log_evidence, particles),
            ..Island::default()
        };
        Group {
            counts: Counts {
                density_evaluations: 100,
                gradient_evaluations: 1000,
                ..Counts::default()
            },
            ..group(p, island, normals(p as u64, 3 * particles))
        }
    };
    let groups = log_evidence.iter().enumerate().map(island).collect();
    run("psmc", "hmc", groups)
}

/// [`chains`] of four draws each with the statistics of NUTS; the second transition of each chain diverges.
#[cfg(feature = "io")]
pub fn nuts_chains(count: usize) -> Run {
    let mut run = chains(count, 4);
    for group in &mut run.groups {
        of_chain(group).history = vec![stage(1.0, 1)];
        group.statistics = crate::run::Statistics {
            acceptance: vec![0.75; 4],
            energy: vec![5.5, 6.5, 7.0, 1.0],
            leapfrogs: vec![7; 4],
            depth: vec![3; 4],
            divergent: vec![false, true, false, false],
        };
    }
    run
}

/// Healthy chains of independent standard normal draws.
pub fn chains(chains: usize, draws: usize) -> Run {
    let chain = |c: usize| {
        let chain = Chain {
            history: vec![stage(1.0, draws); 2],
            ..Chain::default()
        };
        Group {
            counts: Counts {
                gradient_evaluations: 500,
                ..Counts::default()
            },
            ..group(c, chain, normals(1000 + c as u64, 3 * draws))
        }
    };
    run("hmc", "hmc", (0..chains).map(chain).collect())
}

/// Healthy chains of parallel tempering at four temperatures, each with the given swap acceptance and
/// round trips.
pub fn tempered(chains: usize, draws: usize, swap_acceptance: f64, round_trips: u64) -> Run {
    let exchanges = Exchanges {
        scans: draws as u64,
        round_trips,
        swap_acceptance: vec![swap_acceptance; 3],
    };
    let chain = |c: usize| {
        let log_evidence = -3.0 + 0.1 * c as f64;
        let stage = |lambda| Stage {
            log_increment: log_evidence / 4.0,
            ..stage(lambda, draws)
        };
        let chain = Chain {
            history: [0.0, 0.1, 0.4, 1.0].map(stage).to_vec(),
            exchanges: Some(exchanges.clone()),
            ..Chain::default()
        };
        group(c, chain, normals(1000 + c as u64, 3 * draws))
    };
    let groups = (0..chains).map(chain).collect();
    run("tempering", "hmc", groups)
}

/// Draws of the Gaussian N(0, scale² I) that approximates the standard normal posterior.
pub fn approximation(draws: usize, scale: f64) -> Run {
    let values: Vec<f64> = normals(2000, 3 * draws).iter().map(|z| scale * z).collect();
    let log_normaliser = 1.5 * std::f64::consts::TAU.ln() + 3.0 * scale.ln();
    let mut group = group(0, Independent::default(), values);
    let log_approximation = |log_prior: &f64| log_prior / (scale * scale) - log_normaliser;
    let log_approximation = group.log_prior.iter().map(log_approximation).collect();
    of_draws(&mut group).log_approximation = log_approximation;
    run("mean_field", "mean_field", vec![group])
}

/// A fit of the example's model with three restarts; the second is best.
pub fn fit() -> Fit {
    let run = islands(&[0.0], 2);
    let restart = |shift: f64| Restart {
        position: vec![0.5 + shift; 3],
        values: vec![0.5 + shift, 1.5, -2.0],
        log_prior: -4.0,
        log_likelihood: -8.25 - shift.abs(),
        log_density: -12.25 - shift.abs(),
        gradient_norm: 1e-7,
        losses: vec![20.0, 13.0, 12.25],
        validation_losses: Vec::new(),
        ended: Ended::Converged,
        maximum: None,
    };
    let mut restarts = vec![restart(0.5), restart(0.0), restart(1e-9)];
    restarts[2].ended = Ended::NotFinite {
        epoch: 3,
        statement: "`observe(y, Normal::new(mu, 1.0))` (line 3) is NaN".to_owned(),
    };
    Fit {
        model: run.model,
        format: FIT_FORMAT,
        version: "0.1.0".to_owned(),
        fingerprint: run.fingerprint,
        objective: Objective::Values,
        optimiser: "lbfgs".to_owned(),
        settings: BTreeMap::new(),
        seed: 7,
        arithmetic: Arithmetic {
            gradient: GradientMode::Reverse,
            reason: "a test".to_owned(),
            instruction_set: "avx2".to_owned(),
            trace: None,
            untraceable: None,
            has_dual_numbers: false,
            recording: None,
        },
        layout: Layout {
            dim: 3,
            ..run.layout
        },
        statements: run.statements,
        best: 1,
        restarts,
        counts: Counts::default(),
    }
}

/// Places in a file of this length at which damage is tried: all of its head and of its end, and each fifth between.
pub fn damaged_places(length: usize) -> impl Iterator<Item = usize> {
    (0..length)
        .filter(move |place| *place < 200 || *place + 200 >= length || place.is_multiple_of(5))
}
