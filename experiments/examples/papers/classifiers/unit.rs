//! An island of SMC, or as many chains: a cell of a table, and the combined predictions of several cells.

use super::data::Data;
use super::kernel::AtLeastOneStep;
use super::published::{Row, Sampler};
use crate::trial::finished;
use bayes::Run;
use bayes::density::LogDensity;
use bayes::kernel::{Hmc, Kernel};
use bayes::nalgebra::DMatrix;
use bayes::prelude::*;
use bayes_experiments::classification::{Prediction, Scores};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The length of a trajectory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Path {
    /// The integration time, leapfrog steps times step size; a longer step is a whole trajectory.
    AtLeast(f64),
    /// The same, but no step is longer than this time.
    Time(f64),
    /// One leapfrog step.
    Step,
}

impl Path {
    /// HMC as in the paper: one step size, tuned to an acceptance of 0.65.
    fn kernel(self, mass: Mass) -> Box<dyn Kernel> {
        let hmc = Hmc::new().mass(mass).jitter(0.0).halvings(0);
        match self {
            Self::AtLeast(time) => Box::new(AtLeastOneStep { time, hmc }),
            Self::Time(time) => Box::new(hmc.integration_time(time)),
            Self::Step => Box::new(hmc.leapfrog_steps(1)),
        }
    }

    pub fn name(self) -> String {
        match self {
            Self::AtLeast(time) | Self::Time(time) => format!("tau={time}"),
            Self::Step => "L=1".to_owned(),
        }
    }
}

/// Settings of SMC besides those of a row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Recipe {
    /// The target of the effective sample size, as a share of the particles.
    pub ess: f64,
    /// Whether step sizes follow the acceptance at the previous temperature; otherwise trial moves find them.
    pub follows_moves: bool,
    /// Whether the masses are the inverse variances of the particles; otherwise they are 1.
    pub fits_mass: bool,
}

impl Recipe {
    /// The recipe used here: the paper's, except for its step sizes, which seem to follow the moves, and for its temperatures, whose
    /// effective sample size is above a half.
    pub const TAKEN: Self = Self {
        ess: 0.5,
        follows_moves: false,
        fits_mass: false,
    };

    /// The rule for step sizes, in words.
    pub fn steps(self) -> &'static str {
        match self.follows_moves {
            true => "follow the moves at the temperature before",
            false => "by trial moves",
        }
    }
}

/// The results of an island or as many chains.
#[derive(Serialize, Deserialize)]
pub struct Unit {
    pub log_evidence: f64,
    /// The mean probabilities of the test rows, class by class.
    probabilities: Vec<f64>,
    /// The mean entropy of the draws' own probabilities.
    entropy: f64,
    /// Gradients of a particle or chain, including tuning of the step size.
    pub epochs: f64,
    /// Seconds on one core.
    pub seconds: f64,
}

impl Unit {
    /// Runs a unit of a row of a table.
    pub fn run(
        (row, recipe): (&Row, Recipe),
        density: &dyn LogDensity,
        data: &Data,
        seed: u64,
    ) -> Self {
        let start = Instant::now();
        let run = match row.sampler {
            Sampler::Smc => island(row, recipe, density, seed),
            Sampler::Chains => {
                let chains =
                    Inference::chains(row.path.kernel(Mass::Identity)).chains(row.particles);
                let chains = chains.burn_in(row.moves).draws(1).seed(seed);
                finished(chains.progress(false).run_on(density))
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        let found = Prediction::of(&run, "theta", &data.net, &data.test.x);
        Self {
            log_evidence: run.groups[0].log_evidence().unwrap_or(0.0),
            probabilities: found.probabilities.as_slice().to_vec(),
            entropy: found.entropy_of_draws,
            epochs: run.counts().gradient_evaluations as f64 / row.particles as f64,
            seconds,
        }
    }

    /// The scores of this unit only.
    pub fn own_scores(&self, data: &Data) -> Scores {
        Self::scores(std::slice::from_ref(self), data)
    }

    /// The scores of some units together, weighted by their evidence.
    pub fn scores(units: &[Self], data: &Data) -> Scores {
        let largest = units.iter().map(|unit| unit.log_evidence);
        let largest = largest.fold(f64::MIN, f64::max);
        let weights = units.iter().map(|unit| (unit.log_evidence - largest).exp());
        let weights: Vec<f64> = weights.collect();
        let total: f64 = weights.iter().sum();
        let (rows, classes) = (data.test.labels.len(), data.net.outputs());
        let mut together = Prediction {
            probabilities: DMatrix::zeros(rows, classes),
            entropy_of_draws: 0.0,
        };
        for (unit, weight) in units.iter().zip(weights) {
            let share = weight / total;
            together.entropy_of_draws += share * unit.entropy;
            let pairs = together.probabilities.iter_mut().zip(&unit.probabilities);
            pairs.for_each(|(sum, p)| *sum += share * p);
        }
        together.scores(&data.test.labels)
    }
}

/// Standard SMC.
fn island(row: &Row, recipe: Recipe, density: &dyn LogDensity, seed: u64) -> Run {
    let smc = Inference::smc().particles(row.particles).states_kept(1);
    let rule = match recipe.follows_moves {
        true => StepSizeRule::LastMoves,
        false => StepSizeRule::Trials,
    };
    let mass = match recipe.fits_mass {
        true => Mass::Variance,
        false => Mass::Identity,
    };
    let smc = smc.ess_target(recipe.ess).step_size_rule(rule);
    let smc = smc.step_size_mixture(0.0).mutations(row.moves);
    let smc = smc.kernel(row.path.kernel(mass));
    let smc = smc.control_variates(false).seed(seed).progress(false);
    finished(smc.run_on(density))
}
