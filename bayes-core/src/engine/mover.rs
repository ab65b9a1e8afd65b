//! Moves many particles by a kernel, block by block and in parallel, with the same bits for any number of threads.

use crate::density::{Block, Counts, Particles};
use crate::kernel::{Kernel, Target, Tuning, Workspace};
use crate::rng::Stream;
use rayon::prelude::*;

/// Particles in a block. Fixed: what is computed must not depend on the number of threads.
pub(super) const BLOCK: usize = 16;

/// First particle of the second half of `n`; `n` itself where there is a single block.
///
/// A kernel fitted to the very particles that it then moves is not quite invariant for each of them: it moves a particle
/// less in a direction in which the particles, this one included, happen to be close. So SMC moves each half by what the
/// other half taught.
pub(super) fn half(n: usize) -> usize {
    if n <= BLOCK {
        n
    } else {
        n.div_ceil(BLOCK) / 2 * BLOCK
    }
}

/// Memory and random streams to move a population.
pub(super) struct Mover<'a> {
    kernel: &'a dyn Kernel,
    workspaces: Vec<Workspace>,
    streams: Vec<Stream>,
    acceptance: Vec<f64>,
    steps: usize,
}

impl<'a> Mover<'a> {
    /// Memory to move `streams.len()` particles, each by its own stream.
    pub(super) fn new(kernel: &'a dyn Kernel, dim: usize, streams: Vec<Stream>) -> Self {
        let workspaces = streams
            .chunks(BLOCK)
            .map(|block| Workspace::new(block.len(), dim))
            .collect();
        let acceptance = vec![0.0; streams.len()];
        Self {
            kernel,
            workspaces,
            streams,
            acceptance,
            steps: 0,
        }
    }

    /// Brings the gradients up to date with the target's lambda, if the kernel needs them.
    pub(super) fn refresh(&mut self, particles: &mut Particles, target: Target<'_>) {
        if !self.kernel.needs_gradient() {
            return;
        }
        particles
            .blocks(BLOCK)
            .into_par_iter()
            .zip(&mut self.workspaces)
            .for_each(|(mut block, workspace)| {
                target
                    .density
                    .evaluate_gradient(target.lambda, &mut block, &mut workspace.counts);
            });
    }

    /// Moves every particle `steps` times, each half by its own tuning.
    pub(super) fn step(
        &mut self,
        particles: &mut Particles,
        tunings: [&Tuning; 2],
        target: Target<'_>,
        steps: usize,
    ) {
        let kernel = self.kernel;
        let first = half(particles.len()) / BLOCK;
        particles
            .blocks(BLOCK)
            .into_par_iter()
            .enumerate()
            .zip(&mut self.workspaces)
            .zip(self.streams.par_chunks_mut(BLOCK))
            .zip(self.acceptance.par_chunks_mut(BLOCK))
            .for_each(|((((index, mut block), workspace), streams), acceptance)| {
                let tuning = tunings[usize::from(index >= first.max(1))];
                for _ in 0..steps {
                    kernel.step(tuning, target, &mut block, streams, workspace);
                    acceptance
                        .iter_mut()
                        .zip(&workspace.acceptance)
                        .for_each(|(sum, a)| *sum += a);
                }
            });
        self.steps += steps;
    }

    /// Mean acceptance probability over particles and steps since the last call.
    pub(super) fn take_acceptance(&mut self) -> f64 {
        let acceptances = self.take_acceptances();
        acceptances.iter().sum::<f64>() / acceptances.len().max(1) as f64
    }

    /// Mean acceptance probability of each particle since the last call.
    pub(super) fn take_acceptances(&mut self) -> Vec<f64> {
        let steps = self.steps.max(1) as f64;
        let means = self.acceptance.iter().map(|sum| sum / steps).collect();
        self.acceptance.fill(0.0);
        self.steps = 0;
        means
    }

    /// All work done, in block order.
    pub(super) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.workspaces.iter().for_each(|w| counts.merge(&w.counts));
        counts
    }
}

/// Evaluates log prior and log likelihood of all particles in parallel.
pub(super) fn evaluate(particles: &mut Particles, density: &dyn crate::density::Density) -> Counts {
    let counts: Vec<Counts> = particles
        .blocks(BLOCK)
        .into_par_iter()
        .map(|mut block: Block<'_>| {
            let mut counts = Counts::default();
            density.evaluate(&mut block, &mut counts);
            counts
        })
        .collect();
    counts.iter().fold(Counts::default(), |mut total, c| {
        total.merge(c);
        total
    })
}
