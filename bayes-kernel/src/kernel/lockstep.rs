//! NUTS trees of a block of chains, which take each leapfrog step together. The states of a tree are one leapfrog step apart, or one macro
//! step.

use super::leapfrog::{Dynamics, Motion, States};
use super::macro_step::{Ends, Halving, MacroStep, Outcome};
use super::metric::Metric;
use super::tree::{Growth, Leaf, Tree};
use super::{ChainBlock, Target, Trajectory, Tuning, Visit};
use rand_distr::{Distribution as _, StandardNormal};

/// The trees of a block of chains. Each chain that still moves has a slot; only the slots are evaluated.
#[derive(Clone, Debug, Default)]
pub(super) struct LockstepTrees {
    /// `[chains]`.
    trees: Vec<Tree>,
    /// Remaining transitions of each chain, `[chains]`.
    left: Vec<usize>,
    /// The chain of each slot.
    slots: Vec<usize>,
    /// Signed step size of each slot, from one leaf to the next.
    steps: Vec<f64>,
    /// The leaf of each slot.
    states: States,
    /// What the steps of each slot took.
    tallies: Vec<Tally>,
    /// The macro step of each slot, the ends of the macro steps, and the signed size of the next leapfrog step; unused without halving.
    macro_steps: Vec<MacroStep>,
    ends: Ends,
    parts: Vec<f64>,
}

/// What the steps of a transition took.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// Steps from one leaf to the next, including a last one that failed.
    steps: u64,
    /// Those that were divided.
    divided: u32,
    /// Leapfrog steps.
    leapfrogs: u64,
}

impl Tally {
    fn add(&mut self, divided: bool) {
        self.steps += 1;
        self.divided += u32::from(divided);
    }

    /// The share of the steps that were not divided.
    fn whole(&self) -> f64 {
        1.0 - f64::from(self.divided) / self.steps.max(1) as f64
    }
}

impl LockstepTrees {
    fn prepare(&mut self, chains: &ChainBlock<'_, '_>, count: usize, halving: Halving) {
        let n = chains.block.len();
        self.trees.resize_with(n, Tree::default);
        self.left.clear();
        self.left.resize(n, count);
        self.slots.clear();
        self.slots.extend(0..n);
        self.steps.resize(n, 0.0);
        self.tallies.resize(n, Tally::default());
        self.macro_steps.resize(n, MacroStep::default());
        self.parts.resize(n, 0.0);
        self.states.prepare(n, chains.block.dim);
        self.ends.prepare(n, chains.block.dim, halving);
    }
}

/// A block of chains during its transitions.
pub(super) struct Lockstep<'a, 'b> {
    lockstep: LockstepTrees,
    chains: ChainBlock<'a, 'b>,
    dynamics: Dynamics<'a>,
    step_size: f64,
    max_depth: u32,
    halving: Halving,
}

impl<'a, 'b> Lockstep<'a, 'b> {
    /// Chains before their first transition.
    pub(super) fn new(
        tuning: &'a Tuning,
        target: Target<'a>,
        chains: ChainBlock<'a, 'b>,
        (max_depth, halving): (u32, Halving),
    ) -> Self {
        Self {
            lockstep: std::mem::take(chains.workspace.scratch.of(LockstepTrees::default)),
            chains,
            dynamics: Dynamics {
                target,
                factor: &tuning.shape::<Metric>().factor,
                motion: Motion::Hamiltonian,
            },
            step_size: tuning.step_size,
            max_depth,
            halving,
        }
    }

