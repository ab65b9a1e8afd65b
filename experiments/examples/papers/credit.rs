//! Australian credit: the variance of the posterior mean against the number P of nodes (the comparison, figure 7).
//!
//! Logistic regression of 690 applications on 15 coefficients under the prior N(0, 100 I), all methods by pCN except MH, a random walk. A
//! node has N = 64 particles with M = 20 moves at each temperature, or with M = 100, which mix better; or 64 particles of annealed
//! importance sampling with 6 moves at each of 40 temperatures; or 64 chains of 240 moves, each of which keeps its last state. One chain of
//! MH makes as many moves as P nodes. The experiment `family` compares the same engines with the moves and settings of the library.
//!
//! Published: 1/P for parallel SMC, which is better than parallel chains and annealed importance sampling. The figure has no numbers.

use crate::Lab;
use crate::problem::{Normal, fill_normal};
use crate::statistics::line;
use crate::study::{self, Answer, LOG_EVIDENCE, Member, Row, Truth, forty};
use crate::trial::{Moves, finished, smc};
use bayes::density::{Block, LogDensity, Prior};
use bayes::engine::{Chains, Smc};
use bayes::kernel::Kernel;
use bayes::nalgebra::{DMatrix, DMatrixView};
use bayes::prelude::*;
use bayes_experiments::cells::{Cell, file_name};
use bayes_experiments::chart::Quantity;
use bayes_experiments::common::credit_applications;
use serde_json::{Value, json};
use std::sync::OnceLock;

/// Particles, or chains, of a node.
const PARTICLES: usize = 64;
/// Moves at each temperature.
const MOVES: usize = 20;
/// Moves that mix well.
const MANY_MOVES: usize = 100;
/// Moves of a chain of a node: about those of a particle.
const STEPS: usize = 240;

/// The posterior of the coefficients divided by 10, with the prior N(0, I).
struct Credit {
    /// The covariates times 10, `[690, 15]`.
    x: DMatrix<f64>,
    /// 1 for an approved application, otherwise -1.
    sign: Vec<f64>,
    normal: Normal,
}

impl Credit {
    fn new() -> Self {
        let (x, y) = credit_applications();
        let sign = |y: &bool| if *y { 1.0 } else { -1.0 };
        Self {
            normal: Normal::new(x.ncols()),
            x: x * 10.0,
            sign: y.iter().map(sign).collect(),
        }
    }

    /// The log likelihood `Σ -log(1 + exp(-s xᵀ beta))` of all particles by one matrix product, and its gradient by another.
    fn fill(&self, block: &mut Block<'_>, weights: Option<[f64; 2]>) {
        fill_normal(block, weights);
        let particles = block.len();
        let positions = DMatrixView::from_slice(block.positions, block.dim, particles);
        let mut scores = &self.x * positions;
        for (i, mut column) in scores.column_iter_mut().enumerate() {
            block.log_likelihood[i] = 0.0;
            for (score, sign) in column.iter_mut().zip(&self.sign) {
                let own = sign * *score;
                // small is exp(-|own|), so that nothing overflows
                let small = (-own.abs()).exp();
                block.log_likelihood[i] += own.min(0.0) - small.ln_1p();
                let missing = if own > 0.0 { small } else { 1.0 };
                *score = sign * missing / (1.0 + small);
            }
        }
        if let Some([_, weight]) = weights {
            let slopes = self.x.tr_mul(&scores);
            let pairs = block.gradient.iter_mut().zip(slopes.as_slice());
            pairs.for_each(|(gradient, slope)| *gradient += weight * slope);
        }
    }
}

impl LogDensity for Credit {
    fn dim(&self) -> usize {
        self.x.ncols()
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        self.fill(block, None);
    }
    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        self.fill(block, Some(weights));
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(&self.normal)
    }
}

const MEMBERS: [Member; 7] = [
    Member {
        names: &[
            ("pSMC-pCN, M = 20", Weighting::Evidence),
            ("equal weights, M = 20", Weighting::Equal),
        ],
        run: |density, islands, seed| {
            finished(island(MOVES, seed).islands(islands).run_on(density))
        },
        smallest: 1,
        groups: 1,
        is_independent: true,
    },
    Member {
        names: &[("island model, M = 20", Weighting::Evidence)],
        run: |density, islands, seed| {
            let psmc = island(MOVES, seed)
                .islands(islands)
                .schedule(ladder(density));
            finished(psmc.interacting(0.5).run_on(density))
        },
        smallest: 2,
        groups: 1,
        is_independent: false,
    },
    Member {
        names: &[("AIS, 40 temperatures", Weighting::Evidence)],
        run: |density, islands, seed| {
            let ais = Inference::ais().islands(islands).particles(PARTICLES);
            let ais = ais.pilot(256).schedule(forty()).mutations(6);
            let ais = ais.kernel(Moves::Pcn.kernel()).seed(seed).progress(false);
            finished(ais.run_on(density))
        },
        smallest: 1,
        groups: 1,
        is_independent: true,
    },
    Member {
        names: &[("pCN∥", Weighting::Equal)],
        run: |density, nodes, seed| short_chains(Inference::pcn(), density, [nodes, seed as usize]),
        smallest: 1,
        groups: PARTICLES,
        is_independent: true,
    },
    Member {
        names: &[("MH∥", Weighting::Equal)],
        run: |density, nodes, seed| {
            short_chains(Inference::random_walk(), density, [nodes, seed as usize])
        },
        smallest: 1,
        groups: PARTICLES,
        is_independent: true,
    },
    Member {
        names: &[("MH, one chain", Weighting::Equal)],
        run: |density, nodes, seed| {
            let steps = PARTICLES * STEPS;
            let chain = Inference::random_walk().chains(1).burn_in(steps);
            let chain = chain.draws(nodes * steps / 4).thin(4).seed(seed);
            finished(chain.progress(false).run_on(density))
        },
        smallest: 1,
        groups: 1,
        is_independent: false,
    },
    Member {
        names: &[
            ("pSMC-pCN, M = 100", Weighting::Evidence),
            ("equal weights, M = 100", Weighting::Equal),
        ],
        run: |density, islands, seed| {
            finished(island(MANY_MOVES, seed).islands(islands).run_on(density))
        },
        smallest: 1,
        groups: 1,
        is_independent: true,
    },
];

