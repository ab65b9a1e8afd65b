//! Moves many particles by a kernel, block by block and in parallel, with the same bits for any number of threads.

use crate::density::{Block, Counts, Particles, Target};
use crate::kernel::{ChainBlock, Fall, Kernel, Tuning, Visit, Workspace};
use crate::parallel;
use crate::rng::Stream;
use bayes_autodiff::simd::LANES;

/// The block size for `n` particles if the density prefers `preferred`: small enough that half of the particles fill at least one block,
/// but not below 8.
fn block(n: usize, preferred: usize) -> usize {
    preferred.min((n / 2 / LANES * LANES).max(LANES))
}

/// First particle of the second half of `n` particles if the density prefers blocks of size `preferred`; `n` itself if all particles are
/// in a single block.
///
/// A kernel that is fitted to particles and then moves the same particles is not exactly invariant. It moves a particle less in a
/// direction in which the particles, including this one, happen to be close. So SMC moves each half by a kernel that is fitted to the
/// other half.
pub(super) fn half(n: usize, preferred: usize) -> usize {
    let block = block(n, preferred);
    if n <= block {
        n
    } else {
        n.div_ceil(block) / 2 * block
    }
}

/// Memory and random streams to move a population.
///
/// Particles move in blocks of [`LogDensity::block_size`](crate::density::LogDensity::block_size), or smaller ones if there are few
/// particles. The blocks, and so the results, do not depend on the number of threads.
pub struct Mover<'a> {
    kernel: &'a dyn Kernel,
    target: Target<'a>,
    block: usize,
    workspaces: Vec<Workspace>,
    streams: Vec<Stream>,
    /// Sums over the steps of each particle: of acceptance probabilities, and of the acceptance probabilities that tune a step size.
    acceptance: Vec<[f64; 2]>,
    steps: usize,
    refreshed: bool,
}

impl<'a> Mover<'a> {
    /// Memory to move `streams.len()` particles, each with its own stream.
    #[must_use]
    pub fn new(kernel: &'a dyn Kernel, target: Target<'a>, streams: Vec<Stream>) -> Self {
        let (preferred, dim) = (target.density.block_size(), target.density.dim());
        let block = block(streams.len(), preferred);
        let workspaces = streams
            .chunks(block)
            .map(|block| Workspace::new(block.len(), dim))
            .collect();
        let acceptance = vec![[0.0; 2]; streams.len()];
        Self {
            kernel,
            target,
            block,
            workspaces,
            streams,
            acceptance,
            steps: 0,
            refreshed: false,
        }
    }

    /// Updates the gradients to the target, if the kernel needs them.
    pub fn refresh(&mut self, particles: &mut Particles) {
        self.refreshed = true;
        if !self.kernel.needs_gradient() {
            return;
        }
        let target = self.target;
        let blocks = particles.blocks(self.block).into_iter();
        parallel::each(
            blocks.zip(&mut self.workspaces),
            |(mut block, workspace)| {
                target.evaluate_gradient(&mut block, &mut workspace.counts);
            },
        );
    }

    /// Moves every particle `steps` times, each half with its own tuning. The first step refreshes the gradients, unless they are fresh
    /// already.
    ///
    /// # Panics
    /// If the numbers of particles and streams differ.
    pub fn step(&mut self, particles: &mut Particles, tunings: [&Tuning; 2], steps: usize) {
        self.advance(particles, tunings, steps, &[]);
    }

    /// As [`Mover::step`], up to the last of `times`, which increase. Returns the states after each of these numbers of steps, with the
    /// gradients of the target, if the kernel needs them.
    ///
    /// # Panics
    /// If the numbers of particles and streams differ.
    pub fn states(
        &mut self,
        particles: &mut Particles,
        tunings: [&Tuning; 2],
        times: &[usize],
    ) -> Vec<Particles> {
        let steps = times.last().copied().unwrap_or(0);
        self.advance(particles, tunings, steps, times)
    }

