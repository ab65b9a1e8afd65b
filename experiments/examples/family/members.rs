//! The members of the family.

use crate::study::{Member, forty};
use bayes::density::LogDensity;
use bayes::engine::Smc;
use bayes::prelude::*;
use std::sync::OnceLock;

/// Number of particles of an island.
const PARTICLES: usize = 16;
/// Number of particles of a pilot of annealed importance sampling.
const PILOT: usize = 64;
/// Number of burn-in scans of a chain of parallel tempering, and of its draws.
const SCANS: usize = 50;

/// All members, in the order of the table.
pub const MEMBERS: [Member; 6] = [
    Member {
        names: &[("pSMC, waste-free", Weighting::Evidence)],
        run: |density, islands, seed| run(psmc(islands, seed), density),
        smallest: 1,
        groups: 1,
        is_independent: true,
    },
    Member {
        names: &[
            ("pSMC, standard", Weighting::Evidence),
            ("standard, equal weights", Weighting::Equal),
        ],
        run: |density, islands, seed| run(psmc(islands, seed).states_kept(1), density),
        smallest: 1,
        groups: 1,
        is_independent: true,
    },
    Member {
        names: &[("island model", Weighting::Evidence)],
        run: |density, islands, seed| {
            let psmc = psmc(islands, seed).states_kept(1).schedule(ladder(density));
            run(psmc.interacting(0.5), density)
        },
        smallest: 2,
        groups: 1,
        is_independent: false,
    },
    Member {
        names: &[("AIS, 40 temperatures", Weighting::Evidence)],
        run: |density, islands, seed| {
            run(ais(islands, seed).schedule(forty()).mutations(5), density)
        },
        smallest: 1,
        groups: 1,
        is_independent: true,
    },
    Member {
        names: &[("AIS, adaptive", Weighting::Evidence)],
        run: |density, islands, seed| run(ais(islands, seed), density),
        smallest: 1,
        groups: 1,
        is_independent: true,
    },
    Member {
        names: &[("parallel tempering", Weighting::Equal)],
        run: |density, chains, seed| {
            let engine = Inference::tempering().chains(chains).burn_in(SCANS);
            let engine = engine.draws(SCANS).seed(seed).progress(false);
            engine.run_on(density).expect("the model fits its data")
        },
        smallest: 1,
        groups: 1,
        is_independent: false,
    },
];

fn psmc(islands: usize, seed: u64) -> Smc<Hmc> {
    let psmc = Inference::psmc().islands(islands).particles(PARTICLES);
    psmc.mutations(4).seed(seed).progress(false)
}

fn ais(islands: usize, seed: u64) -> Smc<Hmc> {
    let ais = Inference::ais().islands(islands).particles(PARTICLES);
    ais.pilot(PILOT).seed(seed).progress(false)
}

fn run(smc: Smc<Hmc>, density: &dyn LogDensity) -> Run {
    smc.run_on(density).expect("the model fits its data")
}

/// A ladder for islands that advance together, from a run of one island with many particles.
fn ladder(density: &dyn LogDensity) -> Schedule {
    static LADDER: OnceLock<Vec<f64>> = OnceLock::new();
    let learn = || {
        let smc = Inference::smc().particles(256).states_kept(1);
        let run = run(smc.mutations(4).progress(false), density);
        run.groups[0]
            .history()
            .iter()
            .map(|stage| stage.lambda)
            .collect()
    };
    Schedule::fixed(LADDER.get_or_init(learn).iter().copied())
}