fn island(moves: usize, seed: u64) -> Smc<Box<dyn Kernel>> {
    smc(Moves::Pcn, PARTICLES, moves, seed)
}

/// The chains of several nodes, by a seed.
fn short_chains<K: Kernel>(
    chains: Chains<K>,
    density: &dyn LogDensity,
    [nodes, seed]: [usize; 2],
) -> Run {
    let chains = chains.chains(nodes * PARTICLES).burn_in(STEPS).draws(1);
    finished(chains.seed(seed as u64).progress(false).run_on(density))
}

/// A ladder for islands that advance together, from an island with many particles.
fn ladder(density: &dyn LogDensity) -> Schedule {
    static LADDER: OnceLock<Vec<f64>> = OnceLock::new();
    let learn = || {
        let run = finished(smc(Moves::Pcn, 512, MOVES, 0).run_on(density));
        let history = run.groups[0].history().iter();
        history.map(|stage| stage.lambda).collect()
    };
    Schedule::fixed(LADDER.get_or_init(learn).iter().copied())
}

/// The answers of a repeat, by the index of the name and P.
type Found = Vec<((usize, usize), Vec<Answer>)>;

pub fn run(lab: &Lab) -> Value {
    let largest: usize = lab.options.size(32, 2);
    let repeats = lab.options.size(16, 2) as u64;
    let members: &[usize] = if lab.options.quick {
        &[0, 3]
    } else {
        &[0, 1, 2, 3, 4, 5, 6]
    };
    let truth = truth(lab);
    let cells: Vec<Cell<(usize, usize, u64)>> = members
        .iter()
        .flat_map(|member| {
            let member = *member;
            (0..repeats).map(move |repeat| Cell {
                name: format!("credit-{}-{repeat}", file_name(MEMBERS[member].names[0].0)),
                settings: (member, largest, repeat),
            })
        })
        .collect();
    let found: Vec<Found> = lab.cells.run(&cells, |(member, largest, repeat)| {
        let seed = 1000 * lab.cells.seed + repeat;
        let answers = MEMBERS[*member].answers(&Credit::new(), (*largest, 1), seed);
        answers.into_iter().collect()
    });
    Row::head("epochs").iter().for_each(|line| lab.say(line));
    let mut rows: Vec<Row> = Vec::new();
    for (member, found) in members.iter().zip(found.chunks(repeats as usize)) {
        let member = &MEMBERS[*member];
        let mut keys: Vec<(usize, usize)> = found[0].iter().map(|(key, _)| *key).collect();
        keys.sort_unstable();
        for key in keys {
            let of = |cell: &Found| {
                let own = cell.iter().filter(|(other, _)| *other == key);
                own.flat_map(|(_, answers)| answers.clone())
                    .collect::<Vec<_>>()
            };
            let answers: Vec<Answer> = found.iter().flat_map(of).collect();
            let row = Row::of(member.names[key.0].0, key.1, &answers, &truth);
            lab.say(&row.line());
            rows.push(row);
        }
    }
    let slopes = slopes(lab, &rows);
    let cost = Quantity::new("likelihoods of a run, millions");
    lab.figures.write("credit", || study::svg(&rows, cost));
    json!({ "rows": rows.iter().map(Row::json).collect::<Value>(), "slopes": slopes, "log_evidence": LOG_EVIDENCE })
}

/// Means and standard deviations by a long run of HMC.
fn truth(lab: &Lab) -> Truth {
    let draws = lab.options.size(20_000, 200);
    let cell = Cell {
        name: "credit-truth".to_owned(),
        settings: draws,
    };
    let mut found = lab.cells.run(&[cell], |draws| {
        let nuts = Inference::nuts().chains(4).burn_in(400).draws(*draws);
        let run = nuts
            .seed(lab.cells.seed)
            .progress(false)
            .run_on(&Credit::new());
        let run = finished(run);
        let named = "a density by hand has the vector `x`";
        Truth {
            mean: run.mean("x").expect(named),
            sd: run.sd("x").expect(named),
        }
    });
    found.remove(0)
}

/// The slope of the log variance of the posterior mean in log P, for each method.
fn slopes(lab: &Lab, rows: &[Row]) -> Value {
    let mut names: Vec<&str> = rows.iter().map(|row| row.member).collect();
    names.dedup();
    let slope = |name: &&str| {
        let own = rows.iter().filter(|row| row.member == *name);
        let points: Vec<[f64; 2]> = own
            .map(|row| [(row.size as f64).ln(), row.mean.variance.ln()])
            .collect();
        let slope = match points.len() {
            0 | 1 => f64::NAN,
            _ => line(&points)[1],
        };
        lab.say(&format!(
            "{name}: variance falls with P to the power {slope:.2}"
        ));
        json!([name, slope])
    };
    names.iter().map(slope).collect()
}
