//! Particles in exchange for islands: parallel SMC with 1024 particles in all (the comparison, figure 11), and with 65536 (figure 12).
//!
//! N particles on each of `1024 / N` islands, with M moves of pCN; 32 observations of 16 coefficients with noise of 1. Published: from
//! M = 16 and N = 32 on, the error depends on N P alone; with 65536 particles a loss of at most a half down to N = 16.

use crate::Lab;
use crate::chart::{Curve, Panel, Point, Quantity};
use crate::problem::Name;
use crate::trial::{self, Method, Moves, Scatter, Trial};
use serde_json::{Value, json};

fn trial(total: usize, particles: usize, moves: usize, repeats: usize) -> (String, Trial) {
    let trial = Trial {
        problem: Name::Ones,
        kernel: Moves::Pcn,
        method: Method::Smc {
            islands: total / particles,
            particles,
            moves,
        },
        repeats,
        batch: 0,
    };
    (format!("exchange-{total}-{particles}-{moves}"), trial)
}

pub fn run(lab: &Lab) -> Value {
    let quick = lab.options.quick;
    let total: usize = if quick { 128 } else { 1024 };
    let moves: &[usize] = if quick { &[4, 16] } else { &[4, 8, 16, 32] };
    let first = 3;
    let sizes: Vec<usize> = (first..=total.ilog2()).map(|k| 1 << k).collect();
    let pairs: Vec<(usize, usize)> = moves
        .iter()
        .rev()
        .flat_map(|m| sizes.iter().map(move |n| (*n, *m)))
        .collect();
    let repeats = lab.options.size(25, 2);
    let trials: Vec<(String, Trial)> = pairs
        .iter()
        .map(|(n, m)| trial(total, *n, *m, repeats))
        .collect();
    let found = trial::run(&lab.cells, &trials, lab.options.size(4, 1));
    let of = |n: usize, m: usize| {
        let at = pairs.iter().position(|pair| *pair == (n, m));
        &found[at.expect("every pair was run")]
    };
    lab.say(&format!(
        "{total} particles on islands of N: mean squared error by M, and epochs of a node"
    ));
    let head: Vec<String> = moves.iter().map(|m| format!("M = {m:<26}")).collect();
    lab.say(&format!("{:>6}   {}", "N", head.concat()));
    for n in &sizes {
        let cell = |m: &usize| {
            let (mse, error) = of(*n, *m).mse();
            format!("{mse:.3e} ± {error:.1e} {:>6.0}    ", of(*n, *m).epochs)
        };
        let cells: Vec<String> = moves.iter().map(cell).collect();
        lab.say(&format!("{n:>6}   {}", cells.concat()));
    }
    let curve = |m: &usize| Curve {
        name: format!("M = {m}"),
        points: sizes.iter().map(|n| point(*n, of(*n, *m))).collect(),
    };
    let mut panels = vec![panel(
        format!("{total} particles in all"),
        moves.iter().map(curve).collect(),
    )];
    let ratio = ratio(&sizes, |n| of(n, moves[moves.len() - 1]));
    lab.say(&format!(
        "N from 32, M = {}: the largest error is {ratio:.2} times the smallest; published: equal",
        moves[moves.len() - 1]
    ));
    let (large, curve) = monolithic(lab);
    panels.push(curve);
    lab.draw("exchange", &panels, 2);
    let rows = pairs.iter().zip(&found).map(|((n, m), scatter)| {
        let (mse, error) = scatter.mse();
        json!({ "particles": n, "moves": m, "mse": mse, "error": error })
    });
    json!({ "total": total, "rows": rows.collect::<Value>(), "monolithic": large })
}

/// The largest over the smallest mean squared error from N = 32 on.
fn ratio<'a>(sizes: &[usize], of: impl Fn(usize) -> &'a Scatter) -> f64 {
    let errors = || {
        let large = sizes.iter().filter(|n| **n >= 32);
        large.map(|n| of(*n).mse().0)
    };
    errors().fold(0.0, f64::max) / errors().fold(f64::INFINITY, f64::min)
}

fn point(particles: usize, scatter: &Scatter) -> Point {
    let (y, error) = scatter.mse();
    Point {
        x: particles as f64,
        y,
        error,
    }
}

fn panel(title: String, curves: Vec<Curve>) -> Panel {
    Panel {
        title,
        x: Quantity::counted("N, particles of an island"),
        y: Quantity::new("mean squared error, summed"),
        curves,
    }
}

/// One SMC of many particles against the same particles on islands (figure 12).
fn monolithic(lab: &Lab) -> (Value, Panel) {
    let total: usize = lab.options.size(1 << 16, 1 << 10);
    let sizes: Vec<usize> = (2..=total.ilog2())
        .rev()
        .step_by(2)
        .map(|k| 1 << k)
        .collect();
    let trials: Vec<(String, Trial)> = sizes.iter().map(|n| trial(total, *n, 16, 1)).collect();
    let found = trial::run(&lab.cells, &trials, lab.options.size(16, 2));
    let (whole, _) = found[0].mse();
    lab.say(&format!(
        "{total} particles, M = 16: mean squared error of P islands, relative to one SMC of all particles"
    ));
    let mut rows = Vec::new();
    for (n, scatter) in sizes.iter().zip(&found) {
        let (mse, error) = scatter.mse();
        lab.say(&format!(
            "P = {:<6} N = {n:<6} {mse:.3e} ± {error:.1e}   {:+.2}   {:.1} temperatures, {:.1} s",
            total / n,
            mse / whole - 1.0,
            scatter.temperatures,
            scatter.seconds
        ));
        rows.push(json!({ "islands": total / n, "mse": mse, "error": error }));
    }
    let curve = Curve {
        name: format!("{total} particles, M = 16"),
        points: sizes
            .iter()
            .zip(&found)
            .map(|(n, s)| point(*n, s))
            .collect(),
    };
    let panel = panel(format!("{total} particles in all"), vec![curve]);
    (Value::Array(rows), panel)
}
