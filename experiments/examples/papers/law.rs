//! The law of the comparison, appendix E.1: `log MSE = C - log N - a log M` for SMC with N particles and M moves of pCN at each
//! temperature, on four accurate observations of 16 coefficients. Published: a = 0.379 for M from 12 to 28672, deviations of 9.3% on
//! average.

use crate::Lab;
use crate::problem::ACCURATE;
use crate::statistics::{line, mean};
use crate::trial::{self, Method, Moves, Trial};
use bayes_experiments::chart::{Curve, Panel, Point, Quantity};
use serde_json::{Value, json};

/// The exponent of M in the paper.
const PUBLISHED: f64 = 0.3789;

pub fn run(lab: &Lab) -> Value {
    let (sizes, moves): (&[usize], &[usize]) = if lab.options.quick {
        (&[16, 32], &[4, 12, 48])
    } else {
        (&[100, 200, 400], &[3, 12, 48, 192, 768])
    };
    // the long cells come first
    let pairs: Vec<(usize, usize)> = moves
        .iter()
        .rev()
        .flat_map(|m| sizes.iter().rev().map(move |n| (*n, *m)))
        .collect();
    let trial = |(particles, moves): &(usize, usize)| {
        let trial = Trial {
            problem: ACCURATE,
            kernel: Moves::Pcn,
            method: Method::Smc {
                islands: 1,
                particles: *particles,
                moves: *moves,
            },
            repeats: 1,
            batch: 0,
        };
        (format!("law-{particles}-{moves}"), trial)
    };
    let trials: Vec<(String, Trial)> = pairs.iter().map(trial).collect();
    let found = trial::run(&lab.cells, &trials, lab.options.size(16, 2));
    let of = |n: usize, m: usize| {
        let at = pairs.iter().position(|pair| *pair == (n, m));
        &found[at.expect("every pair was run")]
    };
    lab.say("mean squared error by the number of moves M and of particles N");
    let head: Vec<String> = sizes.iter().map(|n| format!("N = {n:<18}")).collect();
    lab.say(&format!("{:>6}   {}", "M", head.concat()));
    for m in moves {
        let cells: Vec<String> = sizes
            .iter()
            .map(|n| {
                let (mse, error) = of(*n, *m).mse();
                format!("{mse:<9.3e} ± {error:<9.1e} ")
            })
            .collect();
        lab.say(&format!("{m:>6}   {}", cells.concat()));
    }
    let mut fitted = Vec::new();
    for m in moves.iter().filter(|m| **m >= 12) {
        fitted.extend(
            sizes
                .iter()
                .map(|n| [*n as f64, *m as f64, of(*n, *m).mse().0]),
        );
    }
    draw(lab, (sizes, moves), of);
    fit(lab, &fitted)
}

/// Fits the law to N, M and the mean squared error by least squares of logarithms.
fn fit(lab: &Lab, points: &[[f64; 3]]) -> Value {
    let logs: Vec<[f64; 2]> = points
        .iter()
        .map(|[n, m, mse]| [m.ln(), (n * mse).ln()])
        .collect();
    let [constant, slope] = line(&logs);
    let off = points.iter().map(|[n, m, mse]| {
        let law = (constant + slope * m.ln()).exp() / n;
        (law / mse - 1.0).abs()
    });
    let deviation = 100.0 * mean(off);
    lab.say(&format!(
        "M from 12: log MSE = {constant:.2} - log N - {:.3} log M, deviations of {deviation:.0}% on average; published {PUBLISHED}, 9.3%",
        -slope
    ));
    json!({ "exponent": -slope, "constant": constant, "deviation_percent": deviation, "points": points })
}

fn draw<'a>(
    lab: &Lab,
    (sizes, moves): (&[usize], &[usize]),
    of: impl Fn(usize, usize) -> &'a trial::Scatter,
) {
    let curve = |n: &usize| {
        let point = |m: &usize| {
            let (y, error) = of(*n, *m).mse();
            Point {
                x: *m as f64,
                y,
                error,
            }
        };
        Curve {
            name: format!("SMC, N = {n}"),
            points: moves.iter().map(point).collect(),
        }
    };
    let panel = Panel {
        title: "4 accurate observations of 16 coefficients".to_owned(),
        x: Quantity::new("M, moves of pCN at each temperature"),
        y: Quantity::new("mean squared error, summed"),
        curves: sizes.iter().map(curve).collect(),
    };
    lab.draw("law", &[panel], 1);
}
