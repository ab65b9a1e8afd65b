//! Two rare classes, table 3.
//!
//! ```text
//! p ~ Dirichlet(1/3, 1/3, 1/3)    y_n ~ Categorical(p)    n = 1..1000
//! ```
//!
//! The parts are multiplied in the coordinates (p_1, p_2), with a density written by hand. In the unconstrained coordinates of a model, a
//! part without a rare class has a tail exp(x/30). Its surrogate would have to cover the range from 0 to -100 to be useful between -9 and
//! -4, and PAI fails.
//!
//! The counts are 1, 1 and 998, the expected counts under the class probabilities 1/N, 1/N and 1 - 2/N: at most two of the ten parts
//! contain a rare class. The posterior is Dirichlet(1/3 + counts).

use crate::Task;
use crate::problem::Problem;
use crate::solve::{Solved, solve_all};
use bayes::density::{Block, LogDensity, Prior, Subposterior};
use bayes::engine::Engine;
use bayes::prelude::*;
use bayes::rng::{Stream, stream};
use bayes::rows::partition;
use rand_distr::{Distribution, Gamma};

pub const PROBLEM: Problem = Problem {
    name: "rare",
    parts: 10,
    chains: walks,
    bounds: &[[0.0, 1.0]; 2],
    coordinates: &["p_1", "p_2"],
    view: <[f64]>::to_vec,
    region: None,
    published: &[
        ("parametric", [[0.26, 0.14], [0.15, 0.19], [1.1, 1.4]]),
        ("semiparametric", [[0.49, 0.21], [0.27, 0.23], [3.5, 3.4]]),
        ("nonparametric", [[0.43, 0.17], [0.19, 0.25], [2.8, 3.9]]),
        ("partition_trees", [[0.31, 0.14], [0.08, 0.13], [0.86, 1.0]]),
        ("gp", [[0.16, 0.09], [0.04, 0.07], [0.35, 0.48]]),
        ("gp_dis", [[0.011, 0.002], [6.3e-4, 9e-4], [1.1e-4, 1.5e-4]]),
        ("pai", [[0.028, 0.027], [0.001, 0.002], [8.0e-3, 1.6e-2]]),
        (
            "pai_dis",
            [[0.009, 0.002], [5.4e-4, 8e-4], [4.3e-5, 2.1e-5]],
        ),
    ],
};

const ALPHA: f64 = 1.0 / 3.0;
const COUNTS: [usize; 3] = [1, 1, 998];

/// The posterior of counts in the coordinates (p_1, p_2).
struct Rare {
    counts: [f64; 3],
}

impl LogDensity for Rare {
    fn dim(&self) -> usize {
        2
    }

    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|p| {
            let p = [p[0], p[1], 1.0 - p[0] - p[1]];
            if p.iter().any(|p| *p <= 0.0) {
                return [f64::NEG_INFINITY, 0.0];
            }
            let log_prior = p.iter().map(|p| (ALPHA - 1.0) * p.ln()).sum();
            let counted = p.iter().zip(&self.counts);
            [log_prior, counted.map(|(p, count)| count * p.ln()).sum()]
        });
    }

    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
}

impl Prior for Rare {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        position.copy_from_slice(&dirichlet([ALPHA; 3], stream));
    }
}

/// The first two coordinates of a draw.
fn dirichlet(alpha: [f64; 3], stream: &mut Stream) -> [f64; 2] {
    let gammas = alpha.map(|shape| Gamma::new(shape, 1.0).expect("the shape is positive"));
    let draws = gammas.map(|gamma| gamma.sample(stream));
    let total: f64 = draws.iter().sum();
    [draws[0] / total, draws[1] / total]
}

/// Random walks, because the density ends at the boundary of the simplex.
fn walks(draws: usize) -> Box<dyn Engine> {
    let chains = Inference::random_walk().burn_in(10 * draws).thin(10);
    Box::new(chains.draws(draws).progress(false))
}

/// Independent draws of the posterior.
fn truth(count: usize) -> Vec<Vec<f64>> {
    let mut stream = stream(2);
    let alpha = COUNTS.map(|count| ALPHA + count as f64);
    (0..count)
        .map(|_| dirichlet(alpha, &mut stream).to_vec())
        .collect()
}

/// The answers of all seeds.
pub fn solve(task: &Task) -> Result<Solved, bayes::Error> {
    let classes = COUNTS.iter().enumerate();
    let y: Vec<usize> = classes
        .flat_map(|(class, count)| vec![class; *count])
        .collect();
    let count = |rows: &[usize]| {
        let mut counts = [0.0; 3];
        rows.iter().for_each(|row| counts[y[*row]] += 1.0);
        Rare { counts }
    };
    let all: Vec<usize> = (0..y.len()).collect();
    solve_all(&PROBLEM, task, truth, |seed, solve| {
        let rows = partition(y.len(), PROBLEM.parts, seed).expect("more rows than parts");
        let parts = rows
            .iter()
            .map(|rows| Subposterior::new(count(rows), PROBLEM.parts));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        let parts: Vec<&dyn LogDensity> = parts.iter().map(|part| part as _).collect();
        solve(&parts, &count(&all))
    })
}
