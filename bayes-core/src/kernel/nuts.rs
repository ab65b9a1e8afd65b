//! The No-U-Turn sampler (Hoffman and Gelman 2014; Betancourt 2017).

use super::factor::Factor;
use super::hmc::{Hmc, Mass, roots, validate_mass};
use super::tree::{Growth, Leaf, Tree};
use super::{
    ChainBlock, Kernel, Moments, Target, Trajectory, Tuning, Visit, Workspace,
    validate_target_acceptance,
};
use crate::density::{Block, Density};
use crate::error::Error;
use crate::rng::Stream;
use rand_distr::{Distribution as _, StandardNormal};

/// The No-U-Turn sampler: trajectories that end where they begin to come back.
///
/// The trajectory is doubled, forward or backward in time by a fair coin, until it or a balanced part of it makes a
/// U-turn by the generalised criterion with Stan's checks across subtrees (Betancourt 2017), diverges, or reaches the
/// largest depth. The next state is drawn from all of it by multinomial sampling with weights `exp(H_start - H)`, biased
/// towards the newer half at every doubling.
///
/// For chains only: a trajectory takes as many leapfrog steps as it needs, so that each chain of a block goes on to its
/// next transition by itself, while the particles of an SMC sampler would wait for the longest one.
#[derive(Clone, Debug)]
pub struct Nuts {
    step_size: Option<f64>,
    target_acceptance: f64,
    max_depth: u32,
    mass: Mass,
}

/// The deepest tree that can be asked for: a million leapfrog steps.
const DEEPEST: u32 = 20;

impl Default for Nuts {
    fn default() -> Self {
        Self::new()
    }
}

impl Nuts {
    /// The defaults of Stan: mass from the burn-in's variances, the step size tuned to a mean acceptance of 0.8, at most
    /// 10 doublings.
    #[must_use]
    pub fn new() -> Self {
        Self {
            step_size: None,
            target_acceptance: 0.8,
            max_depth: 10,
            mass: Mass::Variance,
        }
    }

    /// A fixed step size instead of a tuned one.
    #[must_use]
    pub fn step_size(mut self, step_size: f64) -> Self {
        self.step_size = Some(step_size);
        self
    }

    /// The mean acceptance probability, over all states of a trajectory, that the step size is tuned to; Stan's
    /// `adapt_delta`.
    #[must_use]
    pub fn target_acceptance(mut self, probability: f64) -> Self {
        self.target_acceptance = probability;
        self
    }

    /// The most doublings of a trajectory, from 1 to 20; Stan's `max_treedepth`.
    #[must_use]
    pub fn max_depth(mut self, doublings: u32) -> Self {
        self.max_depth = doublings;
        self
    }

    /// The mass matrix: [`Mass::Variance`] is Stan's `diag_e`, [`Mass::Covariance`] its `dense_e`.
    #[must_use]
    pub fn mass(mut self, mass: Mass) -> Self {
        self.mass = mass;
        self
    }
}

impl Kernel for Nuts {
    fn name(&self) -> &'static str {
        "nuts"
    }

    fn needs_gradient(&self) -> bool {
        true
    }

    fn max_depth(&self) -> Option<u32> {
        Some(self.max_depth)
    }

    fn target_acceptance(&self) -> Option<f64> {
        self.step_size.is_none().then_some(self.target_acceptance)
    }

    /// One leapfrog step, as Stan's search for a step size to begin with.
    fn pilot(&self) -> Option<Box<dyn Kernel>> {
        let hmc = Hmc::new().leapfrog(1).jitter(0.0);
        Some(Box::new(hmc.target_acceptance(self.target_acceptance)))
    }

    fn validate(&self, dim: usize) -> Result<(), Error> {
        if let Some(step) = self.step_size {
            let holds = step > 0.0 && step.is_finite();
            Error::setting("step_size", step, holds, "a finite number above 0")?;
        }
        validate_target_acceptance(self.target_acceptance)?;
        let holds = (1..=DEEPEST).contains(&self.max_depth);
        Error::setting("max_depth", self.max_depth, holds, "from 1 to 20")?;
        validate_mass(&self.mass, dim)
    }

    fn init(&self, density: &dyn Density) -> Tuning {
        let mut tuning = Hmc::new().mass(self.mass.clone()).init(density);
        if let Some(step_size) = self.step_size {
            tuning.step_size = step_size;
        }
        tuning
    }

    fn fit(&self, tuning: &mut Tuning, density: &dyn Density, positions: &[f64]) {
        if self.mass != Mass::Variance {
            return Hmc::new()
                .mass(self.mass.clone())
                .fit(tuning, density, positions);
        }
        let dim = tuning.scale.len();
        let moments = Moments::of(positions, dim);
        tuning.scale = moments.log_shrunk_variance(positions.len() / dim);
        tuning.factor = roots(&tuning.scale);
    }

    fn step(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        block: &mut Block<'_>,
        streams: &mut [Stream],
        workspace: &mut Workspace,
    ) {
        let step_size = tuning.step_size;
        let chains = ChainBlock {
            block,
            streams,
            workspace,
        };
        self.transitions(tuning, target, chains, 1, &mut |_| step_size);
    }

    fn transitions(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        chains: ChainBlock<'_, '_>,
        count: usize,
        visit: &mut dyn FnMut(Visit<'_>) -> f64,
    ) {
        if count == 0 {
            return;
        }
        let mut forest = std::mem::take(&mut chains.workspace.forest);
        forest.prepare(&chains, count);
        let mut growing = Growing {
            forest,
            chains,
            target,
            factor: &tuning.factor,
            step_size: tuning.step_size,
            max_depth: self.max_depth,
        };
        growing.run(visit);
        growing.chains.workspace.forest = growing.forest;
    }
}

