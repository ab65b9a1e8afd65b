//! Random-walk Metropolis with the population's covariance.

use super::covariance::covariance_factor;
use super::{
    Adjustable, Factor, Kernel, Moments, Population, Target, Tuning, Workspace, accept_or_reject,
    acceptance_probability, validate_step_size, validate_target_acceptance,
};
use crate::density::{Block, LogDensity};
use crate::error::Error;
use crate::rng::Stream;
use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};

/// Random-walk Metropolis: `θ' = θ + s C^{1/2} z` with C the population's covariance, `z ~ N(0, I)`.
///
/// Needs no gradient and no Gaussian reference, and also moves discrete values, by symmetric whole-number jumps of the population's
/// scale.
#[derive(Clone, Debug)]
pub struct RandomWalk {
    step_size: Option<f64>,
    target_acceptance: f64,
}

impl Default for RandomWalk {
    fn default() -> Self {
        Self::new()
    }
}

/// The smallest standard deviation of a jump between whole numbers: about half of the proposals then move.
const MIN_JUMP: f64 = 0.7;

impl RandomWalk {
    /// The scale s is tuned to an acceptance of 0.234 (Roberts, Gelman and Gilks 1997).
    #[must_use]
    pub fn new() -> Self {
        Self {
            step_size: None,
            target_acceptance: 0.234,
        }
    }

    setters! {
        /// A fixed scale s instead of a tuned one.
        step_size(scale: f64) => Some(scale);

        /// The target acceptance of the scale.
        target_acceptance(probability: f64) => probability;
    }
}

impl Kernel for RandomWalk {
    fn name(&self) -> &'static str {
        "random_walk"
    }

    fn target_acceptance(&self) -> Option<f64> {
        self.step_size.is_none().then_some(self.target_acceptance)
    }

    fn adjustable(&mut self) -> Adjustable<'_> {
        Adjustable {
            target_acceptance: Some(&mut self.target_acceptance),
            ..Adjustable::default()
        }
    }

    fn validate(&self, _: &dyn LogDensity) -> Result<(), Error> {
        validate_step_size(self.step_size)?;
        validate_target_acceptance(self.target_acceptance)
    }

    fn init(&self, density: &dyn LogDensity) -> Result<Tuning, Error> {
        let dim = density.dim();
        let step_size = self.step_size.unwrap_or(2.38 / (dim as f64).sqrt());
        let shape = Jumps {
            discrete: density.describe().discrete,
            variance: vec![1.0; dim],
            factor: Factor::Diagonal(vec![1.0; dim]),
        };
        Ok(Tuning::new(step_size, shape))
    }

    fn fit(&self, tuning: &mut Tuning, population: Population<'_>) {
        let positions = population.positions;
        let jumps = tuning.shape_mut::<Jumps>();
        let dim = jumps.variance.len();
        jumps.variance = Moments::of(positions, dim).shrunk_variance(positions.len() / dim);
        jumps.factor = covariance_factor(positions, dim);
    }

    fn restore(&self, tuning: &mut Tuning) -> Result<(), Error> {
        tuning.restore::<Jumps>()
    }

    fn step(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        block: &mut Block<'_>,
        streams: &mut [Stream],
        workspace: &mut Workspace,
    ) {
        let jumps: &Jumps = tuning.shape();
        let Workspace {
            proposal,
            acceptance,
            counts,
            scratch,
            ..
        } = workspace;
        let Scratch { noise, step_sizes } = scratch.of(|| Scratch::new(block));
        let mut proposal = proposal.block();
        for (i, stream) in streams.iter_mut().enumerate() {
            noise[block.row(i)]
                .iter_mut()
                .for_each(|z| *z = StandardNormal.sample(stream));
            step_sizes[i] = tuning.draw_step_size(stream);
        }
        proposal.positions.copy_from_slice(block.positions);
        jumps.factor.add(noise, step_sizes, proposal.positions);
        jumps.jump(block, noise, &mut proposal);
        target.evaluate(&mut proposal, counts);
        for (i, probability) in acceptance.iter_mut().enumerate().take(streams.len()) {
            let change = target.log_density(&proposal, i) - target.log_density(block, i);
            *probability = acceptance_probability(change);
        }
        accept_or_reject(block, streams, workspace);
    }
}

/// The sizes of the proposed jumps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Jumps {
    /// Which coordinates are whole numbers, `[dim]`.
    discrete: Vec<bool>,
    /// The population's variances, `[dim]`.
    variance: Vec<f64>,
    /// Square root of the population's covariance.
    factor: Factor,
}

impl Jumps {
    /// Replaces the moves of discrete coordinates by whole-number jumps from standard normal `noise`, symmetric too.
    fn jump(&self, block: &Block<'_>, noise: &[f64], proposal: &mut Block<'_>) {
        for k in (0..block.dim).filter(|k| self.discrete[*k]) {
            let spread = self.variance[k].sqrt().max(MIN_JUMP);
            for at in (k..noise.len()).step_by(block.dim) {
                // round(N(0, s²)) is symmetric on the whole numbers.
                proposal.positions[at] = block.positions[at] + (spread * noise[at]).round();
            }
        }
    }
}

/// Memory for a block.
struct Scratch {
    /// Standard normal numbers, `[particles, dim]`.
    noise: Vec<f64>,
    /// `[particles]`.
    step_sizes: Vec<f64>,
}

impl Scratch {
    fn new(block: &Block<'_>) -> Self {
        Self {
            noise: vec![0.0; block.positions.len()],
            step_sizes: vec![0.0; block.len()],
        }
    }
}
