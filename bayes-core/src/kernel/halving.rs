//! Trajectories whose steps are halved where the energy changes too much.
//!
//! A step size that suits most of a posterior is too long in its narrow parts: the necks of a funnel, the edge of a support. There the
//! energy error is large and every proposal is rejected. Particles in a neck then stay there, and particles that should enter it do not.
//! Here each leapfrog step of the trajectory is replaced by `2^k` steps of a `2^k`-th of its size, with the smallest k that keeps the
//! energy within a tolerance.
//!
//! This choice depends on the state, so the reverse trajectory must make the same choice. From the end of a halved step, with the
//! momentum reversed, every smaller k must again exceed the tolerance. The same k needs no check, since it passes the same states. If a
//! smaller k would suffice, the proposal is rejected. Any other proposal is reached from its reverse by the same steps, each of which
//! preserves volume, and the Metropolis rule is exact (within-orbit adaptation: Bou-Rabee, Carpenter, Kleppe & Liu 2025, with a
//! deterministic choice).
//!
//! The particles of a block do not wait for each other. At every evaluation each takes the next leapfrog step of its own trajectory, and
//! after its last step it begins its next move, so that SIMD lanes stay full.

use super::leapfrog::{Dynamics, States};
use super::tree::is_divergent;
use super::{ChainBlock, Trajectory, Visit, acceptance_probability};
use crate::rng::Stream;
use rand::RngExt;
use rand_distr::{Distribution as _, StandardNormal};

/// The rule that halves a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Halving {
    /// The maximum number of halvings of a step; 0 for plain leapfrog steps.
    pub(super) most: u32,
    /// The largest range of the energy during a step that is not halved.
    pub(super) tolerance: f64,
}

/// The next action of a trajectory.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Take the step in `2^level` parts.
    Forward { level: u32 },
    /// The step was taken in `2^chosen` parts; go back from its end in `2^level` parts.
    Backward { chosen: u32, level: u32 },
}

/// A trajectory in progress.
#[derive(Clone, Copy, Debug)]
struct Running {
    particle: usize,
    /// Remaining moves of the particle, including the present one.
    moves: usize,
    /// The step size before any halving.
    step_size: f64,
    /// Remaining steps, including the present one.
    steps: usize,
    phase: Phase,
    /// Remaining parts of the present step.
    parts: u32,
    /// The energy at the start of the present step.
    energy: f64,
    /// The range of the energy during the present step.
    range: [f64; 2],
}

impl Running {
    /// The moves of a particle; its first trajectory is still to begin.
    fn new(particle: usize, moves: usize) -> Self {
        Self {
            particle,
            moves,
            step_size: 0.0,
            steps: 0,
            phase: Phase::Forward { level: 0 },
            parts: 1,
            energy: 0.0,
            range: [0.0; 2],
        }
    }

    /// Sets the next phase, in `2^level` parts, from a state with this energy.
    fn turn_to(&mut self, phase: Phase, energy: f64) {
        let (Phase::Forward { level } | Phase::Backward { level, .. }) = phase;
        self.phase = phase;
        self.parts = 1 << level;
        self.range = [energy; 2];
    }
}

/// The memory of the trajectories of a block of particles. Each particle that still moves has a slot; only the slots are evaluated.
#[derive(Debug, Default)]
struct Trajectories {
    /// The present state of each slot.
    states: States,
    /// The start of the present step of each slot.
    before: States,
    /// The end of this step, while it is reversed.
    after: States,
    running: Vec<Running>,
    /// The next leapfrog step of each slot.
    steps: Vec<f64>,
}

impl Trajectories {
    /// Memory for `n` particles; allocates only if the size changes.
    fn prepare(&mut self, n: usize, dim: usize, halving: Halving) {
        let spare = if halving.most > 0 { n } else { 0 };
        self.states.prepare(n, dim);
        self.before.prepare(spare, dim);
        self.after.prepare(spare, dim);
        self.steps.resize(n, 0.0);
    }
}

/// Draws the step size of a trajectory about the tuned one, and its number of steps.
pub(super) type Launch<'a> = dyn Fn(f64, &mut Stream) -> (f64, usize) + 'a;

/// A block of particles during their moves.
pub(super) struct Moves<'a, 'b> {
    trajectories: Trajectories,
    chains: ChainBlock<'a, 'b>,
    dynamics: Dynamics<'a>,
    halving: Halving,
    launch: &'a Launch<'a>,
    /// The tuned step size of trajectories that begin later.
    step_size: f64,
}

