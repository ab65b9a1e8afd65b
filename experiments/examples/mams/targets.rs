//! The targets with their second moments.

use super::models::{Closed, Value, banana, funnel, gaussian, rosenbrock, sparse_logistic, spread};
use bayes::engine::Engine;
use bayes::prelude::*;
use bayes::run::Group;
use bayes::{Error, Run};
use bayes_experiments::published::Problem;
use flate2::read::GzDecoder;
use serde::Deserialize;

/// Runs an engine.
type Runs = Box<dyn Fn(&dyn Engine) -> Result<Run, Error>>;

/// A target with its second moments.
pub struct Target {
    pub name: &'static str,
    /// Gradients of NUTS and MAMS by table 1 of the paper; infinite if they were more than 10⁸.
    pub paper: [f64; 2],
    pub run: Runs,
    /// What is squared, of the elements of a draw.
    coordinates: fn(&[f64]) -> Vec<f64>,
    /// The expected squares.
    expected: Vec<f64>,
    /// The variances of the squares, if they are known exactly.
    pub variance: Option<Vec<f64>>,
}

impl Target {
    /// The largest error of the mean squares of the first 1, 2, .. draws of a chain.
    pub fn errors(&self, variance: &[f64], group: &Group) -> Vec<f64> {
        let mut sums = vec![0.0; self.expected.len()];
        let mut count = 0.0;
        let mut error = |draw: &[f64]| {
            count += 1.0;
            let mut largest = 0f64;
            for (k, x) in (self.coordinates)(draw).into_iter().enumerate() {
                sums[k] += x * x;
                let off = sums[k] / count - self.expected[k];
                largest = largest.max(off * off / variance[k]);
            }
            largest
        };
        self.draws(group).map(&mut error).collect()
    }

    /// The variances of the squares of all draws.
    pub fn variance_of(&self, runs: &[Run]) -> Vec<f64> {
        let mut sums = vec![0.0; self.expected.len()];
        let mut count = 0.0;
        for group in runs.iter().flat_map(|run| &run.groups) {
            for draw in self.draws(group) {
                count += 1.0;
                for (k, x) in (self.coordinates)(draw).into_iter().enumerate() {
                    sums[k] += (x * x - self.expected[k]).powi(2);
                }
            }
        }
        sums.iter().map(|sum| sum / count).collect()
    }

    fn draws<'a>(&self, group: &'a Group) -> std::slice::ChunksExact<'a, f64> {
        group.draws.chunks_exact(self.expected.len())
    }
}

/// All targets of the paper but the bimodal one and the Cauchy distributions, and but its two largest, of 501 and 2429 coordinates.
pub fn targets() -> Vec<Target> {
    let spreads: Vec<f64> = (0..100).map(spread).collect();
    let squared = spreads.iter().map(|v| 2.0 * v * v).collect();
    // of y = x² + √0.1 z with x ~ N(1, 1): E x⁴ = 10, E x⁸ = 764
    let of_y = 764.0 + 6.0 * 10.0 * 0.1 + 3.0 * 0.01 - 10.1 * 10.1;
    vec![
        closed(
            ("gaussian", [19_652.0, 3_249.0]),
            (100, gaussian),
            (spreads, squared),
        ),
        closed(
            ("banana", [95_519.0, 14_078.0]),
            (2, banana),
            // y = 3 (z² − 1) + z' with standard normal z and z'
            (vec![100.0, 19.0], vec![20_000.0, 4_610.0]),
        ),
        closed(
            ("rosenbrock", [161_359.0, 94_184.0]),
            (36, rosenbrock),
            (
                [[2.0; 18], [10.1; 18]].concat(),
                [[6.0; 18], [of_y; 18]].concat(),
            ),
        ),
        brownian(),
        credit(),
        Target {
            coordinates: |x| {
                let scale = (-0.5 * x[19]).exp();
                let rest = x[..19].iter().map(|x| x * scale);
                rest.chain([x[19] / 3.0]).collect()
            },
            ..closed(
                ("funnel", [f64::INFINITY, 2_346_899.0]),
                (20, funnel),
                (vec![1.0; 20], vec![2.0; 20]),
            )
        },
    ]
}

/// A density in closed form, with the means and variances of its squared coordinates.
fn closed(
    (name, paper): (&'static str, [f64; 2]),
    (dim, value): (usize, Value),
    (expected, variance): (Vec<f64>, Vec<f64>),
) -> Target {
    let density = Closed { dim, value };
    Target {
        name,
        paper,
        run: Box::new(move |engine| engine.run_on(&density)),
        coordinates: <[f64]>::to_vec,
        expected,
        variance: Some(variance),
    }
}

/// A Brownian path with unknown scales of its steps and of the noise, seen at its first and last third.
fn brownian() -> Target {
    let problem = Problem::shipped("extra_brownian_unknown_scales");
    let moments = problem.moments();
    // the scales come first in a draw, then the path
    let names = ["innovation_noise_scale", "observation_noise_scale"].map(str::to_owned);
    let path = (0..moments.len() - 2).map(|k| format!("locs[{k}]"));
    let expected = names.into_iter().chain(path).map(|name| {
        let found = moments.iter().find(|(known, _)| *known == name);
        let (_, of) = found.unwrap_or_else(|| panic!("`{name}` has a reference"));
        of.mean * of.mean + of.sd * of.sd
    });
    Target {
        name: "brownian",
        paper: [29_816.0, 13_528.0],
        coordinates: <[f64]>::to_vec,
        expected: expected.collect(),
        variance: None,
        run: Box::new(move |engine| problem.solve_as_published(engine)),
    }
}

/// The file of the credit data.
#[derive(Deserialize)]
struct Credit {
    /// `[1000, 24]`.
    x: Vec<Vec<f64>>,
    /// 1 for a bad credit, `[1000]`.
    bad: Vec<u8>,
    /// Posterior means of the common scale, the scales and the normals, `[51]`.
    mean: Vec<f64>,
    /// Their standard deviations.
    sd: Vec<f64>,
}

/// The sparse regression of German credits.
fn credit() -> Target {
    let packed = &include_bytes!("../../data/microcanonical/german_credit.json.gz")[..];
    let file: Credit =
        serde_json::from_reader(GzDecoder::new(packed)).expect("the shipped file is JSON");
    let rows = file.x.len() as f64;
    let (mut columns, mut scales) = (vec![0.0; 24], vec![0.0; 24]);
    for k in 0..24 {
        columns[k] = file.x.iter().map(|row| row[k]).sum::<f64>() / rows;
        let squares = file.x.iter().map(|row| (row[k] - columns[k]).powi(2));
        scales[k] = (squares.sum::<f64>() / rows).sqrt();
    }
    // the last column is the intercept
    let x = DMatrix::from_fn(file.x.len(), 25, |i, k| match k {
        24 => 1.0,
        _ => (file.x[i][k] - columns[k]) / scales[k],
    });
    let bad: Vec<bool> = file.bad.iter().map(|bad| *bad == 1).collect();
    let square = |(mean, sd): (&f64, &f64)| mean * mean + sd * sd;
    Target {
        name: "credit",
        paper: [88_975.0, 55_748.0],
        coordinates: <[f64]>::to_vec,
        expected: file.mean.iter().zip(&file.sd).map(square).collect(),
        variance: None,
        run: Box::new(move |engine| engine.run(&sparse_logistic(&x, &bad))),
    }
}
