//! The posterior of a state, with the posterior mean of its density matrix.

use crate::problem::{Estimand, squared_distance};
use crate::trial::finished;
use crate::{Lab, statistics};
use bayes::prelude::*;
use bayes_experiments::cells::Cell;
use bayes_experiments::tomography::{Measured, state};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Number of chains of NUTS for the posterior mean, and their burn-in.
const CHAINS: usize = 4;
const BURN_IN: usize = 500;

/// A state and its measurements, as settings of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    pub qubits: usize,
    /// Number of measurements of each setting.
    pub shots: u64,
    /// Number of the state.
    pub state: usize,
    /// Number of draws of each chain for the posterior mean.
    pub draws: usize,
}

/// The number of qubits in words.
pub fn qubits(number: usize) -> String {
    match number {
        1 => "1 qubit".to_owned(),
        _ => format!("{number} qubits"),
    }
}

/// The posterior mean of the density matrix.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Truth {
    /// The real parts of the elements, then the imaginary parts, `[2 D²]`.
    pub mean: Vec<f64>,
    /// The squared error of the mean, summed over elements, from the differences between chains.
    pub squared_error: f64,
    /// The posterior variance, summed over elements.
    pub variance: f64,
    /// The squared distance of the mean from the measured state.
    pub from_state: f64,
}

/// The density matrix of a position, whose posterior mean is `truth`.
pub struct DensityMatrix<'a> {
    pub dim: usize,
    pub truth: &'a [f64],
}

impl Estimand for DensityMatrix<'_> {
    fn quantity<'a>(&self, position: &'a [f64]) -> Cow<'a, [f64]> {
        Cow::Owned(state(self.dim, position))
    }
    /// The squared Frobenius norm of the difference.
    fn error(&self, estimate: &[f64]) -> f64 {
        squared_distance(estimate, self.truth)
    }
}

impl Problem {
    pub fn measured(&self, seed: u64) -> Measured {
        Measured::new(self.qubits, self.shots, seed, self.state)
    }

    pub fn dim(&self) -> usize {
        1 << self.qubits
    }

    /// The number of coordinates, `4 D²`.
    pub fn coordinates(&self) -> usize {
        4 * self.dim() * self.dim()
    }

    /// A name for the file of a cell.
    pub fn file(&self, what: &str) -> String {
        format!("qst-{}-{}-{what}", self.qubits, self.state)
    }

    fn truth(&self, seed: u64) -> Truth {
        let measured = self.measured(seed);
        let nuts = Inference::nuts().chains(CHAINS).burn_in(BURN_IN);
        let nuts = nuts.draws(self.draws).seed(1000 * seed + 999);
        let run = finished(nuts.progress(false).run(&measured.model()));
        let (mut means, mut squares) = (Vec::new(), 0.0);
        for group in &run.groups {
            let mut mean = vec![0.0; measured.truth.len()];
            for position in group.draws.chunks_exact(self.coordinates()) {
                let rho = state(self.dim(), position);
                squares += rho.iter().map(|x| x * x).sum::<f64>();
                mean.iter_mut().zip(&rho).for_each(|(m, x)| *m += x);
            }
            mean.iter_mut().for_each(|m| *m /= self.draws as f64);
            means.push(mean);
        }
        let element = |k: usize| statistics::mean(means.iter().map(|mean| mean[k]));
        let mean: Vec<f64> = (0..measured.truth.len()).map(element).collect();
        let between = means
            .iter()
            .map(|own| squared_distance(own, &mean))
            .sum::<f64>();
        let chains = means.len() as f64;
        let length: f64 = mean.iter().map(|m| m * m).sum();
        Truth {
            squared_error: between / (chains - 1.0) / chains,
            variance: squares / (chains * self.draws as f64) - length,
            from_state: squared_distance(&mean, &measured.truth),
            mean,
        }
    }
}

/// The posterior means of some problems.
pub fn truths(lab: &Lab, problems: &[Problem]) -> Vec<Truth> {
    let cells: Vec<Cell<Problem>> = problems
        .iter()
        .map(|problem| Cell {
            name: problem.file("truth"),
            settings: *problem,
        })
        .collect();
    lab.cells
        .run(&cells, |problem| problem.truth(lab.cells.seed))
}