/// Called after every move; returns the step size of trajectories that begin later.
type AfterMove<'v> = &'v mut dyn FnMut(Visit<'_>) -> f64;

impl<'a, 'b> Moves<'a, 'b> {
    /// Particles before their first move.
    pub(super) fn new(
        chains: ChainBlock<'a, 'b>,
        dynamics: Dynamics<'a>,
        halving: Halving,
        step_size: f64,
        launch: &'a Launch<'a>,
    ) -> Self {
        let mut trajectories = std::mem::take(chains.workspace.scratch.of(Trajectories::default));
        trajectories.prepare(chains.block.len(), chains.block.dim, halving);
        Self {
            trajectories,
            chains,
            dynamics,
            halving,
            launch,
            step_size,
        }
    }

    /// Every particle makes `count` moves; a trajectory that fails or cannot be reversed is rejected.
    pub(super) fn run(mut self, count: usize, visit: AfterMove<'_>) {
        self.trajectories.running.clear();
        if count > 0 {
            for particle in 0..self.chains.block.len() {
                let running = Running::new(particle, count);
                self.trajectories.running.push(running);
                self.begin(particle);
            }
        }
        while !self.trajectories.running.is_empty() {
            self.leapfrog();
            // in reverse order, because the last slot takes the place of a finished one
            for i in (0..self.trajectories.running.len()).rev() {
                self.proceed(i, visit);
            }
        }
        *self.chains.workspace.scratch.of(Trajectories::default) = self.trajectories;
    }

    /// Begins the next trajectory in slot `i`, at the position of its particle.
    fn begin(&mut self, i: usize) {
        let Trajectories {
            states, running, ..
        } = &mut self.trajectories;
        let running = &mut running[i];
        let (block, stream) = (
            &*self.chains.block,
            &mut self.chains.streams[running.particle],
        );
        states.particles.block().replace(i, block, running.particle);
        let momentum = states.momentum(i).iter_mut();
        momentum.for_each(|z| *z = StandardNormal.sample(stream));
        (running.step_size, running.steps) = (self.launch)(self.step_size, stream);
        self.dynamics.refresh_row(states, i);
        running.energy = states.energy(self.dynamics.target, i);
        self.chains.workspace.trajectories[running.particle] = Trajectory {
            energy: running.energy,
            ..Trajectory::default()
        };
        self.begin_step(i);
    }

    /// One leapfrog step of every slot.
    fn leapfrog(&mut self) {
        let Trajectories {
            states,
            running,
            steps,
            ..
        } = &mut self.trajectories;
        let workspace = &mut self.chains.workspace;
        for (step, running) in steps.iter_mut().zip(&*running) {
            let (Phase::Forward { level } | Phase::Backward { level, .. }) = running.phase;
            *step = running.step_size / f64::from(1u32 << level);
            workspace.trajectories[running.particle].leapfrogs += 1;
        }
        let n = running.len();
        self.dynamics
            .step(states, &steps[..n], &mut workspace.counts);
    }

    /// Decides the next action after the leapfrog step of slot `i`.
    fn proceed(&mut self, i: usize, visit: AfterMove<'_>) {
        let Halving { most, tolerance } = self.halving;
        let target = self.dynamics.target;
        if most == 0 {
            return self.end_plain_step(i, visit);
        }
        let Trajectories {
            states,
            before,
            after,
            running,
            ..
        } = &mut self.trajectories;
        let energy = states.energy(target, i);
        let running = &mut running[i];
        let [low, high] = &mut running.range;
        *low = if energy >= *low { *low } else { energy };
        *high = if energy <= *high { *high } else { energy };
        // a range that is too large, or NaN, stays so: the rest of the step is not needed
        let is_within = *high - *low <= tolerance;
        running.parts -= 1;
        if running.parts > 0 && is_within {
            return;
        }
        match running.phase {
            Phase::Forward { level: 0 } if is_within => self.end_step(i, energy, visit),
            Phase::Forward { level } if is_within => {
                self.chains.workspace.trajectories[running.particle].halvings += 1;
                after.copy(i, states, i);
                self.turn_back(i, level, 0, energy);
            }
            Phase::Forward { level } if level < most => {
                running.turn_to(Phase::Forward { level: level + 1 }, running.energy);
                states.restart(i, before, i);
            }
            Phase::Forward { .. } => {
                let workspace = &mut self.chains.workspace;
                workspace.trajectories[running.particle].divergent = true;
                workspace.counts.divergences += 1;
                self.end_move(i, 0.0, visit);
            }
            // the reverse trajectory would halve less often
            Phase::Backward { .. } if is_within => self.end_move(i, 0.0, visit),
            Phase::Backward { chosen, level } if level + 1 < chosen => {
                let energy = after.energy(target, i);
                self.turn_back(i, chosen, level + 1, energy);
            }
            Phase::Backward { .. } => {
                states.copy(i, after, i);
                let energy = states.energy(target, i);
                self.end_step(i, energy, visit);
            }
        }
    }

    /// Goes back from the end of a step that was taken in `2^chosen` parts, in `2^level` parts.
    fn turn_back(&mut self, i: usize, chosen: u32, level: u32, energy: f64) {
        let Trajectories {
            states,
            after,
            running,
            ..
        } = &mut self.trajectories;
        states.copy(i, after, i);
        states.momentum(i).iter_mut().for_each(|z| *z = -*z);
        running[i].turn_to(Phase::Backward { chosen, level }, energy);
    }

    /// Begins the next step of slot `i` at its present state.
    fn begin_step(&mut self, i: usize) {
        let Trajectories {
            states,
            before,
            running,
            ..
        } = &mut self.trajectories;
        let energy = running[i].energy;
        running[i].turn_to(Phase::Forward { level: 0 }, energy);
        if self.halving.most > 0 {
            before.restart(i, states, i);
        }
    }

    /// Ends a step of slot `i` that cannot be halved; its energy is only needed at the end of the trajectory.
    fn end_plain_step(&mut self, i: usize, visit: AfterMove<'_>) {
        let running = &mut self.trajectories.running[i];
        if running.steps > 1 {
            running.steps -= 1;
            return;
        }
        let energy = self.trajectories.states.energy(self.dynamics.target, i);
        self.end_step(i, energy, visit);
    }

    /// Ends a step of slot `i` at this energy; ends the trajectory with the last step.
    fn end_step(&mut self, i: usize, energy: f64, visit: AfterMove<'_>) {
        let running = &mut self.trajectories.running[i];
        running.steps -= 1;
        running.energy = energy;
        if running.steps > 0 {
            return self.begin_step(i);
        }
        let particle = running.particle;
        let workspace = &mut self.chains.workspace;
        let found = &mut workspace.trajectories[particle];
        let log_ratio = found.energy - energy;
        found.divergent = is_divergent(log_ratio);
        workspace.counts.divergences += u64::from(found.divergent);
        self.end_move(i, acceptance_probability(log_ratio), visit);
    }

    /// Accepts or rejects the state of slot `i`, and begins the particle's next move, if there is one.
    fn end_move(&mut self, i: usize, acceptance: f64, visit: AfterMove<'_>) {
        let running = &mut self.trajectories.running[i];
        let particle = running.particle;
        let ChainBlock {
            block,
            streams,
            workspace,
        } = &mut self.chains;
        // Also drawn if the outcome is certain, so that every move uses the same number of random numbers.
        let uniform: f64 = streams[particle].random();
        if uniform < acceptance {
            let states = &mut self.trajectories.states;
            block.replace(particle, &states.particles.block(), i);
        }
        workspace.acceptance[particle] = acceptance;
        let position = &block.positions[block.row(particle)];
        self.step_size = visit(Visit {
            chain: particle,
            position,
            // the start is only needed for a rejected tree
            start: position,
            gradient: &block.gradient[block.row(particle)],
            log_prior: block.log_prior[particle],
            log_likelihood: block.log_likelihood[particle],
            acceptance,
            trajectory: workspace.trajectories[particle],
        });
        running.moves -= 1;
        if running.moves > 0 {
            self.begin(i);
        } else {
            self.retire(i);
        }
    }

    /// Frees the slot of a particle that has finished its moves; the last one takes it.
    fn retire(&mut self, i: usize) {
        let Trajectories {
            states,
            before,
            after,
            running,
            ..
        } = &mut self.trajectories;
        let last = running.len() - 1;
        running.swap_remove(i);
        if i < last {
            states.move_row(last, i);
            if self.halving.most > 0 {
                before.move_row(last, i);
                after.move_row(last, i);
            }
        }
    }
}
