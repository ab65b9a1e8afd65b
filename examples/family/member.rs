//! The members of the family, and what they answer.

use crate::credit;
use bayes::Run;
use bayes::engine::Smc;
use bayes::prelude::*;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The model of the credit data.
pub type Credit<'a> = credit<'a, 'a>;

/// Particles of an island.
const PARTICLES: usize = 16;
/// Particles of a pilot of annealed importance sampling.
const PILOT: usize = 64;
/// Scans of burn-in of a chain of parallel tempering, and its draws.
const SCANS: usize = 50;

/// What one run says.
pub struct Answer {
    pub log_evidence: f64,
    /// Posterior means of the coefficients.
    pub mean: Vec<f64>,
    /// Gradients, those of a pilot among them.
    pub gradients: f64,
}

/// An engine with its settings.
pub struct Member {
    /// Its names in the table, each with a weighting of the same islands.
    pub names: &'static [(&'static str, Weighting)],
    /// Runs it with P islands or chains.
    run: fn(&Credit<'_>, usize, u64) -> Run,
    /// The smallest P.
    smallest: usize,
    /// Whether islands are independent, so that any P of the largest run are a run of P.
    pub is_independent: bool,
}

/// All members, in the order of the table.
pub const MEMBERS: [Member; 6] = [
    Member {
        names: &[("pSMC, waste-free", Weighting::Evidence)],
        run: |model, islands, seed| run(psmc(islands, seed), model),
        smallest: 1,
        is_independent: true,
    },
    Member {
        names: &[
            ("pSMC, standard", Weighting::Evidence),
            ("standard, equal weights", Weighting::Equal),
        ],
        run: |model, islands, seed| run(psmc(islands, seed).states_kept(1), model),
        smallest: 1,
        is_independent: true,
    },
    Member {
        names: &[("island model", Weighting::Evidence)],
        run: |model, islands, seed| {
            let psmc = psmc(islands, seed).states_kept(1).schedule(ladder(model));
            run(psmc.interacting(0.5), model)
        },
        smallest: 2,
        is_independent: false,
    },
    Member {
        names: &[("AIS, 40 temperatures", Weighting::Evidence)],
        run: |model, islands, seed| run(ais(islands, seed).schedule(forty()).mutations(5), model),
        smallest: 1,
        is_independent: true,
    },
    Member {
        names: &[("AIS, adaptive", Weighting::Evidence)],
        run: |model, islands, seed| run(ais(islands, seed), model),
        smallest: 1,
        is_independent: true,
    },
    Member {
        names: &[("parallel tempering", Weighting::Equal)],
        run: |model, chains, seed| {
            let engine = Inference::tempering().chains(chains).burn_in(SCANS);
            let engine = engine.draws(SCANS).seed(seed).progress(false);
            engine.run(model).expect("the model fits its data")
        },
        smallest: 1,
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

fn run(smc: Smc<Hmc>, model: &Credit<'_>) -> Run {
    smc.run(model).expect("the model fits its data")
}

/// The ladder of 40 temperatures of "SMC Is All You Need", after Neal (2001).
fn forty() -> Schedule {
    let fine = (1..=4).map(|k| 0.00025 * f64::from(k));
    let middle = (1..=7).map(|k| 0.001 * 10f64.powf(f64::from(k) / 7.0));
    let coarse = (1..=29).map(|k| 0.01 * 100f64.powf(f64::from(k) / 29.0));
    Schedule::fixed(fine.chain(middle).chain(coarse))
}

/// A ladder for islands that advance together, from a run of an island of many particles.
fn ladder(model: &Credit<'_>) -> Schedule {
    static LADDER: OnceLock<Vec<f64>> = OnceLock::new();
    let learn = || {
        let smc = Inference::smc().particles(256).states_kept(1);
        let run = run(smc.mutations(4).progress(false), model);
        run.groups[0]
            .history
            .iter()
            .map(|stage| stage.lambda)
            .collect()
    };
    Schedule::fixed(LADDER.get_or_init(learn).iter().copied())
}

/// The answers of repeated runs with P islands or chains: a name, P and the runs.
pub type Answers = BTreeMap<(usize, usize), Vec<Answer>>;

impl Member {
    /// The answers with P = 1, 2, 4, ... up to the largest, by the place of the name and P.
    pub fn answers(
        &self,
        model: &Credit<'_>,
        (largest, repeats): (usize, usize),
        seed: u64,
    ) -> Answers {
        let sizes: Vec<usize> = (0..)
            .map(|k| self.smallest << k)
            .take_while(|size| *size <= largest)
            .collect();
        let seeds = (0..repeats as u64).into_par_iter();
        let one = |repeat| {
            let seed = 1000 * seed + repeat;
            let mut answers = Vec::new();
            let pool = self
                .is_independent
                .then(|| (self.run)(model, largest, seed));
            for size in &sizes {
                let own = || (self.run)(model, *size, seed);
                let run = pool.clone().unwrap_or_else(own);
                for (place, (_, weighting)) in self.names.iter().enumerate() {
                    let own: Vec<Answer> =
                        parts(&run.clone().reweighted(*weighting), *size).collect();
                    answers.push(((place, *size), own));
                }
            }
            answers
        };
        let found: Vec<Vec<_>> = seeds.map(one).collect();
        let mut answers = Answers::new();
        for (key, own) in found.into_iter().flatten() {
            answers.entry(key).or_default().extend(own);
        }
        answers
    }
}

/// The answers of the first P islands of a run, the next P, and so on.
fn parts(run: &Run, size: usize) -> impl Iterator<Item = Answer> + '_ {
    let gradients = |island: &bayes::run::Group| island.counts.gradient_evaluations as f64;
    // the gradients of the first island include those of the pilot, which every run would have
    let others: f64 = run.groups[1..].iter().map(gradients).sum();
    let island = others / (run.groups.len() - 1) as f64;
    let has_pilot = run.is_evidence_unbiased();
    let pilot = if has_pilot {
        gradients(&run.groups[0]) - island
    } else {
        0.0
    };
    let (all, whole) = (run.counts().gradient_evaluations as f64, run.groups.len());
    run.groups.chunks(size).map(move |islands| {
        let part = Run {
            groups: islands.to_vec(),
            ..run.clone()
        };
        Answer {
            gradients: if size == whole {
                all
            } else {
                pilot + size as f64 * island
            },
            ..answer(&part)
        }
    })
}

fn answer(run: &Run) -> Answer {
    Answer {
        log_evidence: run.log_evidence().expect("the engine gives the evidence"),
        mean: run.mean("beta").expect("the model has coefficients"),
        gradients: run.counts().gradient_evaluations as f64,
    }
}
