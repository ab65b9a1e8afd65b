//! Nodes that do not communicate, in groups of P for every P: islands of SMC, or as many chains.

use crate::problem::{Estimand, Name, Posterior};
use crate::statistics::mean;
use crate::trial::{Moves, chains, evaluations, finished, smc};
use bayes::density::LogDensity;
use bayes::run::Group;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Instant;

/// A batch of nodes on a problem.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Batch<P = Name> {
    pub problem: P,
    pub kernel: Moves,
    pub method: Method,
    /// Number of nodes, a power of two.
    pub nodes: usize,
    /// Number of particles or chains of a node.
    pub particles: usize,
    /// Number of the batch.
    pub number: usize,
}

/// Number of particles of a pilot.
const PILOT: usize = 512;

/// The method of a node.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Method {
    /// An island of SMC with `moves` at each temperature, weighted by its evidence.
    Smc { moves: usize },
    /// As `Smc`, but every island replays temperatures and step sizes of a pilot.
    Replay { moves: usize },
    /// As `Smc`, with equal weights.
    Equal { moves: usize },
    /// Chains of `steps` steps, which keep their last states.
    Chains { steps: usize },
}

/// The results of the nodes of a batch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    /// Squared errors of the first P nodes together, of the next P, and so on, for P = 1, 2, 4, ... nodes.
    pub squared_errors: Vec<Vec<f64>>,
    /// The estimate of all nodes together.
    together: Node,
    /// Number of sequential moves of a particle.
    pub moves: f64,
    /// Likelihoods, or gradients, of a node, including tuning of the kernel.
    pub evaluations: f64,
    /// Temperatures J.
    pub temperatures: f64,
    /// Seconds of a node on one core.
    pub seconds: f64,
}

/// The estimate of one or more nodes: the posterior mean, and the log of the sum of the weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Node {
    log_weight: f64,
    mean: Vec<f64>,
}

impl Node {
    /// A node of chains or particles with equal weights.
    fn of(groups: &[Group], dim: usize, estimand: &dyn Estimand) -> Self {
        Self {
            log_weight: groups[0].log_evidence().unwrap_or(0.0),
            mean: mean_of(groups, dim, |position| estimand.quantity(position)),
        }
    }

    fn joined(pair: &[Self]) -> Self {
        let largest = pair
            .iter()
            .map(|node| node.log_weight)
            .fold(f64::MIN, f64::max);
        let weights: Vec<f64> = pair
            .iter()
            .map(|node| (node.log_weight - largest).exp())
            .collect();
        let sum: f64 = weights.iter().sum();
        let mut mean = vec![0.0; pair[0].mean.len()];
        for (node, weight) in pair.iter().zip(&weights) {
            let pairs = mean.iter_mut().zip(&node.mean);
            pairs.for_each(|(m, x)| *m += weight / sum * x);
        }
        Self {
            log_weight: largest + sum.ln(),
            mean,
        }
    }
}

/// The mean of a quantity over the equally weighted draws of groups of `dim` coordinates.
pub fn mean_of<'g>(
    groups: &'g [Group],
    dim: usize,
    quantity: impl Fn(&'g [f64]) -> Cow<'g, [f64]>,
) -> Vec<f64> {
    let draws = groups.iter();
    let draws = draws.flat_map(|group| group.draws.chunks_exact(dim));
    let count = draws.clone().count() as f64;
    let mut mean = Vec::new();
    for draw in draws {
        let own = quantity(draw);
        mean.resize(own.len(), 0.0);
        let pairs = mean.iter_mut().zip(own.iter());
        pairs.for_each(|(m, x)| *m += x / count);
    }
    mean
}

/// The squared errors for P = 1, 2, 4, ... nodes, and all nodes together.
fn ladder(mut nodes: Vec<Node>, estimand: &dyn Estimand) -> (Vec<Vec<f64>>, Node) {
    let mut errors = Vec::new();
    loop {
        let of = |node: &Node| estimand.error(&node.mean);
        errors.push(nodes.iter().map(of).collect());
        if nodes.len() == 1 {
            return (errors, nodes.remove(0));
        }
        nodes = nodes.chunks(2).map(Node::joined).collect();
    }
}

/// The squared errors for P nodes in all batches together, for P = 1, 2, 4, ..., half of all nodes. The number of batches is a power of
/// two, at least 2.
pub fn over_batches(batches: &[Found], problem: Name, seed: u64) -> Vec<Vec<f64>> {
    let posterior = Posterior::new(problem, seed);
    let each = batches[0].squared_errors.len();
    let within = (0..each).map(|p| {
        let of = batches.iter().flat_map(|b| &b.squared_errors[p]);
        of.copied().collect()
    });
    let together = batches.iter().map(|batch| batch.together.clone());
    let (across, _) = ladder(together.collect(), &posterior);
    // all nodes together are a single estimate, so its error is unreliable
    let across = across.into_iter().skip(1);
    let all = within.chain(across);
    all.filter(|errors: &Vec<f64>| errors.len() > 1).collect()
}