    fn advance(
        &mut self,
        particles: &mut Particles,
        tunings: [&Tuning; 2],
        steps: usize,
        times: &[usize],
    ) -> Vec<Particles> {
        assert_eq!(
            self.streams.len(),
            particles.len(),
            "every particle needs a stream"
        );
        if !self.refreshed {
            self.refresh(particles);
        }
        let mut states = vec![Particles::new(particles.len(), particles.dim); times.len()];
        let mut blocks_of_states: Vec<Vec<Block<'_>>> = (0..self.workspaces.len())
            .map(|_| Vec::with_capacity(times.len()))
            .collect();
        for state in &mut states {
            for (list, block) in blocks_of_states.iter_mut().zip(state.blocks(self.block)) {
                list.push(block);
            }
        }
        let (kernel, target) = (self.kernel, self.target);
        let first = half(particles.len(), self.block) / self.block;
        let blocks = particles.blocks(self.block).into_iter();
        let blocks = blocks.zip(blocks_of_states).enumerate();
        let blocks = blocks
            .zip(&mut self.workspaces)
            .zip(self.streams.chunks_mut(self.block))
            .zip(self.acceptance.chunks_mut(self.block));
        parallel::each(
            blocks,
            |((((index, (mut block, states)), workspace), streams), sums)| {
                let own = tunings[usize::from(index >= first.max(1))];
                let mut passed = Passed::new(times, states);
                let mut visit = |visit: Visit<'_>| {
                    let [all, tuning] = &mut sums[visit.chain];
                    *all += visit.acceptance;
                    *tuning += visit.tuning_acceptance;
                    passed.keep(&visit);
                    own.step_size
                };
                let chains = ChainBlock {
                    block: &mut block,
                    streams,
                    workspace,
                };
                kernel.transitions(own, target, chains, steps, &mut visit);
            },
        );
        self.steps += steps;
        states
    }

    /// Mean acceptance probability over particles and steps since the last call.
    pub fn take_acceptance(&mut self) -> f64 {
        let acceptances = self.take_acceptances();
        acceptances.iter().sum::<f64>() / acceptances.len().max(1) as f64
    }

    /// Mean acceptance probability of each particle since the last call.
    pub fn take_acceptances(&mut self) -> Vec<f64> {
        let steps = self.steps.max(1) as f64;
        let means = self.acceptance.iter().map(|[sum, _]| sum / steps).collect();
        self.acceptance.fill([0.0; 2]);
        self.steps = 0;
        means
    }

    /// The acceptance probability that tunes a step size ([`Visit::tuning_acceptance`]): the mean since the last call, over steps and the
    /// particles of each half. If all particles are in a single block, the mean over all of them.
    pub(super) fn tuning_acceptance(&self) -> [f64; 2] {
        let n = self.acceptance.len();
        let half = half(n, self.block);
        let halves = match half == n {
            true => [0..n, 0..n],
            false => [0..half, half..n],
        };
        halves.map(|among| {
            let moves = (among.len() * self.steps).max(1) as f64;
            let sums = self.acceptance[among].iter();
            sums.map(|[_, sum]| sum).sum::<f64>() / moves
        })
    }

    /// The deepest fall of each block, in block order.
    pub(super) fn falls(&mut self) -> impl Iterator<Item = Fall> {
        let workspaces = self.workspaces.iter_mut();
        workspaces.filter_map(|workspace| workspace.deepest.take())
    }

    /// The counts of all evaluations, in block order.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.workspaces.iter().for_each(|w| counts.merge(&w.counts));
        counts
    }
}

/// The states that a block of particles has passed through.
struct Passed<'t, 'b> {
    /// The numbers of steps after which a state is kept.
    times: &'t [usize],
    /// The block's states at these times.
    states: Vec<Block<'b>>,
    /// Number of steps of each particle so far, and of its kept states.
    done: Vec<(usize, usize)>,
}

impl<'t, 'b> Passed<'t, 'b> {
    fn new(times: &'t [usize], states: Vec<Block<'b>>) -> Self {
        let particles = states.first().map_or(0, Block::len);
        Self {
            times,
            states,
            done: vec![(0, 0); particles],
        }
    }

    /// Keeps the state of a particle after one of its steps, if this step is one of `times`.
    fn keep(&mut self, visit: &Visit<'_>) {
        let Some((steps, kept)) = self.done.get_mut(visit.chain) else {
            return;
        };
        *steps += 1;
        if self.times.get(*kept) != Some(steps) {
            return;
        }
        let state = &mut self.states[*kept];
        let row = state.row(visit.chain);
        state.positions[row.clone()].copy_from_slice(visit.position);
        if !visit.gradient.is_empty() {
            state.gradient[row].copy_from_slice(visit.gradient);
        }
        state.log_prior[visit.chain] = visit.log_prior;
        state.log_likelihood[visit.chain] = visit.log_likelihood;
        *kept += 1;
    }
}

