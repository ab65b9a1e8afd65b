//! Quantum state tomography of 1 to 4 qubits ("SMC Is All You Need", section 4.2): parallel SMC and chains, by pCN and by HMC.
//!
//! The paper runs pCN with N = 32 particles and M = d moves, and a chain of pCN without burn-in, on 10 states. Without a burn-in a chain of
//! this library keeps its first step size, so a chain with a burn-in, which is not counted, is run too. The paper prints no number of
//! shots; here there are 100 for each setting. The error is the squared Frobenius norm of the difference from the posterior mean (from long
//! chains of NUTS), averaged over states. HMC, with M = 10 moves of ten leapfrog steps, and NUTS are not in the paper.

mod row;
mod speed;
mod state;

use crate::Lab;
use crate::nodes::{Batch, Found, Method, Serial, Walk, running};
use crate::statistics::mean;
use crate::trial::{Moves, finished};
use bayes::density::Posterior;
use bayes::prelude::*;
use bayes_experiments::cells::Cell;
use row::Row;
use serde_json::{Value, json};
use state::{DensityMatrix, Problem, Truth, truths};

/// Number of particles of a node.
const PARTICLES: usize = 32;
/// Number of moves of HMC at each temperature; pCN makes as many as there are coordinates.
const HMC_MUTATIONS: usize = 10;
/// Burn-in of NUTS, which is included in its cost.
const NUTS_BURN_IN: usize = 500;
/// Number of shots of each setting.
const SHOTS: u64 = 100;

/// The size of the experiment for a number of qubits.
struct Size {
    qubits: usize,
    states: usize,
    /// Number of nodes for each state, a power of two.
    nodes: usize,
    /// Number of draws of NUTS, a power of two; each of the chains that give the posterior mean has as many.
    draws: usize,
    /// Nodes at the published crossover, its error, its seconds.
    published: (usize, &'static str, &'static str),
}

const fn size(
    qubits: usize,
    [states, nodes, draws]: [usize; 3],
    published: (usize, &'static str, &'static str),
) -> Size {
    Size {
        qubits,
        states,
        nodes,
        draws,
        published,
    }
}

const SIZES: [Size; 4] = [
    size(1, [10, 64, 8192], (1, "3(±1)e-4", "3.6e-2")),
    size(2, [10, 64, 4096], (1, "8(±0.8)e-4", "3.2e-1")),
    size(3, [4, 32, 1024], (7, "4(±0.3)e-4", "3.5e0")),
    size(4, [2, 32, 512], (21, "3(±0.2)e-4", "3.5e2")),
];

impl Size {
    fn problems(&self) -> Vec<Problem> {
        let problem = |state| Problem {
            qubits: self.qubits,
            shots: SHOTS,
            state,
            draws: self.draws,
        };
        (0..self.states).map(problem).collect()
    }
}

pub fn run(lab: &Lab) -> Value {
    let mut sizes: Vec<Size> = SIZES.into_iter().collect();
    if lab.options.quick {
        sizes.truncate(2);
        for size in &mut sizes {
            (size.states, size.nodes, size.draws) = (2, 4, 128);
        }
    }
    let sizes = lab.chosen(sizes, |size| state::qubits(size.qubits));
    for size in &sizes {
        speed::print(lab, size.problems()[0]);
    }
    let rows: Vec<Value> = sizes.iter().map(|size| of_size(lab, size)).collect();
    Value::Array(rows)
}

/// Runs everything for a number of qubits.
fn of_size(lab: &Lab, size: &Size) -> Value {
    let problems = size.problems();
    let truths = truths(lab, &problems);
    introduce(lab, size, &truths);
    let mut rows = Vec::new();
    for kernel in [Moves::Pcn, Moves::Hmc] {
        let smc = islands(lab, size, kernel, &truths);
        let evaluations = mean(smc.iter().map(|found| found.evaluations));
        let steps = (evaluations / kernel.epochs() as f64) as usize;
        let chains = [false, true].map(|tuned| chain(lab, size, (kernel, steps, tuned), &truths));
        rows.push(Row {
            kernel,
            smc,
            chains,
            steps,
            particles: PARTICLES,
        });
    }
    let nuts = nuts(lab, size, &truths);
    rows.iter().for_each(|row| row.print(lab));
    row::print_nuts(lab, &nuts);
    let (published, mse, seconds) = size.published;
    lab.say(&format!(
        "published (pCN): {published} nodes, error {mse}, {seconds} s"
    ));
    row::draw(lab, size.qubits, &rows, &nuts);
    json!({
        "qubits": size.qubits,
        "variance": mean(truths.iter().map(|truth| truth.variance)),
        "truth_squared_error": mean(truths.iter().map(|truth| truth.squared_error)),
        "from_state": mean(truths.iter().map(|truth| truth.from_state)),
        "rows": rows.iter().map(Row::json).collect::<Value>(),
        "nuts": nuts.iter().map(|walk| json!(walk.points)).collect::<Value>(),
        "published_nodes": published,
    })
}

