//! The trajectory of one NUTS transition, grown leaf by leaf (Hoffman and Gelman 2014; Betancourt 2017, appendix A).
//!
//! The recursion is unrolled: finished subtrees are on a stack with decreasing sizes, like the bits of a binary number, and two of equal
//! size are merged. So a block of chains can take each leapfrog step together although their trees differ.

use super::factor::{agree, half_square};
use super::rough::{Step, Way, is_rough};
use crate::density::{Block, Target};
use crate::numeric::log_add_exp;
use crate::rng::Stream;
use rand::RngExt;

/// A trajectory with a larger energy error is divergent, as in Stan.
pub(super) const MAX_ENERGY_ERROR: f64 = 1000.0;

/// Whether a trajectory diverged, from the log of `exp(H_start - H)`; NaN also counts as divergent.
pub(super) fn is_divergent(log_ratio: f64) -> bool {
    log_ratio.is_nan() || log_ratio < -MAX_ENERGY_ERROR
}

/// Consecutive states of a trajectory, in the order of their computation.
#[derive(Clone, Debug, Default)]
struct Span {
    leaves: u64,
    /// Whitened momentum of the first state, `[dim]`.
    first: Vec<f64>,
    /// Whitened momentum of the last state, `[dim]`.
    last: Vec<f64>,
    /// Sum of all whitened momenta, `[dim]`.
    sum: Vec<f64>,
}

impl Span {
    fn set(&mut self, momentum: &[f64]) {
        self.leaves = 1;
        for part in [&mut self.first, &mut self.last, &mut self.sum] {
            part.clear();
            part.extend_from_slice(momentum);
        }
    }

    /// Whether this span followed by `next` has made a U-turn, as a whole or at their junction.
    ///
    /// ```text
    /// continues:  p♯_first · ρ > 0  and  p♯_last · ρ > 0,    ρ = Σ p,  p♯ = M⁻¹ p
    /// ```
    ///
    /// In whitened momenta, `z = Fᵀ p` with `M⁻¹ = F Fᵀ`, this is `z_first · Σ z > 0`. Stan also checks the first span with the first
    /// state of the next one, and the next span with the last state of this one.
    fn turns(&self, next: &Self) -> bool {
        let goes_on = agree([&self.first, &next.last], [&self.sum, &next.sum])
            && (self.leaves == 1
                || agree([&self.first, &next.first], [&self.sum, &next.first])
                    && agree([&self.last, &next.last], [&self.last, &next.sum]));
        !goes_on
    }

    /// Appends `next`.
    fn append(&mut self, next: &mut Self) {
        self.leaves += next.leaves;
        std::mem::swap(&mut self.last, &mut next.last);
        self.sum
            .iter_mut()
            .zip(&next.sum)
            .for_each(|(a, b)| *a += b);
    }

    fn reverse(&mut self) {
        std::mem::swap(&mut self.first, &mut self.last);
    }
}

/// A state in phase space: position, whitened momentum and whitened gradient `Fᵀ ∇ log π`, each `[dim]`.
#[derive(Clone, Debug, Default)]
pub(super) struct Phase {
    /// Minus the log density of position and momentum.
    pub(super) energy: f64,
    pub(super) position: Vec<f64>,
    pub(super) momentum: Vec<f64>,
    pub(super) force: Vec<f64>,
}

impl Phase {
    fn set(&mut self, energy: f64, [position, momentum, force]: [&[f64]; 3]) {
        self.energy = energy;
        let parts = [&mut self.position, &mut self.momentum, &mut self.force];
        for (part, from) in parts.into_iter().zip([position, momentum, force]) {
            part.clear();
            part.extend_from_slice(from);
        }
    }
}

/// The state selected from the new half of a trajectory.
#[derive(Clone, Debug, Default)]
struct Choice {
    position: Vec<f64>,
    gradient: Vec<f64>,
    densities: [f64; 2],
}

