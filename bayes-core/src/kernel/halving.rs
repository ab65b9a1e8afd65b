//! Trajectories whose steps are halved where the energy changes too much.
//!
//! A step size that suits most of a posterior is too long in its narrow parts: the necks of a funnel, the edge of a support.
//! There the energy error is large and every proposal is rejected, so that the particles of a neck stay where they are and those
//! that should enter it do not. Here each leapfrog step of the trajectory is replaced by `2^k` steps of a `2^k`-th of its size,
//! with the smallest k for which the energy stays within a tolerance.
//!
//! This choice depends on the state, so the reverse trajectory must make the same one. From the end of a halved step, with the
//! momentum reversed, every smaller k must again exceed the tolerance; the same k needs no check, since it passes the same
//! states. If a smaller k would do, the proposal is rejected. A proposal that is not rejected is then reached from its reverse by
//! the same steps, each of which preserves volume, and the Metropolis rule is exact (within-orbit adaptation: Bou-Rabee,
//! Carpenter, Kleppe & Liu 2025, with a deterministic choice).
//!
//! The particles of a block do not wait for each other: at every evaluation each takes the leapfrog step that its own
//! trajectory needs next, so that SIMD lanes stay full.

use super::leapfrog::{Dynamics, States};
use super::tree::is_divergent;
use super::{Trajectory, Workspace, acceptance_probability};

/// When and how often a step is halved.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Halving {
    /// The maximum number of halvings of a step; 0 for plain leapfrog steps.
    pub(super) most: u32,
    /// The largest range of the energy during a step that is not halved.
    pub(super) tolerance: f64,
}

/// What a trajectory does next.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The step in `2^level` parts.
    Forward { level: u32 },
    /// Was taken in `2^chosen` parts; now from its end backwards, in `2^level` parts.
    Backward { chosen: u32, level: u32 },
}

/// A trajectory that goes on.
#[derive(Clone, Copy, Debug)]
struct Running {
    particle: usize,
    /// The step size before any halving.
    step_size: f64,
    /// Steps to go, with the present one.
    steps: usize,
    phase: Phase,
    /// Parts of the present step to go.
    parts: u32,
    /// The energy where the present step began.
    energy: f64,
    /// The range of the energy during the present step.
    range: [f64; 2],
}

impl Running {
    /// What is next: from where the energy is `energy`, in `2^level` parts.
    fn turn_to(&mut self, phase: Phase, energy: f64) {
        let (Phase::Forward { level } | Phase::Backward { level, .. }) = phase;
        self.phase = phase;
        self.parts = 1 << level;
        self.range = [energy; 2];
    }
}

/// The trajectories of a block of particles, and their memory.
#[derive(Debug, Default)]
pub(super) struct Trajectories {
    /// The present states; after [`Trajectories::run`] has begun, that of each trajectory that goes on.
    pub(super) states: States,
    /// Where the present step of each trajectory began.
    before: States,
    /// Where it ended, while it is reversed.
    after: States,
    running: Vec<Running>,
    /// The step size of each particle, `[particles]`.
    pub(super) step_sizes: Vec<f64>,
    /// The next leapfrog step of each trajectory that goes on.
    steps: Vec<f64>,
    halving: Halving,
}

impl Trajectories {
    /// Memory for `n` particles; allocates only if the size changes.
    pub(super) fn prepare(&mut self, n: usize, dim: usize, halving: Halving) {
        self.halving = halving;
        let spare = if halving.most > 0 { n } else { 0 };
        self.states.prepare(n, dim);
        self.before.prepare(spare, dim);
        self.after.prepare(spare, dim);
        self.step_sizes.resize(n, 0.0);
        self.steps.resize(n, 0.0);
    }

    /// Trajectories of `steps` steps from `states`, each by its own step size; fills proposals, acceptance probabilities and
    /// statistics of the workspace. A trajectory that fails or cannot be reversed is rejected.
    pub(super) fn run(&mut self, dynamics: Dynamics<'_>, steps: usize, workspace: &mut Workspace) {
        let n = self.step_sizes.len();
        dynamics.refresh(&mut self.states, n);
        workspace.acceptance.fill(0.0);
        self.running.clear();
        for particle in 0..n {
            let energy = self.states.energy(dynamics.target, particle);
            workspace.trajectories[particle] = Trajectory {
                energy,
                ..Trajectory::default()
            };
            self.running.push(Running {
                particle,
                step_size: self.step_sizes[particle],
                steps,
                phase: Phase::Forward { level: 0 },
                parts: 1,
                energy,
                range: [energy; 2],
            });
            self.begin_step(particle);
        }
        while !self.running.is_empty() {
            self.leapfrog(dynamics, workspace);
            // from the last one, because the last takes the place of one that ends
            for i in (0..self.running.len()).rev() {
                self.proceed(i, dynamics, workspace);
            }
        }
    }

