//! The decrease of the error with P: islands that adapt to their own particles, islands that replay a pilot, and equal weights, by HMC on 8
//! observations of 8 coefficients.
//!
//! The theorem of both papers is for temperatures and kernels that are fixed beforehand; the papers adapt both, and find no difference.
//! Equal weights leave a bias of order 1/N at any P, which is small if moves mix well; weights by the evidence vary more.

use crate::Lab;
use crate::nodes::{Batch, Found, Method, over_batches};
use crate::problem::Name;
use crate::statistics::mean_and_error;
use crate::trial::Moves;
use bayes_experiments::cells::Cell;
use bayes_experiments::chart::{Curve, Panel, Point, Quantity};
use serde_json::{Value, json};

const MOVES: usize = 10;
const METHODS: [(&str, Method); 3] = [
    ("adaptive", Method::Smc { moves: MOVES }),
    ("replayed", Method::Replay { moves: MOVES }),
    ("equal weights", Method::Equal { moves: MOVES }),
];
const PROBLEM: Name = Name::Regression {
    rows: 8,
    columns: 8,
    noise: 0.01,
};

pub fn run(lab: &Lab) -> Value {
    let sizes: &[usize] = if lab.options.quick { &[16] } else { &[16, 64] };
    let batches = lab.options.size(64, 2);
    let settings: Vec<(usize, &str, Method)> = sizes
        .iter()
        .flat_map(|n| METHODS.map(|(name, method)| (*n, name, method)))
        .collect();
    let cell = |(n, name, method): &(usize, &str, Method), number| Cell {
        name: format!("floor-{n}-{}-{number}", name.replace(' ', "-")),
        settings: Batch {
            problem: PROBLEM,
            kernel: Moves::Hmc,
            method: *method,
            nodes: lab.options.size(32, 4),
            particles: *n,
            number,
        },
    };
    let cells: Vec<Cell<Batch>> = settings
        .iter()
        .flat_map(|own| (0..batches).map(move |number| cell(own, number)))
        .collect();
    let found: Vec<Found> = lab.cells.run(&cells, |batch| batch.run(lab.cells.seed));
    let columns: Vec<Vec<[f64; 3]>> = found
        .chunks(batches)
        .map(|own| by_nodes(own, lab.cells.seed))
        .collect();
    print(lab, &settings, &columns);
    let curve = |((n, name, _), points): (&(usize, &str, Method), &Vec<[f64; 3]>)| {
        let point = |[x, y, error]: &[f64; 3]| Point {
            x: *x,
            y: *y,
            error: *error,
        };
        Curve {
            name: format!("N = {n}, {name}"),
            points: points.iter().map(point).collect(),
        }
    };
    let panel = Panel {
        title: "8 observations x 8 coefficients".to_owned(),
        x: Quantity::counted("P islands"),
        y: Quantity::new("mean squared error, summed"),
        curves: settings.iter().zip(&columns).map(curve).collect(),
    };
    lab.draw("floor", &[panel], 1);
    let row = |((n, name, _), points): (&(usize, &str, Method), &Vec<[f64; 3]>)| json!({ "particles": n, "method": name, "mse": points });
    settings.iter().zip(&columns).map(row).collect()
}

/// P, and the mean squared error of P islands with its standard error.
fn by_nodes(found: &[Found], seed: u64) -> Vec<[f64; 3]> {
    let all = over_batches(found, PROBLEM, seed);
    let point = |(k, errors): (usize, &Vec<f64>)| {
        let (mse, error) = mean_and_error(errors);
        [(1 << k) as f64, mse, error]
    };
    all.iter().enumerate().map(point).collect()
}

fn print(lab: &Lab, settings: &[(usize, &str, Method)], columns: &[Vec<[f64; 3]>]) {
    let head: Vec<String> = settings
        .iter()
        .map(|(n, name, _)| format!("{:<24}", format!("N = {n}, {name}")))
        .collect();
    lab.say(&format!("{:>6}   {}", "P", head.concat()));
    for k in 0..columns[0].len() {
        let cell = |points: &Vec<[f64; 3]>| {
            let [_, mse, error] = points[k];
            format!("{:<24}", format!("{mse:.3e} ± {error:.1e}"))
        };
        let cells: Vec<String> = columns.iter().map(cell).collect();
        lab.say(&format!("{:>6}   {}", columns[0][k][0], cells.concat()));
    }
}