impl Choice {
    fn set(&mut self, leaf: &Leaf<'_>) {
        self.densities = leaf.densities;
        for (part, from) in [
            (&mut self.position, leaf.position),
            (&mut self.gradient, leaf.gradient),
        ] {
            part.clear();
            part.extend_from_slice(from);
        }
    }
}

/// The state of a tree after its newest leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    /// The next leaf needs more leapfrog steps.
    Part,
    /// The next leaf follows the newest one.
    Leaf,
    /// The trajectory has doubled and continues from the end that [`Tree::front`] returns.
    Doubled,
    /// The transition is complete; the block holds the chain's state.
    Ended,
}

/// The tree of one chain's transition.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// The ends of the trajectory, backward and forward in time.
    ends: [Phase; 2],
    whole: Span,
    /// The end where the trajectory is being doubled.
    side: usize,
    /// Finished subtrees of the new half, with decreasing sizes; entries from `parts` on are unused memory.
    stack: Vec<Span>,
    parts: usize,
    choice: Choice,
    /// Number of doublings so far.
    depth: u32,
    leaves_left: u64,
    log_density_start: f64,
    /// Log of the summed weights `exp(H_start - H)` of the trajectory, and of its new half.
    log_weight: f64,
    log_weight_half: f64,
    acceptance_sum: f64,
    leaves: u64,
    divergent: bool,
    rough: bool,
    /// What is known of both ends for energy errors without jumps.
    ways: [Way; 2],
    start: Vec<f64>,
}

impl Tree {
    /// Starts the tree at a state with its log density.
    pub(super) fn reset(&mut self, log_density: f64, state: [&[f64]; 3], stream: &mut Stream) {
        let energy = half_square(state[1]) - log_density;
        self.ends.iter_mut().for_each(|end| end.set(energy, state));
        self.whole.set(state[1]);
        self.start.clear();
        self.start.extend_from_slice(state[0]);
        self.ways.iter_mut().for_each(|way| way.reset(state[2]));
        self.log_density_start = -energy;
        self.log_weight = 0.0;
        (self.depth, self.leaves) = (0, 0);
        (self.acceptance_sum, self.divergent, self.rough) = (0.0, false, false);
        self.double(stream);
    }

    /// Begins to double the trajectory at a random end.
    fn double(&mut self, stream: &mut Stream) {
        self.side = usize::from(stream.random::<bool>());
        self.parts = 0;
        self.leaves_left = 1 << self.depth;
        self.log_weight_half = f64::NEG_INFINITY;
    }

    /// The end of the trajectory that is being extended, and its direction in time.
    pub(super) fn front(&self) -> (&Phase, f64) {
        (&self.ends[self.side], [-1.0, 1.0][self.side])
    }

