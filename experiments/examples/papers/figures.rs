//! Figures 3 and 4 of the comparison: HMC as one chain, as many short chains, and within SMC, on a Gaussian and on a mixture.
//!
//! A chain makes `L / 10` moves of ten leapfrog steps, after a tenth as many of burn-in; HMC∥ makes as many moves in chains of length B,
//! each of which keeps its last state; SMC has N particles and M moves at each temperature. The papers claim a bias of HMC∥ with B below
//! 16, that SMC with M = 2 stops improving, and that on the mixture only SMC with M = 16 is right. Their figures have no numbers. One
//! chain is run twice: with ten steps of equal size some coordinate may return to its start, which jitter prevents. SMC finds its step
//! sizes by trial moves; "last steps" follow the acceptance at the previous temperature, as in the authors' code.

use crate::Lab;
use crate::problem::{Name, Posterior};
use crate::trial::{self, LEAPFROG, Method, Moves, Scatter, Trial};
use bayes_experiments::chart::{Curve, Panel, Point, Quantity};
use serde_json::{Value, json};

/// A curve of the figure: a name, and its methods from cheap to expensive.
struct Line {
    name: String,
    kernel: Moves,
    methods: Vec<Method>,
}

/// The numbers of moves of the chains in increasing order, as in the paper: total leapfrog steps over ten.
fn moves(quick: bool) -> Vec<usize> {
    let most = if quick { 10 } else { 16 };
    (8..=most)
        .map(|k| (1usize << k).div_ceil(LEAPFROG))
        .collect()
}

fn lines(quick: bool) -> Vec<Line> {
    let chain = |steps: &usize| Method::Chain {
        burn_in: steps / 10,
        draws: *steps,
        thin: 1,
    };
    let one = |kernel: Moves| Line {
        name: format!("{}, one chain", kernel.name()),
        kernel,
        methods: moves(quick).iter().map(chain).collect(),
    };
    let short = |burn_in: usize| Line {
        name: format!("HMC∥, B = {burn_in}"),
        kernel: Moves::Hmc,
        methods: moves(quick)
            .iter()
            .map(|steps| Method::Chains {
                chains: steps.div_ceil(burn_in),
                burn_in,
            })
            .collect(),
    };
    let most = if quick { 6 } else { 9 };
    let islands = |name: String, method: &dyn Fn(usize) -> Method| Line {
        name,
        kernel: Moves::Hmc,
        methods: (5..=most).map(|k| method(1 << k)).collect(),
    };
    let smc = |moves: usize| {
        islands(format!("SMC, M = {moves}"), &|particles| Method::Smc {
            islands: 1,
            particles,
            moves,
        })
    };
    let following = |moves: usize| {
        let name = format!("SMC, M = {moves}, last steps");
        islands(name, &|particles| Method::Following { particles, moves })
    };
    let mut lines = vec![one(Moves::Hmc)];
    lines.extend([4, 8, 16, 32, 64, 128].map(short));
    lines.extend([2, 4, 8, 16].map(smc));
    lines.push(one(Moves::JitteredHmc));
    lines.extend([2, 4].map(following));
    lines
}

/// Figure 3: the Gaussian.
pub fn gaussian(lab: &Lab) -> Value {
    figure(lab, "figure3", Name::Ones)
}

/// Figure 4: the mixture.
pub fn mixture(lab: &Lab) -> Value {
    figure(lab, "figure4", Name::Mixture)
}

fn figure(lab: &Lab, file: &str, problem: Name) -> Value {
    let lines = lines(lab.options.quick);
    let trials: Vec<(String, Trial)> = lines
        .iter()
        .enumerate()
        .flat_map(|(l, line)| {
            line.methods.iter().enumerate().map(move |(m, method)| {
                let trial = Trial {
                    problem,
                    kernel: line.kernel,
                    method: *method,
                    repeats: lab.options.size(25, 2),
                    batch: 0,
                };
                (format!("{file}-{l}-{m}"), trial)
            })
        })
        .collect();
    // the long cells come first
    let mut trials: Vec<_> = trials.into_iter().rev().collect();
    let mut found = trial::run(&lab.cells, &trials, lab.options.size(4, 1));
    found.reverse();
    trials.reverse();
    let mut found = found.into_iter();
    let found: Vec<Vec<Scatter>> = lines
        .iter()
        .map(|line| found.by_ref().take(line.methods.len()).collect())
        .collect();
    let posterior = Posterior::new(problem, lab.cells.seed);
    lab.say(&format!(
        "posterior variance, summed: {:.3}; {} runs of each; costs are gradients in all, and one after the other by moves",
        posterior.variance,
        found[0][0].squared_errors.len()
    ));
    for (line, scatters) in lines.iter().zip(&found) {
        print(lab, line, scatters);
    }
    draw(lab, file, &lines, &found);
    let row = |(line, scatters): (&Line, &Vec<Scatter>)| {
        let points: Vec<Value> = scatters.iter().map(point).collect();
        json!({ "method": line.name, "points": points })
    };
    lines.iter().zip(&found).map(row).collect()
}

fn point(scatter: &Scatter) -> Value {
    let (mse, error) = scatter.mse();
    json!({ "gradients": scatter.evaluations, "in_series": scatter.epochs, "mse": mse, "error": error })
}

fn print(lab: &Lab, line: &Line, scatters: &[Scatter]) {
    lab.say(&format!(
        "{:<24}{:>10} {:>9} {:>9}   mean squared error",
        line.name, "gradients", "in series", "seconds"
    ));
    for scatter in scatters {
        let (mse, error) = scatter.mse();
        lab.say(&format!(
            "{:24}{:>10.0} {:>9.0} {:>9.1e}   {mse:.3e} ± {error:.1e}",
            "", scatter.evaluations, scatter.epochs, scatter.seconds
        ));
    }
}

fn draw(lab: &Lab, file: &str, lines: &[Line], found: &[Vec<Scatter>]) {
    let panel = |title: &str, label: &'static str, x: fn(&Scatter) -> f64| {
        let curve = |(line, scatters): (&Line, &Vec<Scatter>)| {
            let point = |scatter: &Scatter| {
                let (y, error) = scatter.mse();
                Point {
                    x: x(scatter),
                    y,
                    error,
                }
            };
            Curve {
                name: line.name.clone(),
                points: scatters.iter().map(point).collect(),
            }
        };
        Panel {
            title: title.to_owned(),
            x: Quantity::new(label),
            y: Quantity::new("mean squared error, summed"),
            curves: lines.iter().zip(found).map(curve).collect(),
        }
    };
    let panels = [
        panel("Total cost", "gradients of all particles or chains", |s| {
            s.evaluations
        }),
        panel("Parallel cost", "gradients one after the other", |s| {
            s.epochs
        }),
    ];
    lab.draw(file, &panels, 2);
}