    /// One leapfrog step of every trajectory that goes on.
    fn leapfrog(&mut self, dynamics: Dynamics<'_>, workspace: &mut Workspace) {
        let n = self.running.len();
        for (step, running) in self.steps.iter_mut().zip(&self.running) {
            let (Phase::Forward { level } | Phase::Backward { level, .. }) = running.phase;
            *step = running.step_size / f64::from(1u32 << level);
            workspace.trajectories[running.particle].leapfrogs += 1;
        }
        dynamics.step(&mut self.states, &self.steps[..n], &mut workspace.counts);
    }

    /// What follows from the leapfrog step of trajectory `i`.
    fn proceed(&mut self, i: usize, dynamics: Dynamics<'_>, workspace: &mut Workspace) {
        let Halving { most, tolerance } = self.halving;
        if most == 0 {
            return self.end_step(i, dynamics, workspace);
        }
        let energy = self.states.energy(dynamics.target, i);
        let running = &mut self.running[i];
        let [low, high] = &mut running.range;
        *low = if energy >= *low { *low } else { energy };
        *high = if energy <= *high { *high } else { energy };
        // a range that is too large, or NaN, stays so: the rest of the step need not be taken
        let is_within = *high - *low <= tolerance;
        running.parts -= 1;
        if running.parts > 0 && is_within {
            return;
        }
        match running.phase {
            Phase::Forward { level: 0 } if is_within => self.end_step(i, dynamics, workspace),
            Phase::Forward { level } if is_within => {
                workspace.trajectories[running.particle].halvings += 1;
                self.after.copy(i, &self.states, i);
                self.turn_back(i, level, 0, energy);
            }
            Phase::Forward { level } if level < most => {
                running.turn_to(Phase::Forward { level: level + 1 }, running.energy);
                self.states.copy(i, &self.before, i);
            }
            Phase::Forward { .. } => {
                workspace.trajectories[running.particle].divergent = true;
                workspace.counts.divergences += 1;
                self.retire(i);
            }
            // the reverse trajectory would not halve so often
            Phase::Backward { .. } if is_within => self.retire(i),
            Phase::Backward { chosen, level } if level + 1 < chosen => {
                let energy = self.after.energy(dynamics.target, i);
                self.turn_back(i, chosen, level + 1, energy);
            }
            Phase::Backward { .. } => {
                self.states.copy(i, &self.after, i);
                self.end_step(i, dynamics, workspace);
            }
        }
    }

    /// Goes back from the end of a step that was taken in `2^chosen` parts, in `2^level` parts.
    fn turn_back(&mut self, i: usize, chosen: u32, level: u32, energy: f64) {
        self.states.copy(i, &self.after, i);
        let momentum = self.states.momentum(i).iter_mut();
        momentum.for_each(|z| *z = -*z);
        self.running[i].turn_to(Phase::Backward { chosen, level }, energy);
    }

    /// Begins the next step of trajectory `i` at its present state.
    fn begin_step(&mut self, i: usize) {
        let running = &mut self.running[i];
        running.turn_to(Phase::Forward { level: 0 }, running.energy);
        if self.halving.most > 0 {
            self.before.copy(i, &self.states, i);
        }
    }

    /// Ends a step of trajectory `i`, and with the last one the trajectory.
    fn end_step(&mut self, i: usize, dynamics: Dynamics<'_>, workspace: &mut Workspace) {
        let running = &mut self.running[i];
        running.steps -= 1;
        if running.steps > 0 && self.halving.most == 0 {
            return;
        }
        running.energy = self.states.energy(dynamics.target, i);
        if running.steps > 0 {
            return self.begin_step(i);
        }
        let (particle, energy) = (running.particle, running.energy);
        let found = &mut workspace.trajectories[particle];
        let log_ratio = found.energy - energy;
        found.divergent = is_divergent(log_ratio);
        workspace.counts.divergences += u64::from(found.divergent);
        workspace.acceptance[particle] = acceptance_probability(log_ratio);
        let mut proposals = workspace.proposal.block();
        proposals.replace(particle, &self.states.particles.block(), i);
        self.retire(i);
    }

    /// Frees the place of a trajectory that has ended; the last one takes it.
    fn retire(&mut self, i: usize) {
        let last = self.running.len() - 1;
        self.running.swap_remove(i);
        if i < last {
            self.states.move_row(last, i);
            if self.halving.most > 0 {
                self.before.move_row(last, i);
                self.after.move_row(last, i);
            }
        }
    }
}