    /// Every chain makes `count` transitions, one leapfrog step of all chains at a time; see [`Kernel::transitions`].
    ///
    /// [`Kernel::transitions`]: super::Kernel::transitions
    pub(super) fn run(mut self, count: usize, visit: &mut dyn FnMut(Visit<'_>) -> f64) {
        self.lockstep.prepare(&self.chains, count, self.halving);
        (0..self.lockstep.slots.len()).for_each(|slot| self.begin(slot));
        while !self.lockstep.slots.is_empty() {
            self.leapfrog();
            let mut slot = 0;
            while slot < self.lockstep.slots.len() {
                match self.proceed(slot) {
                    Growth::Part | Growth::Leaf => {}
                    Growth::Doubled => self.turn_to_front(slot),
                    Growth::Ended => {
                        self.step_size = self.end(slot, visit);
                        let chain = self.lockstep.slots[slot];
                        self.lockstep.left[chain] -= 1;
                        if self.lockstep.left[chain] == 0 {
                            self.retire(slot);
                            continue;
                        }
                        self.begin(slot);
                    }
                }
                slot += 1;
            }
        }
        *self.chains.workspace.scratch.of(LockstepTrees::default) = self.lockstep;
    }

    /// Draws a momentum and starts the tree of a slot's chain.
    fn begin(&mut self, slot: usize) {
        let chain = self.lockstep.slots[slot];
        let ChainBlock { block, streams, .. } = &mut self.chains;
        let (row, stream) = (block.row(slot), &mut streams[chain]);
        let States {
            momenta, forces, ..
        } = &mut self.lockstep.states;
        let momentum = &mut momenta[row.clone()];
        momentum
            .iter_mut()
            .for_each(|z| *z = StandardNormal.sample(stream));
        let (position, gradient) = (block.row(chain), block.row(chain));
        let force = &mut forces[row];
        force.fill(0.0);
        let Dynamics { target, factor, .. } = self.dynamics;
        factor.add_transposed(&block.gradient[gradient], 1.0, &[1.0], force);
        let log_density = target.log_density(block, chain);
        let state = [&block.positions[position], &*momentum, &*force];
        self.lockstep.trees[chain].reset(log_density, state, stream);
        self.lockstep.tallies[slot] = Tally::default();
        self.turn_to_front(slot);
    }

    /// Moves the slot to the end of the trajectory that will be extended.
    fn turn_to_front(&mut self, slot: usize) {
        let chain = self.lockstep.slots[slot];
        let row = self.chains.block.row(slot);
        let (front, sign) = self.lockstep.trees[chain].front();
        let states = &mut self.lockstep.states;
        states.particles.positions[row.clone()].copy_from_slice(&front.position);
        states.momenta[row.clone()].copy_from_slice(&front.momentum);
        states.forces[row].copy_from_slice(&front.force);
        if self.lockstep.trees[chain].leaves() == 0 {
            self.lockstep.steps[slot] = self.step_size;
        }
        self.lockstep.steps[slot] = sign * self.lockstep.steps[slot].abs();
        let energy = front.energy;
        self.begin_step(slot, energy);
    }

    /// Begins the next step of a slot, at its present state of this energy.
    fn begin_step(&mut self, slot: usize, energy: f64) {
        self.lockstep.macro_steps[slot] = MacroStep::new(energy);
    }

    /// One leapfrog step of every slot.
    fn leapfrog(&mut self) {
        let LockstepTrees {
            slots,
            steps,
            states,
            tallies,
            macro_steps,
            ends,
            parts,
            ..
        } = &mut self.lockstep;
        let n = slots.len();
        tallies[..n]
            .iter_mut()
            .for_each(|tally| tally.leapfrogs += 1);
        let mut sizes = &steps[..n];
        if self.halving.most > 0 {
            ends.start(states, macro_steps[..n].iter());
            let wholes = sizes.iter().zip(&*macro_steps);
            for (part, (step, macro_step)) in parts.iter_mut().zip(wholes) {
                *part = step * macro_step.fraction();
            }
            sizes = &parts[..n];
        }
        let counts = &mut self.chains.workspace.counts;
        self.dynamics.step(states, sizes, counts);
    }

    /// The slot's tree after a leapfrog step.
    fn proceed(&mut self, slot: usize) -> Growth {
        if self.halving.most == 0 {
            return self.grow(slot);
        }
        let LockstepTrees {
            trees,
            slots,
            states,
            tallies,
            macro_steps,
            ends,
            ..
        } = &mut self.lockstep;
        let target = self.dynamics.target;
        let energy = states.energy(target, slot);
        let outcome = macro_steps[slot].proceed(self.halving, energy, target, states, (ends, slot));
        match outcome {
            Outcome::Going => Growth::Part,
            Outcome::Done { energy, divided } => {
                tallies[slot].add(divided);
                let growth = self.grow(slot);
                if growth == Growth::Leaf {
                    self.begin_step(slot, energy);
                }
                growth
            }
            Outcome::Irreversible => {
                tallies[slot].add(true);
                Growth::Ended
            }
            Outcome::Failed => {
                tallies[slot].add(true);
                trees[slots[slot]].fail();
                Growth::Ended
            }
        }
    }

    /// Adds the slot's new state to its tree.
    fn grow(&mut self, slot: usize) -> Growth {
        let chain = self.lockstep.slots[slot];
        let ChainBlock { block, streams, .. } = &mut self.chains;
        let row = block.row(slot);
        let States {
            particles,
            momenta,
            forces,
            kinetic,
            ..
        } = &self.lockstep.states;
        let leaf = Leaf {
            position: &particles.positions[row.clone()],
            gradient: &particles.gradient[row.clone()],
            momentum: &momenta[row.clone()],
            force: &forces[row],
            kinetic: kinetic[slot],
            step_size: (self.halving.most == 0).then_some(self.lockstep.steps[slot]),
            densities: [particles.log_prior[slot], particles.log_likelihood[slot]],
            target: self.dynamics.target,
        };
        let tree = &mut self.lockstep.trees[chain];
        tree.grow(&leaf, (block, chain), self.max_depth, &mut streams[chain])
    }

    /// Passes a finished transition to `visit`; returns the step size for the next one.
    fn end(&mut self, slot: usize, visit: &mut dyn FnMut(Visit<'_>) -> f64) -> f64 {
        let chain = self.lockstep.slots[slot];
        let (tree, tally) = (&self.lockstep.trees[chain], self.lockstep.tallies[slot]);
        let trajectory = Trajectory {
            energy: tree.energy(),
            leapfrogs: tally.leapfrogs,
            halvings: tally.divided,
            depth: tree.depth(),
            divergent: tree.is_divergent(),
            rough: tree.is_rough(),
        };
        let workspace = &mut self.chains.workspace;
        workspace.counts.divergences += u64::from(tree.is_divergent());
        workspace.acceptance[chain] = tree.acceptance();
        workspace.trajectories[chain] = trajectory;
        visit(Visit {
            chain,
            position: &self.chains.block.positions[self.chains.block.row(chain)],
            start: tree.start(),
            gradient: &self.chains.block.gradient[self.chains.block.row(chain)],
            log_prior: self.chains.block.log_prior[chain],
            log_likelihood: self.chains.block.log_likelihood[chain],
            acceptance: tree.acceptance(),
            tuning_acceptance: tree.acceptance() * tally.whole(),
            trajectory,
        })
    }

    /// Frees the slot of a finished chain; the chain of the last slot takes it.
    fn retire(&mut self, slot: usize) {
        let last = self.lockstep.slots.len() - 1;
        self.lockstep.states.move_row(last, slot);
        self.lockstep.steps[slot] = self.lockstep.steps[last];
        self.lockstep.tallies[slot] = self.lockstep.tallies[last];
        if self.halving.most > 0 {
            self.lockstep.ends.move_row(last, slot);
            self.lockstep.macro_steps[slot] = self.lockstep.macro_steps[last];
        }
        self.lockstep.slots.swap_remove(slot);
    }
}
