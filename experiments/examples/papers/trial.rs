//! A method on a problem, repeated: the squared errors of the posterior mean, and their cost.

use crate::problem::{Estimand, Name, Posterior, PriorStart};
use crate::statistics::{mean, mean_and_error};
use bayes::density::LogDensity;
use bayes::engine::Smc;
use bayes::kernel::Kernel;
use bayes::prelude::*;
use bayes::run::Group;
use bayes_experiments::cells::{Cell, Cells};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The kernels of the papers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Moves {
    /// pCN with D from the variances of the population, tuned to an acceptance of 0.3.
    Pcn,
    /// HMC with ten leapfrog steps of equal size, identity mass, tuned to an acceptance of 0.65.
    Hmc,
    /// The same with step sizes that vary between trajectories by up to a fifth.
    JitteredHmc,
    /// HMC of twenty leapfrog steps of 0.1, identity mass ("SMC Is All You Need", figure 14).
    FixedHmc,
    /// HMC of twenty leapfrog steps of 0.01, identity mass: 0.001 with masses of 0.01 (the same, figures 15 and 16).
    SmallHmc,
}

/// Number of leapfrog steps of a move of HMC.
pub const LEAPFROG: usize = 10;

impl Moves {
    pub fn kernel(self) -> Box<dyn Kernel> {
        match self {
            Self::Pcn => Box::new(Pcn::new()),
            Self::Hmc => hmc(0.0),
            Self::JitteredHmc => hmc(0.2),
            Self::FixedHmc => fixed(0.1),
            Self::SmallHmc => fixed(0.01),
        }
    }

    /// Number of likelihoods, or gradients, of a move.
    pub fn epochs(self) -> usize {
        match self {
            Self::Pcn => 1,
            Self::Hmc | Self::JitteredHmc => LEAPFROG,
            Self::FixedHmc | Self::SmallHmc => 2 * LEAPFROG,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Pcn => "pCN",
            Self::Hmc | Self::FixedHmc | Self::SmallHmc => "HMC",
            Self::JitteredHmc => "HMC with jitter",
        }
    }
}

fn hmc(jitter: f64) -> Box<dyn Kernel> {
    let hmc = Hmc::new().leapfrog_steps(LEAPFROG).mass(Mass::Identity);
    Box::new(hmc.jitter(jitter).halvings(0))
}

/// HMC with equal trajectories.
fn fixed(step_size: f64) -> Box<dyn Kernel> {
    let hmc = Hmc::new().leapfrog_steps(2 * LEAPFROG).mass(Mass::Identity);
    Box::new(hmc.step_size(step_size).jitter(0.0).halvings(0))
}

/// A method with its settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Method {
    /// P islands of N particles with M moves at each temperature, weighted by their evidence; standard SMC with an ESS target of a half.
    Smc {
        islands: usize,
        particles: usize,
        moves: usize,
    },
    /// As `Smc` with one island, with step sizes that follow the acceptance at the previous temperature.
    Following { particles: usize, moves: usize },
    /// As `Smc` with one island, and as many moves as reduce the correlation of a particle with its start to η.
    Adaptive { particles: usize, correlation: f64 },
    /// One chain: burn-in, then the mean of its thinned draws.
    Chain {
        burn_in: usize,
        draws: usize,
        thin: usize,
    },
    /// Chains from prior draws, each of which keeps its last state (MCMC∥).
    Chains { chains: usize, burn_in: usize },
}

/// A method on a problem, repeated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    pub problem: Name,
    pub kernel: Moves,
    pub method: Method,
    pub repeats: usize,
    /// Number of the batch of repeats; another batch has other random numbers.
    pub batch: usize,
}

/// The results of repeated runs, and the mean cost of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scatter {
    /// Squared error of the posterior mean, summed over coordinates, of each run.
    pub squared_errors: Vec<f64>,
    /// Likelihoods, or gradients, of all particles or chains, including tuning of the kernel.
    pub evaluations: f64,
    /// Sequential likelihoods, or gradients, in the moves of a particle or chain.
    pub epochs: f64,
    /// Temperatures J of an island.
    pub temperatures: f64,
    /// Moves M at the last temperature.
    pub last_moves: f64,
    /// Seconds on one core.
    pub seconds: f64,
}

impl Scatter {
    /// Mean squared error and its standard error.
    pub fn mse(&self) -> (f64, f64) {
        mean_and_error(&self.squared_errors)
    }

    /// The batches of a trial together.
    fn joined(batches: &[Self]) -> Self {
        let average = |of: fn(&Self) -> f64| mean(batches.iter().map(of));
        Self {
            squared_errors: batches
                .iter()
                .flat_map(|b| b.squared_errors.iter().copied())
                .collect(),
            evaluations: average(|b| b.evaluations),
            epochs: average(|b| b.epochs),
            temperatures: average(|b| b.temperatures),
            last_moves: average(|b| b.last_moves),
            seconds: average(|b| b.seconds),
        }
    }
}

