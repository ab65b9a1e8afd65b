//! A step of a trajectory, divided into shorter ones where the energy changes too much.
//!
//! A step size that suits most of a posterior is too long in its narrow parts: the necks of a funnel, the edge of a support. There the
//! energy error is large and every proposal is rejected. Chains in a neck then stay there, and chains that should enter it do not.
//! Here a macro step of a trajectory is `2^k` leapfrog steps of a `2^k`-th of its size, with the smallest k for which the energies of the
//! states on the way are within a tolerance of each other, or with the largest k, if a wider limit holds there.
//!
//! This choice depends on the state, so it must be the same backward in time. From the end of a divided step, back in time, every smaller
//! k must again exceed the tolerance. The same k needs no check, since it passes the same states. If a smaller k would suffice, the macro
//! step does not exist: no trajectory passes there (within-orbit adaptation: Bou-Rabee, Carpenter, Kleppe & Liu 2025, with a
//! deterministic choice).
//!
//! So macro steps are a map between two sets of states that has an inverse: `z ↦ Φ_k(z)` where the choice at z forward and at `Φ_k(z)`
//! backward is k. It preserves volume, as each of its leapfrog steps does, and it commutes with time: the inverse is the map with the
//! momenta reversed. These are the properties of the leapfrog step that the proofs of HMC and NUTS use; what is new is that the map may
//! be undefined at a state, forward or backward, and then the same is found from both sides.
//!
//! A microcanonical step does not preserve volume. There the logarithm of its Jacobian is a part of the change of energy
//! (`super::microcanonical`), and the work of a macro step is the sum over its parts.

use super::leapfrog::States;
use crate::density::Target;

/// The rule that divides a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Halving {
    /// The maximum number of halvings of a step; 0 for plain leapfrog steps.
    pub(super) most: u32,
    /// The largest range of the energy during a step that is not halved.
    pub(super) tolerance: f64,
    /// The largest range of the energy during a step with the most halvings, at least the tolerance.
    pub(super) limit: f64,
}

/// The next action of a step.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Take the step in `2^level` parts.
    Forward { level: u32 },
    /// The step was taken in `2^chosen` parts; go back from its end in `2^level` parts.
    Backward { chosen: u32, level: u32 },
}

/// What became of a macro step with its newest leapfrog step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outcome {
    /// More leapfrog steps are needed.
    Going,
    /// The slot is at its end, at this energy.
    Done {
        /// The energy there.
        energy: f64,
        /// Whether it was divided.
        divided: bool,
    },
    /// The step back in time would have fewer parts.
    Irreversible,
    /// The energy changes too much after all halvings.
    Failed,
}

/// A macro step in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct MacroStep {
    phase: Phase,
    /// Remaining parts.
    parts: u32,
    /// The energy at its start.
    energy: f64,
    /// The range of the energy so far.
    range: [f64; 2],
}

impl Default for MacroStep {
    fn default() -> Self {
        Self::new(0.0)
    }
}

impl MacroStep {
    /// A step from a state with this energy.
    pub(super) fn new(energy: f64) -> Self {
        Self {
            phase: Phase::Forward { level: 0 },
            parts: 1,
            energy,
            range: [energy; 2],
        }
    }

    /// Whether no leapfrog step of it was taken.
    pub(super) fn is_new(&self) -> bool {
        matches!(self.phase, Phase::Forward { level: 0 })
    }

    /// The size of its next leapfrog step, as a fraction of its own size; negative back in time.
    pub(super) fn fraction(&self) -> f64 {
        let part = |level: u32| 1.0 / f64::from(1u32 << level);
        match self.phase {
            Phase::Forward { level } => part(level),
            Phase::Backward { level, .. } => -part(level),
        }
    }

    /// Sets the next phase, in `2^level` parts, from a state with this energy.
    fn turn_to(&mut self, phase: Phase, energy: f64) {
        let (Phase::Forward { level } | Phase::Backward { level, .. }) = phase;
        self.phase = phase;
        self.parts = 1 << level;
        self.range = [energy; 2];
    }

    /// The largest range of the energy in the present phase.
    fn allowed(&self, halving: Halving) -> f64 {
        match self.phase {
            Phase::Forward { level } if level == halving.most => halving.limit,
            Phase::Forward { .. } | Phase::Backward { .. } => halving.tolerance,
        }
    }

    /// How far this energy is below the highest one so far.
    pub(super) fn fall(&self, energy: f64) -> f64 {
        self.range[1] - energy
    }

    /// Decides the next action after a leapfrog step of slot `i` to this energy, and moves the slot to the state where it begins.
    pub(super) fn proceed(
        &mut self,
        halving: Halving,
        energy: f64,
        target: Target<'_>,
        states: &mut States,
        (ends, i): (&mut Ends, usize),
    ) -> Outcome {
        let [low, high] = &mut self.range;
        *low = if energy >= *low { *low } else { energy };
        *high = if energy <= *high { *high } else { energy };
        // a range that is too large, or NaN, stays so: the rest of the step is not needed
        let is_within = *high - *low <= self.allowed(halving);
        self.parts -= 1;
        if self.parts > 0 && is_within {
            return Outcome::Going;
        }
        let Ends { before, after } = ends;
        let divided = true;
        match self.phase {
            Phase::Forward { level: 0 } if is_within => {
                let divided = false;
                return Outcome::Done { energy, divided };
            }
            Phase::Forward { level } if is_within => {
                after.copy(i, states, i);
                let (chosen, level) = (level, 0);
                self.turn_to(Phase::Backward { chosen, level }, energy);
            }
            Phase::Forward { level } if level < halving.most => {
                self.turn_to(Phase::Forward { level: level + 1 }, self.energy);
                states.restart(i, before, i);
            }
            Phase::Forward { .. } => return Outcome::Failed,
            Phase::Backward { .. } if is_within => return Outcome::Irreversible,
            Phase::Backward { chosen, level } => {
                states.copy(i, after, i);
                let energy = states.energy(target, i);
                let level = level + 1;
                if level == chosen {
                    return Outcome::Done { energy, divided };
                }
                self.turn_to(Phase::Backward { chosen, level }, energy);
            }
        }
        Outcome::Going
    }
}

/// The ends of the macro step of each slot.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    /// Its start.
    before: States,
    /// Its end, while it is taken back in time.
    after: States,
}

impl Ends {
    /// Memory for `n` slots, if steps may be divided; allocates only if the size changes.
    pub(super) fn prepare(&mut self, n: usize, dim: usize, halving: Halving) {
        let spare = if halving.most > 0 { n } else { 0 };
        self.before.prepare(spare, dim);
        self.after.prepare(spare, dim);
    }

    /// Keeps the present states of the slots whose macro steps start.
    pub(super) fn start<'s>(
        &mut self,
        states: &States,
        steps: impl ExactSizeIterator<Item = &'s MacroStep> + Clone,
    ) {
        // nearly always all of them: one copy
        if steps.clone().all(MacroStep::is_new) {
            return self.before.restart_all(0, states, 0, steps.len());
        }
        for (i, _) in steps.enumerate().filter(|(_, step)| step.is_new()) {
            self.before.restart(i, states, i);
        }
    }

    /// Slot `to` becomes what slot `from` is.
    pub(super) fn move_row(&mut self, from: usize, to: usize) {
        self.before.move_row(from, to);
        self.after.move_row(from, to);
    }
}
