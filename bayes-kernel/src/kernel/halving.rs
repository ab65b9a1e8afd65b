//! Trajectories of HMC and of the microcanonical sampler (MAMS) whose steps are halved where the energy changes too much: trajectories
//! of macro steps.
//!
//! A trajectory with a macro step that fails, or that has another number of parts back in time, is rejected. Any other proposal is
//! reached from its reverse by the same steps, and the Metropolis rule is exact.
//!
//! The particles of a block do not wait for each other. At every evaluation each takes the next leapfrog step of its own trajectory, and
//! after its last step it begins its next move, so that SIMD lanes stay full.

use super::leapfrog::{Dynamics, Motion, States};
use super::macro_step::{Ends, Halving, MacroStep, Outcome};
use super::microcanonical::to_unit_length;
use super::tree::is_divergent;
use super::{ChainBlock, Fall, Trajectory, Visit, acceptance_probability};
use crate::rng::Stream;
use rand::RngExt;
use rand_distr::{Distribution as _, StandardNormal};

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
    step: MacroStep,
    /// The energy at the start of the present step.
    energy: f64,
}

impl Running {
    /// The moves of a particle; its first trajectory is still to begin.
    fn new(particle: usize, moves: usize) -> Self {
        Self {
            particle,
            moves,
            step_size: 0.0,
            steps: 0,
            step: MacroStep::default(),
            energy: 0.0,
        }
    }
}

/// The memory of the trajectories of a block of particles. Each particle that still moves has a slot; only the slots are evaluated.
#[derive(Debug, Default)]
struct Trajectories {
    /// The present state of each slot.
    states: States,
    ends: Ends,
    running: Vec<Running>,
    /// The next leapfrog step of each slot.
    steps: Vec<f64>,
}

impl Trajectories {
    /// Memory for `n` particles; allocates only if the size changes.
    fn prepare(&mut self, n: usize, dim: usize, halving: Halving) {
        self.states.prepare(n, dim);
        self.ends.prepare(n, dim, halving);
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
                self.load(particle);
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

    /// Moves slot `i` to the position of its particle.
    fn load(&mut self, i: usize) {
        let Trajectories {
            states, running, ..
        } = &mut self.trajectories;
        let (block, particle) = (&*self.chains.block, running[i].particle);
        states.particles.block().replace(i, block, particle);
        self.dynamics.refresh_row(states, i);
    }

    /// Begins the next trajectory in slot `i`, which is at the position of its particle.
    fn begin(&mut self, i: usize) {
        let Trajectories {
            states, running, ..
        } = &mut self.trajectories;
        let running = &mut running[i];
        let stream = &mut self.chains.streams[running.particle];
        let momentum = states.momentum(i);
        momentum
            .iter_mut()
            .for_each(|z| *z = StandardNormal.sample(stream));
        if self.dynamics.motion == Motion::Microcanonical {
            // a draw of length 0 would be a trajectory that diverges
            let _ = to_unit_length(momentum);
            states.work[i] = 0.0;
        }
        (running.step_size, running.steps) = (self.launch)(self.step_size, stream);
        states.refresh_kinetic(i);
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
            ends,
            running,
            steps,
        } = &mut self.trajectories;
        let workspace = &mut self.chains.workspace;
        if self.halving.most > 0 {
            ends.start(states, running.iter().map(|running| &running.step));
        }
        for (step, running) in steps.iter_mut().zip(&*running) {
            *step = running.step_size * running.step.fraction();
            workspace.trajectories[running.particle].leapfrogs += 1;
        }
        let n = running.len();
        self.dynamics
            .step(states, &steps[..n], &mut workspace.counts);
    }

    /// Decides the next action after the leapfrog step of slot `i`.
    fn proceed(&mut self, i: usize, visit: AfterMove<'_>) {
        if self.halving.most == 0 {
            return self.end_plain_step(i, visit);
        }
        let Trajectories {
            states,
            ends,
            running,
            ..
        } = &mut self.trajectories;
        let running = &mut running[i];
        let target = self.dynamics.target;
        let workspace = &mut self.chains.workspace;
        let energy = states.energy(target, i);
        let dim = states.particles.dim;
        let position = &states.particles.positions[i * dim..][..dim];
        Fall::note(&mut workspace.deepest, running.step.fall(energy), position);
        let outcome = running
            .step
            .proceed(self.halving, energy, target, states, (ends, i));
        let found = &mut workspace.trajectories[running.particle];
        match outcome {
            Outcome::Going => {}
            Outcome::Done { energy, divided } => {
                found.halvings += u32::from(divided);
                self.end_step(i, energy, visit);
            }
            Outcome::Irreversible => {
                found.halvings += 1;
                self.end_move(i, 0.0, visit);
            }
            Outcome::Failed => {
                found.divergent = true;
                workspace.counts.divergences += 1;
                self.end_move(i, 0.0, visit);
            }
        }
    }

    /// Begins the next step of slot `i` at its present state.
    fn begin_step(&mut self, i: usize) {
        let running = &mut self.trajectories.running[i];
        running.step = MacroStep::new(running.energy);
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
        let is_accepted = uniform < acceptance;
        if is_accepted {
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
            // a step was too long even if the trajectory is accepted
            tuning_acceptance: match workspace.trajectories[particle].halvings {
                0 => acceptance,
                _ => 0.0,
            },
            trajectory: workspace.trajectories[particle],
        });
        running.moves -= 1;
        if running.moves == 0 {
            return self.retire(i);
        }
        // an accepted state is in the slot, with its force
        if !is_accepted {
            self.load(i);
        }
        self.begin(i);
    }

    /// Frees the slot of a particle that has finished its moves; the last one takes it.
    fn retire(&mut self, i: usize) {
        let Trajectories {
            states,
            ends,
            running,
            ..
        } = &mut self.trajectories;
        let last = running.len() - 1;
        running.swap_remove(i);
        if i < last {
            states.move_row(last, i);
            if self.halving.most > 0 {
                ends.move_row(last, i);
            }
        }
    }
}
