//! The distance of a method's draws from the truth.

use crate::problem::Problem;
use bayes::metrics::{self, Distances};
use bayes::prelude::*;
use bayes::run::Draws;

/// The score of a method with one seed.
#[derive(Clone, Debug)]
pub struct Score {
    pub method: &'static str,
    pub mmtv: f64,
    /// The exact 2-Wasserstein distance, for some of the draws only, because its cost is cubic in their number.
    pub w2: f64,
    pub gskl: f64,
    /// Importance ESS; NaN without weights.
    pub ess: f64,
    /// The largest number of exact evaluations of a part's density.
    pub evaluations: f64,
    /// The masses of the four regions; empty without regions.
    pub regions: Vec<f64>,
    /// Seconds of the method only.
    pub seconds: f64,
    /// Warnings of the combination, beyond those about the chains of the parts.
    pub warnings: usize,
    /// Whether a warning says that the combination is not as the exact densities are.
    pub is_distrusted: bool,
}

/// Independent draws of the truth.
pub struct Truth {
    pub draws: Draws,
    few: Draws,
    /// The score of as many draws of the truth as the methods have, against as many others.
    pub floor: Score,
}

impl Truth {
    /// Takes twice as many draws as the methods have; the Wasserstein distance uses `few` of them.
    pub fn new(rows: Vec<Vec<f64>>, few: usize) -> Self {
        // every other one, so that both halves have draws of all chains, if there are chains
        let half = |first: usize| -> Vec<Vec<f64>> {
            rows.iter().skip(first).step_by(2).cloned().collect()
        };
        let (rows, other) = (half(0), half(1));
        let some: Vec<Vec<f64>> = (0..few)
            .map(|i| rows[i * rows.len() / few].clone())
            .collect();
        let mut truth = Self {
            draws: equal(&rows),
            few: equal(&some),
            floor: Score::empty("floor"),
        };
        truth.floor = truth.score("floor", &equal(&other));
        truth
    }

    /// The distances of some draws.
    pub fn score(&self, method: &'static str, draws: &Draws) -> Score {
        let fits = "the draws are finite and have the coordinates of the truth";
        let all: Distances = metrics::distances(draws, &self.draws).expect(fits);
        let few = metrics::distances(draws, &self.few).expect(fits);
        Score {
            mmtv: all.mmtv,
            w2: few.w2,
            gskl: all.gskl,
            ..Score::empty(method)
        }
    }
}

impl Score {
    /// The score of a method without draws.
    pub fn worst(method: &'static str) -> Self {
        Self {
            mmtv: 1.0,
            w2: f64::INFINITY,
            gskl: f64::INFINITY,
            ..Self::empty(method)
        }
    }

    fn empty(method: &'static str) -> Self {
        Self {
            method,
            mmtv: f64::NAN,
            w2: f64::NAN,
            gskl: f64::NAN,
            ess: f64::NAN,
            evaluations: 0.0,
            regions: Vec::new(),
            seconds: 0.0,
            warnings: 0,
            is_distrusted: false,
        }
    }
}

/// Equally weighted draws.
fn equal(rows: &[Vec<f64>]) -> Draws {
    Draws {
        weights: vec![1.0 / rows.len() as f64; rows.len()],
        values: rows.concat(),
        elements: rows[0].len(),
        groups: vec![rows.len()],
    }
}

/// The draws of a run in the coordinates of the problem, with its weights or with equal ones.
pub fn view(problem: &Problem, run: &Run, with_weights: bool) -> Draws {
    let elements = run.layout.elements();
    let rows = run.groups.iter().flat_map(|group| group.rows(elements));
    let rows: Vec<Vec<f64>> = rows.map(problem.view).collect();
    let draws = equal(&rows);
    match with_weights {
        true => Draws {
            weights: run.draw_weights(),
            ..draws
        },
        false => draws,
    }
}

/// The masses of four regions.
pub fn masses(problem: &Problem, draws: &Draws) -> Vec<f64> {
    let Some(region) = problem.region else {
        return Vec::new();
    };
    let mut masses = vec![0.0; 4];
    for (row, weight) in draws.rows().zip(&draws.weights) {
        masses[region(row)] += weight;
    }
    masses
}
