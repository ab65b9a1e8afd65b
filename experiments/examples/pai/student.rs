//! A crescent with heavy tails, table 2.
//!
//! ```text
//! θ ~ Normal(0, I)    y_n ~ StudentT(5, θ_1 + θ_2², √2)    n = 1..1000
//! ```
//!
//! The data are drawn at θ = (0.5, 0), because the paper does not give θ.

use crate::problem::{Problem, nuts};
use crate::solve::{Solved, solve_model};
use crate::{Task, grid};
use bayes::prelude::*;
use bayes::rng::stream;

pub const PROBLEM: Problem = Problem {
    name: "student",
    parts: 10,
    chains: nuts,
    bounds: &[],
    coordinates: &["theta_1", "theta_2"],
    view: <[f64]>::to_vec,
    region: None,
    published: &[
        ("parametric", [[0.51, 0.01], [0.71, 0.07], [1.9, 0.1]]),
        ("semiparametric", [[0.50, 0.03], [0.57, 0.05], [11.0, 2.0]]),
        ("nonparametric", [[0.51, 0.02], [0.59, 0.03], [12.0, 2.0]]),
        (
            "partition_trees",
            [[0.66, 0.07], [0.78, 0.09], [120.0, 70.0]],
        ),
        ("gp", [[0.015, 0.003], [0.003, 0.002], [4.5e-4, 1.05e-3]]),
        ("gp_dis", [[0.018, 0.004], [0.002, 0.001], [6.6e-3, 5.8e-3]]),
        ("pai", [[0.015, 0.003], [0.002, 0.001], [1.2e-6, 0.8e-6]]),
        (
            "pai_dis",
            [[0.018, 0.003], [0.002, 0.001], [3.8e-3, 3.4e-3]],
        ),
    ],
};

#[model]
fn student(#[rows] y: &[f64]) {
    let theta = sample(Normal::new(0.0, 1.0).iid(2));
    let location = theta[0] + theta[1] * theta[1];
    observe(y, StudentT::new(5.0, location, 2f64.sqrt()));
}

/// Independent draws: a grid over the location and θ_2, where the crescent is straight and the volume element is unchanged.
fn truth(y: &[f64], count: usize) -> Vec<Vec<f64>> {
    let log_density = |[location, second]: [f64; 2]| {
        let first = location - second * second;
        let term = |y: &f64| -3.0 * ((y - location).powi(2) / 10.0).ln_1p();
        -0.5 * (first * first + second * second) + y.iter().map(term).sum::<f64>()
    };
    let sides = [[-0.5, 1.5], [-4.0, 4.0]];
    let points = grid::draws(log_density, sides, count, &mut stream(2));
    let back = |[location, second]: [f64; 2]| vec![location - second * second, second];
    points.into_iter().map(back).collect()
}

/// The answers of all seeds.
pub fn solve(task: &Task) -> Result<Solved, bayes::Error> {
    let mut stream = stream(1);
    let y: Vec<f64> = (0..1000)
        .map(|_| StudentT::new(5.0, 0.5, 2f64.sqrt()).draw_one(&mut stream))
        .collect();
    solve_model(&PROBLEM, task, &student(&y), |count| truth(&y, count))
}
