//! Particles in exchange for islands: parallel SMC with 1024 particles in all (the comparison, figure 11), and with 65536 (figure 12).
//!
//! N particles on each of `1024 / N` islands, with M moves at each temperature; 32 observations of 16 coefficients with noise of 1.
//! Published: from M = 16 and N = 32 on, the error depends on N P only; with 65536 particles and M = 16, where the moves mix well, a loss
//! of at most a half down to N = 16. The papers do not name problem and kernel. Here 16 moves of pCN are too few to mix; four moves of HMC
//! are enough.

use crate::Lab;
use crate::problem::Name;
use crate::trial::{self, Method, Moves, Scatter, Trial};
use bayes_experiments::chart::{Curve, Panel, Point, Quantity};
use serde_json::{Value, json};

/// A kernel, and its number of moves at each temperature.
type Mixing = (Moves, usize);

/// Moves that mix well.
const WELL: Mixing = (Moves::Hmc, 4);

fn trial(total: usize, particles: usize, mixing: Mixing, repeats: usize) -> (String, Trial) {
    let (kernel, moves) = mixing;
    let trial = Trial {
        problem: Name::Ones,
        kernel,
        method: Method::Smc {
            islands: total / particles,
            particles,
            moves,
        },
        repeats,
        batch: 0,
    };
    let name = format!("exchange-{total}-{particles}-{}-{moves}", kernel.name());
    (name, trial)
}

pub fn run(lab: &Lab) -> Value {
    let quick = lab.options.quick;
    let total: usize = if quick { 128 } else { 1024 };
    let counts: &[usize] = if quick { &[16] } else { &[4, 8, 16, 32] };
    let mixings: Vec<Mixing> = [WELL]
        .into_iter()
        .chain(counts.iter().rev().map(|m| (Moves::Pcn, *m)))
        .collect();
    let first = 3;
    let sizes: Vec<usize> = (first..=total.ilog2()).map(|k| 1 << k).collect();
    let pairs: Vec<(usize, Mixing)> = mixings
        .iter()
        .flat_map(|m| sizes.iter().map(move |n| (*n, *m)))
        .collect();
    let repeats = lab.options.size(25, 2);
    let trials: Vec<(String, Trial)> = pairs
        .iter()
        .map(|(n, m)| trial(total, *n, *m, repeats))
        .collect();
    let found = trial::run(&lab.cells, &trials, lab.options.size(4, 1));
    let of = |n: usize, m: Mixing| {
        let at = pairs.iter().position(|pair| *pair == (n, m));
        &found[at.expect("every pair was run")]
    };
    lab.say(&format!(
        "{total} particles on islands of N: mean squared error by M, and epochs of a node"
    ));
    let name = |(kernel, moves): &Mixing| format!("{}, M = {moves}", kernel.name());
    let head: Vec<String> = mixings.iter().map(|m| format!("{:<30}", name(m))).collect();
    lab.say(&format!("{:>6}   {}", "N", head.concat()));
    for n in &sizes {
        let cell = |m: &Mixing| {
            let (mse, error) = of(*n, *m).mse();
            format!("{mse:.3e} ± {error:.1e} {:>6.0}    ", of(*n, *m).epochs)
        };
        let cells: Vec<String> = mixings.iter().map(cell).collect();
        lab.say(&format!("{n:>6}   {}", cells.concat()));
    }
    let curve = |m: &Mixing| Curve {
        name: name(m),
        points: sizes.iter().map(|n| point(*n, of(*n, *m))).collect(),
    };
    let mut panels = vec![panel(
        format!("{total} particles in all"),
        mixings.iter().map(curve).collect(),
    )];
    for m in &mixings {
        lab.say(&format!(
            "{}, N from 32: the largest error is {:.2} times the smallest",
            name(m),
            ratio(&sizes, |n| of(n, *m))
        ));
    }
    let (large, curve) = monolithic(lab);
    panels.push(curve);
    lab.draw("exchange", &panels, 2);
    let rows = pairs.iter().zip(&found).map(|((n, m), scatter)| {
        let (mse, error) = scatter.mse();
        json!({ "particles": n, "moves": name(m), "mse": mse, "error": error })
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
    let trials: Vec<(String, Trial)> = sizes.iter().map(|n| trial(total, *n, WELL, 1)).collect();
    let found = trial::run(&lab.cells, &trials, lab.options.size(16, 2));
    let (whole, _) = found[0].mse();
    lab.say(&format!(
        "{total} particles, HMC, M = 4: mean squared error of P islands, relative to one SMC of all particles"
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
        name: "HMC, M = 4".to_owned(),
        points: sizes
            .iter()
            .zip(&found)
            .map(|(n, s)| point(*n, s))
            .collect(),
    };
    let panel = panel(format!("{total} particles in all"), vec![curve]);
    (Value::Array(rows), panel)
}