impl Batch {
    pub fn run(&self, seed: u64) -> Found {
        let posterior = Posterior::new(self.problem, seed);
        self.run_on(&posterior, &posterior, seed)
    }
}

impl<P> Batch<P> {
    /// Runs on the density of the problem.
    pub fn run_on(&self, density: &dyn LogDensity, estimand: &dyn Estimand, seed: u64) -> Found {
        let start = Instant::now();
        let own = 1_000_000 * seed + self.number as u64;
        let (run, each) = match self.method {
            Method::Smc { moves } | Method::Replay { moves } | Method::Equal { moves } => {
                let smc = smc(self.kernel, self.particles, moves, own).islands(self.nodes);
                let smc = match self.method {
                    Method::Replay { .. } => smc.pilot(PILOT),
                    _ => smc,
                };
                (finished(smc.run_on(density)), 1)
            }
            Method::Chains { steps } => {
                let settings = [self.nodes * self.particles, steps, 1, 1];
                let run = chains(self.kernel, settings, density, own);
                (run, self.particles)
            }
        };
        let nodes = run.groups.chunks(each);
        let node = |groups| Node::of(groups, density.dim(), estimand);
        let mut nodes: Vec<Node> = nodes.map(node).collect();
        if let Method::Equal { .. } = self.method {
            nodes.iter_mut().for_each(|node| node.log_weight = 0.0);
        }
        let (squared_errors, together) = ladder(nodes, estimand);
        let temperatures = mean(run.groups.iter().map(|group| group.history().len() as f64));
        Found {
            squared_errors,
            together,
            moves: match self.method {
                Method::Chains { steps } => steps as f64,
                Method::Smc { moves } | Method::Replay { moves } | Method::Equal { moves } => {
                    temperatures * moves as f64
                }
            },
            evaluations: evaluations(&run, self.kernel) / self.nodes as f64,
            temperatures,
            seconds: start.elapsed().as_secs_f64() / self.nodes as f64,
        }
    }
}

/// Single chains: the squared errors of their running means.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Serial<P = Name> {
    pub problem: P,
    pub kernel: Moves,
    pub burn_in: usize,
    /// Number of steps after the burn-in, a power of two.
    pub steps: usize,
    /// Number of chains that run together, in SIMD lanes.
    pub chains: usize,
    pub number: usize,
}

/// Number of points of the running mean: after all steps, a half, a quarter, and so on.
const POINTS: usize = 9;
/// Largest number of draws kept of a chain.
const DRAWS: usize = 16_384;

/// The results of a chain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Walk {
    /// Steps after the burn-in, and the squared error of the mean of the states so far.
    pub points: Vec<(usize, f64)>,
    /// Seconds of a step of a chain on one core.
    pub seconds: f64,
}

impl Serial {
    pub fn run(&self, seed: u64) -> Vec<Walk> {
        let posterior = Posterior::new(self.problem, seed);
        self.run_on(&posterior, &posterior, seed)
    }
}

impl<P> Serial<P> {
    /// Runs on the density of the problem.
    pub fn run_on(
        &self,
        density: &dyn LogDensity,
        estimand: &dyn Estimand,
        seed: u64,
    ) -> Vec<Walk> {
        let thin = (self.steps / DRAWS).max(1);
        let draws = self.steps / thin;
        let start = Instant::now();
        let own = 1_000_000 * seed + 900_000 + self.number as u64;
        let settings = [self.chains, self.burn_in, draws, thin];
        let run = chains(self.kernel, settings, density, own);
        let steps = self.chains * (self.burn_in + self.steps);
        let seconds = start.elapsed().as_secs_f64() / steps as f64;
        let of_chain = |group: &Group| {
            let points = running(group, density.dim(), estimand).into_iter();
            Walk {
                points: points.map(|(made, error)| (made * thin, error)).collect(),
                seconds,
            }
        };
        run.groups.iter().map(of_chain).collect()
    }
}

/// The number of draws so far and the error of their mean, after all draws of a chain, a half, a quarter, and so on.
pub fn running(group: &Group, dim: usize, estimand: &dyn Estimand) -> Vec<(usize, f64)> {
    let draws = group.draws.len() / dim;
    let mut sum = Vec::new();
    let mut points = Vec::new();
    for (i, row) in group.draws.chunks_exact(dim).enumerate() {
        let own = estimand.quantity(row);
        sum.resize(own.len(), 0.0);
        sum.iter_mut().zip(own.iter()).for_each(|(s, x)| *s += x);
        let made = i + 1;
        if made.is_power_of_two() && made << (POINTS - 1) >= draws {
            let mean: Vec<f64> = sum.iter().map(|s| s / made as f64).collect();
            points.push((made, estimand.error(&mean)));
        }
    }
    points
}
