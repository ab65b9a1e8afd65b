//! Four equal modes, table 1.
//!
//! ```text
//! θ ~ Normal(0, ¼ I)    y_n ~ ½ Normal(P(θ_1), ¼) + ½ Normal(P(θ_2), ¼)    P(x) = x² - 0.36    n = 1..1000
//! ```
//!
//! The data are drawn at a root of both polynomials, from Normal(0, ¼). The signs of θ do not matter, so every quadrant has a quarter
//! of the mass. In each the posterior is a narrow ridge along which the mean of both polynomials equals the mean of the data.

use crate::problem::{Problem, nuts};
use crate::solve::{Solved, solve_model};
use crate::{Task, grid};
use bayes::prelude::*;
use bayes::rng::{RngExt, stream};

/// The sd of the noise, and of the prior.
const SD: f64 = 0.25;

pub const PROBLEM: Problem = Problem {
    name: "multimodal",
    parts: 10,
    chains: nuts,
    bounds: &[],
    coordinates: &["theta_1", "theta_2"],
    view: <[f64]>::to_vec,
    region: Some(|x| usize::from(x[0] > 0.0) + 2 * usize::from(x[1] > 0.0)),
    published: &[
        ("parametric", [[0.89, 0.12], [1.08, 0.33], [890.0, 1100.0]]),
        ("semiparametric", [[0.81, 0.09], [1.08, 0.12], [56.0, 13.0]]),
        ("nonparametric", [[0.81, 0.09], [1.12, 0.09], [50.0, 18.0]]),
        (
            "partition_trees",
            [[0.55, 0.09], [1.06, 0.33], [730.0, 1400.0]],
        ),
        ("gp", [[0.93, 0.16], [1.01, 0.36], [1.2e4, 1.3e4]]),
        ("gp_dis", [[0.87, 0.18], [1.04, 0.34], [4.8e16, 1.4e17]]),
        ("pai", [[0.037, 0.011], [0.028, 0.011], [1.6e-4, 1.7e-4]]),
        (
            "pai_dis",
            [[0.034, 0.019], [0.026, 0.008], [3.9e-5, 2.4e-5]],
        ),
    ],
};

/// The posterior of θ.
#[model]
pub fn multimodal(#[rows] y: &[f64]) {
    let theta = sample(Normal::new(0.0, SD).iid(2));
    let (first, second) = (theta[0] * theta[0] - 0.36, theta[1] * theta[1] - 0.36);
    for i in 0..y.len() {
        let components = [Normal::new(first, SD), Normal::new(second, SD)];
        observe(y[i], Mixture::new([0.5, 0.5], components));
    }
}

/// Data drawn at a root of both polynomials.
pub fn data(rows: usize) -> Vec<f64> {
    let mut stream = stream(1);
    (0..rows)
        .map(|_| Normal::new(0.0, SD).draw_one(&mut stream))
        .collect()
}

/// Data in bins that are 1/1000 of their sd wide: the mean and the number of data of each bin, so that a million data are as fast
/// as some thousand. The spread within a bin is 10⁻⁷ of the variance.
fn binned(y: &[f64]) -> Vec<[f64; 2]> {
    let mut sums = std::collections::BTreeMap::<i64, [f64; 2]>::new();
    for y in y {
        let bin = sums.entry((1000.0 * y / SD).floor() as i64).or_default();
        *bin = [bin[0] + y, bin[1] + 1.0];
    }
    let mean = |[sum, count]: [f64; 2]| [sum / count, count];
    sums.into_values().map(mean).collect()
}

/// Independent draws: a grid over the mean m and the difference d of the polynomials, where the ridge is straight, and random signs.
/// `dθ_1 dθ_2 = dm dd / (4 θ_1 θ_2)`.
pub fn truth(y: &[f64], count: usize) -> Vec<Vec<f64>> {
    let bins = binned(y);
    let roots = |[m, d]: [f64; 2]| [m + 0.5 * d, m - 0.5 * d].map(|p| p + 0.36);
    let log_density = |at: [f64; 2]| {
        let [a, b] = roots(at);
        if a <= 0.0 || b <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let prior = -0.5 * (a + b) / (SD * SD) - 0.5 * (a * b).ln();
        let h = 0.5 * at[1] / SD;
        let term = |[y, count]: &[f64; 2]| {
            let z = (y - at[0]) / SD;
            // ln of the mean of both components, which lie d/2 on either side of m
            count * (-0.5 * (z * z + h * h) + (z * h).cosh().ln())
        };
        prior + bins.iter().map(term).sum::<f64>()
    };
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let reach = 8.0 * SD / (y.len() as f64).sqrt();
    // d² / 4 adds to the variance of the data, whose relative error is √(2/N)
    let spread = 2.0 * SD * (2.0 / y.len() as f64).powf(0.25) * 3.0;
    let sides = [
        [mean - reach, mean + reach],
        [-spread.min(0.7), spread.min(0.7)],
    ];
    let mut stream = stream(2);
    let points = grid::draws(log_density, sides, count, &mut stream);
    let mut sign = |x: f64| if stream.random::<bool>() { x } else { -x };
    let signed = |at: [f64; 2]| roots(at).map(|root| sign(root.sqrt())).to_vec();
    points.into_iter().map(signed).collect()
}

/// The answers of all seeds.
pub fn solve(task: &Task) -> Result<Solved, bayes::Error> {
    let y = data(1000);
    solve_model(&PROBLEM, task, &multimodal(&y), |count| truth(&y, count))
}