fn introduce(lab: &Lab, size: &Size, truths: &[Truth]) {
    lab.say(&format!(
        "\n{}, {} coordinates, {} states: posterior variance {:.2e}, squared error of the truth {:.1e}, of the posterior mean as an estimate of the state {:.2e}",
        state::qubits(size.qubits),
        size.problems()[0].coordinates(),
        size.states,
        mean(truths.iter().map(|truth| truth.variance)),
        mean(truths.iter().map(|truth| truth.squared_error)),
        mean(truths.iter().map(|truth| truth.from_state)),
    ));
}

/// Calls a function with the posterior of a problem and its posterior mean.
fn on<T>(
    problem: &Problem,
    truths: &[Truth],
    seed: u64,
    work: impl FnOnce(&Posterior<'_>, &DensityMatrix<'_>) -> T,
) -> T {
    let measured = problem.measured(seed);
    let model = measured.model();
    let posterior = Posterior::new(&model, seed);
    let posterior =
        posterior.unwrap_or_else(|error| bayes_experiments::common::fail(&error.to_string()));
    let estimand = DensityMatrix {
        dim: problem.dim(),
        truth: &truths[problem.state].mean,
    };
    work(&posterior, &estimand)
}

/// The islands of every state.
fn islands(lab: &Lab, size: &Size, kernel: Moves, truths: &[Truth]) -> Vec<Found> {
    let cells: Vec<Cell<Batch<Problem>>> = size
        .problems()
        .into_iter()
        .map(|problem| Cell {
            name: problem.file(&format!("psmc-{}", kernel.name())),
            settings: Batch {
                problem,
                kernel,
                method: Method::Smc {
                    moves: match kernel {
                        Moves::Pcn => problem.coordinates(),
                        _ => HMC_MUTATIONS,
                    },
                },
                nodes: size.nodes,
                particles: PARTICLES,
                number: problem.state,
            },
        })
        .collect();
    lab.cells.run(&cells, |batch| {
        on(
            &batch.problem,
            truths,
            lab.cells.seed,
            |density, estimand| batch.run_on(density, estimand, lab.cells.seed),
        )
    })
}

/// One chain for each state from a prior draw, with twice the steps of a node: without burn-in, or after a burn-in of `steps` that tunes
/// it.
fn chain(
    lab: &Lab,
    size: &Size,
    (kernel, steps, is_tuned): (Moves, usize, bool),
    truths: &[Truth],
) -> Vec<Walk> {
    let steps = steps.next_power_of_two();
    let cells: Vec<Cell<Serial<Problem>>> = size
        .problems()
        .into_iter()
        .map(|problem| Cell {
            name: problem.file(&format!(
                "{}-{}",
                if is_tuned { "tuned" } else { "chain" },
                kernel.name()
            )),
            settings: Serial {
                problem,
                kernel,
                burn_in: if is_tuned { steps } else { 0 },
                steps: 2 * steps,
                chains: 1,
                number: problem.state,
            },
        })
        .collect();
    lab.cells
        .run(&cells, |serial| {
            on(
                &serial.problem,
                truths,
                lab.cells.seed,
                |density, estimand| serial.run_on(density, estimand, lab.cells.seed),
            )
        })
        .concat()
}

/// One chain of NUTS for each state: gradients including the burn-in, and the error of the draws so far.
fn nuts(lab: &Lab, size: &Size, truths: &[Truth]) -> Vec<Walk> {
    let cells: Vec<Cell<Problem>> = size
        .problems()
        .into_iter()
        .map(|problem| Cell {
            name: problem.file("nuts"),
            settings: problem,
        })
        .collect();
    lab.cells.run(&cells, |problem| {
        on(problem, truths, lab.cells.seed, |density, estimand| {
            let nuts = Inference::nuts().chains(1).burn_in(NUTS_BURN_IN);
            let nuts = nuts
                .draws(problem.draws)
                .seed(1000 * lab.cells.seed + problem.state as u64);
            let start = std::time::Instant::now();
            let run = finished(nuts.progress(false).run_on(density));
            let gradients = run.counts().gradient_evaluations as f64;
            let each = gradients / (NUTS_BURN_IN + problem.draws) as f64;
            let points = running(&run.groups[0], problem.coordinates(), estimand);
            let cost = |draws: usize| ((NUTS_BURN_IN + draws) as f64 * each) as usize;
            Walk {
                points: points
                    .into_iter()
                    .map(|(n, error)| (cost(n), error))
                    .collect(),
                seconds: start.elapsed().as_secs_f64() / gradients,
            }
        })
    })
}