    /// Adds the state `leaf` of a block (with its whitened momentum and force), one step beyond the last leaf;
    /// `chain` of `block` becomes the trajectory's choice.
    pub(super) fn grow(
        &mut self,
        leaf: &Leaf<'_>,
        (block, chain): (&mut Block<'_>, usize),
        max_depth: u32,
        stream: &mut Stream,
    ) -> Growth {
        let log_ratio = leaf.log_density() - leaf.kinetic - self.log_density_start;
        self.leaves += 1;
        // also drawn if the outcome is certain, so that every leaf uses the same number of random numbers
        let uniform: f64 = stream.random();
        let smooth = leaf.step().map_or(log_ratio, |step| {
            self.ways[self.side].follow(log_ratio, step)
        });
        self.rough |= is_rough(smooth);
        if is_divergent(log_ratio) {
            self.divergent = true;
            return Growth::Ended;
        }
        self.acceptance_sum += smooth.min(0.0).exp();
        self.log_weight_half = log_add_exp(self.log_weight_half, log_ratio);
        // multinomial sampling of the new half: the newest state replaces the selected one with a probability equal to its share of the
        // weight
        if uniform < (log_ratio - self.log_weight_half).exp() {
            self.choice.set(leaf);
        }
        if self.add(leaf.momentum) {
            return Growth::Ended;
        }
        self.leaves_left -= 1;
        if self.leaves_left > 0 {
            return Growth::Leaf;
        }
        let energy = -(log_ratio + self.log_density_start);
        self.ends[self.side].set(energy, [leaf.position, leaf.momentum, leaf.force]);
        self.join(block, chain, stream);
        self.depth += 1;
        if self.merge_halves() || self.depth >= max_depth {
            return Growth::Ended;
        }
        self.double(stream);
        Growth::Doubled
    }

    /// Pushes a leaf on the stack and merges subtrees of equal size; returns whether one of them turns.
    fn add(&mut self, momentum: &[f64]) -> bool {
        if self.parts == self.stack.len() {
            self.stack.push(Span::default());
        }
        self.stack[self.parts].set(momentum);
        self.parts += 1;
        while self.parts >= 2 {
            let (before, rest) = self.stack.split_at_mut(self.parts - 1);
            let (left, right) = (&mut before[self.parts - 2], &mut rest[0]);
            if left.leaves != right.leaves {
                break;
            }
            if left.turns(right) {
                return true;
            }
            left.append(right);
            self.parts -= 1;
        }
        false
    }

    /// Biased progressive sampling: the selection of the new half is taken with a probability of its weight divided by the weight of the
    /// old half.
    fn join(&mut self, block: &mut Block<'_>, chain: usize, stream: &mut Stream) {
        let uniform: f64 = stream.random();
        if uniform < (self.log_weight_half - self.log_weight).exp() {
            let row = block.row(chain);
            block.positions[row.clone()].copy_from_slice(&self.choice.position);
            block.gradient[row].copy_from_slice(&self.choice.gradient);
            [block.log_prior[chain], block.log_likelihood[chain]] = self.choice.densities;
        }
        self.log_weight = log_add_exp(self.log_weight, self.log_weight_half);
    }

    /// Joins the new half to the trajectory; returns whether they turn.
    fn merge_halves(&mut self) -> bool {
        if self.side == 0 {
            self.whole.reverse();
        }
        let half = &mut self.stack[0];
        let turns = self.whole.turns(half);
        self.whole.append(half);
        if self.side == 0 {
            self.whole.reverse();
        }
        turns
    }

    /// Ends the transition where no step is short enough.
    pub(super) fn fail(&mut self) {
        self.divergent = true;
    }

    /// Number of completed doublings of the trajectory.
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// Number of states after the start.
    pub(super) fn leaves(&self) -> u64 {
        self.leaves
    }

    /// Mean over all leaves of `min(1, exp(H_start - H))`. Jumps of the density do not count: no step size changes them.
    pub(super) fn acceptance(&self) -> f64 {
        self.acceptance_sum / self.leaves.max(1) as f64
    }

    /// Whether the energy error became too large.
    pub(super) fn is_divergent(&self) -> bool {
        self.divergent
    }

    /// Whether a state has a large energy error.
    pub(super) fn is_rough(&self) -> bool {
        self.rough
    }

    /// The energy at the start, including the momentum.
    pub(super) fn energy(&self) -> f64 {
        -self.log_density_start
    }

    /// The start of the trajectory, `[dim]`.
    pub(super) fn start(&self) -> &[f64] {
        &self.start
    }
}

/// A new state of a trajectory.
pub(super) struct Leaf<'a> {
    pub(super) position: &'a [f64],
    pub(super) gradient: &'a [f64],
    pub(super) momentum: &'a [f64],
    pub(super) force: &'a [f64],
    /// `½ |z|²` of its momentum.
    pub(super) kinetic: f64,
    /// The signed size of the leapfrog step that led here; `None` for a macro step, whose parts fit a narrow place.
    pub(super) step_size: Option<f64>,
    /// Log prior and log likelihood.
    pub(super) densities: [f64; 2],
    pub(super) target: Target<'a>,
}

impl Leaf<'_> {
    fn step(&self) -> Option<Step<'_>> {
        self.step_size.map(|size| Step {
            size,
            momentum: self.momentum,
            force: self.force,
        })
    }

    fn log_density(&self) -> f64 {
        self.target.log_density_of(self.densities)
    }
}