/// Runs trials, each in a number of batches of repeats, and joins the batches. The names of trials are used for their files.
pub fn run(cells: &Cells, trials: &[(String, Trial)], batches: usize) -> Vec<Scatter> {
    let all: Vec<Cell<Trial>> = trials
        .iter()
        .flat_map(|(name, trial)| {
            (0..batches).map(move |batch| Cell {
                name: format!("{name}-{batch}"),
                settings: Trial { batch, ..*trial },
            })
        })
        .collect();
    let found = cells.run(&all, |trial| trial.run(cells.seed));
    found.chunks(batches).map(Scatter::joined).collect()
}

impl Trial {
    fn run(&self, seed: u64) -> Scatter {
        let posterior = Posterior::new(self.problem, seed);
        let start = Instant::now();
        let runs: Vec<Scatter> = (0..self.repeats)
            .map(|repeat| {
                let own = (self.batch * self.repeats + repeat) as u64;
                self.run_once(&posterior, 1_000_000 * seed + own)
            })
            .collect();
        let seconds = start.elapsed().as_secs_f64() / self.repeats as f64;
        Scatter {
            seconds,
            ..Scatter::joined(&runs)
        }
    }

    fn run_once(&self, posterior: &Posterior, seed: u64) -> Scatter {
        let run = match self.method {
            Method::Smc {
                islands,
                particles,
                moves,
            } => {
                let smc = smc(self.kernel, particles, moves, seed).islands(islands);
                finished(smc.run_on(posterior))
            }
            Method::Following { particles, moves } => {
                let smc = smc(self.kernel, particles, moves, seed);
                let smc = smc.step_size_rule(StepSizeRule::LastMoves);
                finished(smc.run_on(posterior))
            }
            Method::Adaptive {
                particles,
                correlation,
            } => {
                let moves = Mutations::adaptive().correlation(correlation);
                let smc = smc(self.kernel, particles, moves.max_steps(2000), seed);
                finished(smc.run_on(posterior))
            }
            Method::Chain {
                burn_in,
                draws,
                thin,
            } => chains(self.kernel, [1, burn_in, draws, thin], posterior, seed),
            Method::Chains { chains: n, burn_in } => {
                chains(self.kernel, [n, burn_in, 1, 1], posterior, seed)
            }
        };
        let per_move = self.kernel.epochs() as f64;
        let in_series = |group: &Group| -> f64 {
            let moves = group.history().iter().map(|stage| stage.mutations);
            moves.sum::<usize>() as f64
        };
        let moves = match self.method {
            Method::Smc { .. } | Method::Following { .. } | Method::Adaptive { .. } => {
                mean(run.groups.iter().map(in_series))
            }
            Method::Chain {
                burn_in,
                draws,
                thin,
            } => (burn_in + draws * thin) as f64,
            Method::Chains { burn_in, .. } => burn_in as f64,
        };
        Scatter {
            squared_errors: vec![posterior.error(&estimate(&run))],
            evaluations: evaluations(&run, self.kernel),
            epochs: per_move * moves,
            temperatures: mean(run.groups.iter().map(|group| group.history().len() as f64)),
            last_moves: mean(run.groups.iter().map(last_moves)),
            seconds: 0.0,
        }
    }
}

fn last_moves(group: &Group) -> f64 {
    group.history().last().map_or(0.0, |s| s.mutations as f64)
}

/// Likelihoods, or gradients if the kernel uses them.
pub fn evaluations(run: &Run, kernel: Moves) -> f64 {
    let counts = run.counts();
    match kernel {
        Moves::Pcn => counts.density_evaluations as f64,
        Moves::Hmc | Moves::JitteredHmc | Moves::FixedHmc | Moves::SmallHmc => {
            counts.gradient_evaluations as f64
        }
    }
}

/// Standard SMC with the papers' ladder, one island of `particles`.
pub fn smc(
    kernel: Moves,
    particles: usize,
    moves: impl Into<Mutations>,
    seed: u64,
) -> Smc<Box<dyn Kernel>> {
    let smc = Inference::smc().particles(particles).states_kept(1);
    let smc = smc.ess_target(0.5).step_size_mixture(0.0).mutations(moves);
    smc.kernel(kernel.kernel()).seed(seed).progress(false)
}

/// Unwraps a result that cannot fail, because settings and data are valid.
pub fn finished<T>(found: Result<T, bayes::Error>) -> T {
    found.unwrap_or_else(|error| bayes_experiments::common::fail(&error.to_string()))
}

/// Chains from one prior draw each, with these numbers of chains, burn-in steps, draws and thinning.
pub fn chains(
    kernel: Moves,
    [chains, burn_in, draws, thin]: [usize; 4],
    density: &dyn LogDensity,
    seed: u64,
) -> Run {
    let engine = Inference::chains(kernel.kernel()).chains(chains).seed(seed);
    let engine = engine.burn_in(burn_in).draws(draws).thin(thin);
    finished(engine.progress(false).run_on(&PriorStart(density)))
}

/// The posterior mean of a run.
fn estimate(run: &Run) -> Vec<f64> {
    let named = "a density by hand has the vector `x`";
    run.mean("x").expect(named)
}