/// Evaluates log prior and log likelihood of draws from the prior in parallel.
pub(super) fn evaluate(particles: &mut Particles, target: Target<'_>) -> Counts {
    in_blocks(particles, target, |block, counts| {
        target.evaluate_draws(block, counts);
    })
}

/// Also evaluates the gradient of the target, in parallel.
pub(super) fn evaluate_gradient(particles: &mut Particles, target: Target<'_>) -> Counts {
    in_blocks(particles, target, |block, counts| {
        target.evaluate_gradient(block, counts);
    })
}

/// Evaluates the particles in blocks of the size that the density prefers, in parallel.
fn in_blocks(
    particles: &mut Particles,
    target: Target<'_>,
    evaluate: impl Fn(&mut Block<'_>, &mut Counts) + Sync,
) -> Counts {
    let blocks = particles.blocks(target.density.block_size());
    let counts = parallel::map(blocks, |mut block: Block<'_>| {
        let mut counts = Counts::default();
        evaluate(&mut block, &mut counts);
        counts
    });
    counts.iter().fold(Counts::default(), |mut total, c| {
        total.merge(c);
        total
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::LogDensity;
    use crate::kernel::{Hmc, Mala};
    use crate::rng::{Key, Purpose};

    #[test]
    fn halves_are_blocks_and_nearly_equal() {
        for n in 9..2000 {
            let (first, block) = (half(n, 64), block(n, 64));
            assert!(
                first.is_multiple_of(block),
                "{n} particles in blocks of {block}"
            );
            let unequal = first.abs_diff(n - first);
            assert!(
                unequal <= block,
                "{first} of {n} particles, blocks of {block}"
            );
        }
    }

    #[test]
    fn a_single_block_of_lanes_is_not_split() {
        assert_eq!((half(8, 64), half(3, 64)), (8, 3));
    }

    /// A density with a slope that no quadratic has.
    struct Quartic;

    impl LogDensity for Quartic {
        fn dim(&self) -> usize {
            2
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| {
                [
                    -0.5 * x[0] * x[0],
                    -(x[0] - x[1]).powi(4) - 0.1 * x[1] * x[1],
                ]
            });
        }
        fn evaluate_gradient(&self, [prior, likelihood]: [f64; 2], block: &mut Block<'_>) {
            self.evaluate(block);
            for i in 0..block.len() {
                let row = block.row(i);
                let [x, y] = [block.positions[row.start], block.positions[row.start + 1]];
                let cube = 4.0 * (x - y).powi(3);
                block.gradient[row.start] = -prior * x - likelihood * cube;
                block.gradient[row.start + 1] = likelihood * (cube - 0.2 * y);
            }
        }
    }

    /// With large steps some moves are rejected, with small ones accepted.
    #[test]
    fn states_have_the_gradient_of_the_target_at_their_positions() {
        let kernels: [Box<dyn Kernel>; 4] = [
            Box::new(Hmc::new().step_size(0.3)),
            Box::new(Hmc::new().step_size(1.5).halvings(0)),
            Box::new(Hmc::new().step_size(1.5)),
            Box::new(Mala::new().step_size(0.8)),
        ];
        let target = Target::tempered(&Quartic, 0.3);
        for kernel in kernels {
            let streams = (0..20).map(|i| Key::new(1, Purpose::Move).item(i).stream());
            let mut particles = Particles::new(20, 2);
            let places = particles.positions.iter_mut().enumerate();
            places.for_each(|(k, x)| *x = (k as f64).sin());
            let tuning = kernel.init(&Quartic).expect("the settings are right");
            let mut mover = Mover::new(&*kernel, target, streams.collect());
            let states = mover.states(&mut particles, [&tuning, &tuning], &[1, 2, 5]);
            let acceptance = mover.take_acceptance();
            assert!((0.05..1.0).contains(&acceptance), "{acceptance}");
            let mut all = Particles::interleaved(&states);
            let found = all.gradient.clone();
            target.evaluate_gradient(&mut all.block(), &mut Counts::default());
            assert_eq!(found, all.gradient, "{kernel:?}");
        }
    }
}