/// The trees of a block of chains. Chains that still move have a slot each; what is evaluated is the slots alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Forest {
    /// `[chains]`.
    trees: Vec<Tree>,
    /// Transitions left to each chain, `[chains]`.
    left: Vec<usize>,
    /// The chain of each slot.
    slots: Vec<usize>,
    /// Signed step size of each slot.
    steps: Vec<f64>,
    /// Ones, one for each slot.
    ones: Vec<f64>,
    /// Whitened gradients of the slots, `[chains, dim]`.
    forces: Vec<f64>,
}

impl Forest {
    fn prepare(&mut self, chains: &ChainBlock<'_, '_>, count: usize) {
        let n = chains.block.len();
        self.trees.resize_with(n, Tree::default);
        self.left.clear();
        self.left.resize(n, count);
        self.slots.clear();
        self.slots.extend(0..n);
        self.steps.resize(n, 0.0);
        self.ones.resize(n, 1.0);
        self.forces.resize(n * chains.block.dim, 0.0);
    }
}

/// A block of chains on their way through their transitions.
struct Growing<'a, 'b> {
    forest: Forest,
    chains: ChainBlock<'a, 'b>,
    target: Target<'a>,
    factor: &'a Factor,
    step_size: f64,
    max_depth: u32,
}

impl Growing<'_, '_> {
    /// Every chain makes its transitions, one leapfrog step of all chains at a time.
    fn run(&mut self, visit: &mut dyn FnMut(Visit<'_>) -> f64) {
        (0..self.forest.slots.len()).for_each(|slot| self.begin(slot));
        while !self.forest.slots.is_empty() {
            self.leapfrog();
            let mut slot = 0;
            while slot < self.forest.slots.len() {
                match self.grow(slot) {
                    Growth::Leaf => {}
                    Growth::Doubled => self.turn_to_front(slot),
                    Growth::Ended => {
                        self.step_size = self.end(slot, visit);
                        let chain = self.forest.slots[slot];
                        self.forest.left[chain] -= 1;
                        if self.forest.left[chain] == 0 {
                            self.give_up(slot);
                            continue;
                        }
                        self.begin(slot);
                    }
                }
                slot += 1;
            }
        }
    }

    /// Draws a momentum and plants the tree of a slot's chain.
    fn begin(&mut self, slot: usize) {
        let chain = self.forest.slots[slot];
        let ChainBlock {
            block,
            streams,
            workspace,
        } = &mut self.chains;
        let (row, stream) = (block.row(slot), &mut streams[chain]);
        let momentum = &mut workspace.auxiliary[row.clone()];
        momentum
            .iter_mut()
            .for_each(|z| *z = StandardNormal.sample(stream));
        let (position, gradient) = (block.row(chain), block.row(chain));
        let force = &mut self.forest.forces[row];
        force.fill(0.0);
        self.factor
            .add_transposed(&block.gradient[gradient], 1.0, &[1.0], force);
        let log_density = block.log_density(chain, self.target.lambda);
        let state = [&block.positions[position], &*momentum, &*force];
        self.forest.trees[chain].plant(log_density, state, stream);
        self.turn_to_front(slot);
    }

    /// The slot goes on from the end of its trajectory that grows.
    fn turn_to_front(&mut self, slot: usize) {
        let chain = self.forest.slots[slot];
        let workspace = &mut self.chains.workspace;
        let row = self.chains.block.row(slot);
        let (front, sign) = self.forest.trees[chain].front();
        workspace.proposal.positions[row.clone()].copy_from_slice(&front.position);
        workspace.auxiliary[row.clone()].copy_from_slice(&front.momentum);
        self.forest.forces[row].copy_from_slice(&front.force);
        if self.forest.trees[chain].leaves() == 0 {
            self.forest.steps[slot] = self.step_size;
        }
        self.forest.steps[slot] = sign * self.forest.steps[slot].abs();
    }

    /// One leapfrog step of every slot.
    fn leapfrog(&mut self) {
        let n = self.forest.slots.len();
        let Workspace {
            proposal,
            auxiliary,
            counts,
            ..
        } = &mut *self.chains.workspace;
        let all = n * proposal.dim;
        let (momenta, forces) = (&mut auxiliary[..all], &mut self.forest.forces[..all]);
        let (steps, ones) = (&self.forest.steps[..n], &self.forest.ones[..n]);
        let mut leaves = proposal.first(n);
        half_kick(steps, forces, momenta);
        self.factor.add(momenta, steps, leaves.positions);
        self.target
            .density
            .evaluate_gradient(self.target.lambda, &mut leaves, counts);
        forces.fill(0.0);
        self.factor
            .add_transposed(leaves.gradient, 1.0, ones, forces);
        half_kick(steps, forces, momenta);
    }

    /// Adds the slot's new state to its tree.
    fn grow(&mut self, slot: usize) -> Growth {
        let chain = self.forest.slots[slot];
        let ChainBlock {
            block,
            streams,
            workspace,
        } = &mut self.chains;
        let row = block.row(slot);
        let Workspace {
            proposal,
            auxiliary,
            ..
        } = &**workspace;
        let leaf = Leaf {
            position: &proposal.positions[row.clone()],
            gradient: &proposal.gradient[row.clone()],
            momentum: &auxiliary[row.clone()],
            force: &self.forest.forces[row],
            densities: [proposal.log_prior[slot], proposal.log_likelihood[slot]],
            lambda: self.target.lambda,
        };
        let tree = &mut self.forest.trees[chain];
        tree.grow(&leaf, (block, chain), self.max_depth, &mut streams[chain])
    }

    /// Shows a finished transition; gives the step size to go on with.
    fn end(&mut self, slot: usize, visit: &mut dyn FnMut(Visit<'_>) -> f64) -> f64 {
        let chain = self.forest.slots[slot];
        let tree = &self.forest.trees[chain];
        let trajectory = Trajectory {
            energy: tree.energy(),
            leapfrogs: tree.leaves(),
            depth: tree.depth(),
            divergent: tree.is_divergent(),
        };
        let workspace = &mut self.chains.workspace;
        workspace.counts.divergences += u64::from(tree.is_divergent());
        workspace.acceptance[chain] = tree.acceptance();
        workspace.trajectories[chain] = trajectory;
        visit(Visit {
            chain,
            position: &self.chains.block.positions[self.chains.block.row(chain)],
            start: tree.start(),
            acceptance: tree.acceptance(),
            trajectory,
        })
    }

    /// Gives the slot of a chain that has made its transitions to the chain of the last one.
    fn give_up(&mut self, slot: usize) {
        let last = self.forest.slots.len() - 1;
        let (from, to) = (self.chains.block.row(last), self.chains.block.row(slot));
        let Workspace {
            proposal,
            auxiliary,
            ..
        } = &mut *self.chains.workspace;
        for rows in [
            &mut proposal.positions,
            &mut proposal.gradient,
            auxiliary,
            &mut self.forest.forces,
        ] {
            rows.copy_within(from.clone(), to.start);
        }
        for values in [
            &mut proposal.log_prior,
            &mut proposal.log_likelihood,
            &mut self.forest.steps,
        ] {
            values[slot] = values[last];
        }
        self.forest.slots.swap_remove(slot);
    }
}

/// `z += ½ ε Fᵀ ∇ log π` from whitened gradients, each row by its own step size.
fn half_kick(steps: &[f64], forces: &[f64], momenta: &mut [f64]) {
    let dim = forces.len() / steps.len();
    let rows = momenta.chunks_exact_mut(dim).zip(forces.chunks_exact(dim));
    for (step, (momentum, force)) in steps.iter().zip(rows) {
        for k in 0..dim {
            momentum[k] += 0.5 * step * force[k];
        }
    }
}
