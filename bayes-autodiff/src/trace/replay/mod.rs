//! Replays of a trace for blocks of `8 W` particles: `W` groups of lanes.

mod forward;
mod reverse;
mod workspace;

use super::code::{Code, Segment};
use super::numbers::Source;
use crate::batch::Batch;
use crate::lanes::Lane;
use crate::simd::{LANES, Simd, Work};
use workspace::{Workspace, with_workspace};

pub use workspace::memory;

/// A program with more slots is replayed for 8 particles at a time: those of 32 do not fit into the second-level cache.
const MANY: usize = 2048;

/// The slots of a block of particles.
pub(super) struct Slots<'a, const W: usize> {
    /// What the operations on vectors refer to.
    pub(super) source: Source<'a>,
    pub(super) values: &'a mut [[Lane; W]],
    /// Empty unless there is a gradient to compute.
    pub(super) adjoints: &'a mut [[Lane; W]],
    /// The partial derivatives of the calls of a segment.
    pub(super) slopes: &'a mut [[Lane; W]],
    /// The terms of log prior and log likelihood, by segment.
    pub(super) sums: &'a mut [[[Lane; W]; 2]],
}

/// Values, or values and gradients, of all particles of a batch.
pub(super) struct Replay<'a, 'b> {
    pub(super) code: &'a Code,
    pub(super) source: Source<'a>,
    pub(super) batch: &'a mut Batch<'b>,
    /// The weights of log prior and log likelihood, and the gradients, `[particles, dim]`.
    pub(super) gradient: Option<([f64; 2], &'a mut [f64])>,
}

impl Work for Replay<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(mut self) {
        let mut start = 0;
        let len = self.batch.log_prior.len();
        let widest = if self.code.slots() > MANY { 1 } else { 4 };
        while start < len {
            // the width does not change a result: no lane depends on another
            let left = (len - start).div_ceil(LANES);
            let width = match left.min(widest) {
                4.. => block::<S, 4>(&mut self, start),
                2.. => block::<S, 2>(&mut self, start),
                _ => block::<S, 1>(&mut self, start),
            };
            start += width * LANES;
        }
    }
}

/// The block of particles from `start` on; returns `W`.
#[inline(always)]
fn block<S: Simd, const W: usize>(replay: &mut Replay<'_, '_>, start: usize) -> usize {
    let (code, source) = (replay.code, replay.source);
    with_workspace(
        code,
        W,
        replay.gradient.is_some(),
        |workspace: &mut Workspace| {
            let mut slots = workspace.slots::<W>(source);
            fill(replay.batch, start, &mut slots.values[..code.dim]);
            match &mut replay.gradient {
                None => values::<S, W>(code, &mut slots),
                Some((weights, gradient)) => {
                    gradients::<S, W>(code, *weights, &mut slots);
                    take(gradient, code.dim, start, &slots.adjoints[..code.dim]);
                }
            }
            for (part, constant) in code.constants.iter().enumerate() {
                let to = match part {
                    0 => &mut replay.batch.log_prior[start..],
                    _ => &mut replay.batch.log_likelihood[start..],
                };
                totals(slots.sums, part, *constant, to);
            }
        },
    );
    W
}

/// Log densities of a block.
fn values<S: Simd, const W: usize>(code: &Code, slots: &mut Slots<'_, W>) {
    for (index, segment) in code.segments.iter().enumerate() {
        forward::values::<S, W>(code, segment.all.clone(), slots);
        forward::terms::<S, W>(code, segment, index, slots);
    }
}

/// Log densities of a block, and the adjoints of the inputs.
///
/// First the values that segments pass on are computed, then every segment from the last to the first is computed again with
/// its partial derivatives, and swept. A log density is a sum, so its terms are needed in the second pass only.
fn gradients<S: Simd, const W: usize>(code: &Code, weights: [f64; 2], slots: &mut Slots<'_, W>) {
    for segment in &code.segments {
        if !segment.carried.is_empty() {
            forward::values::<S, W>(code, segment.carried.clone(), slots);
        }
    }
    sweep::<S, W, false>(code, weights, slots);
    let adjoints = slots.adjoints[..code.dim].iter().flatten();
    if adjoints.flat_map(|lane| lane.0).any(f64::is_nan) {
        // where an adjoint is 0, an infinite derivative contributes nothing; that is rare, and costs time
        sweep::<S, W, true>(code, weights, slots);
    }
}

/// The second pass of [`gradients`]; if `EXACT`, an adjoint of 0 contributes nothing, whatever the derivative is.
fn sweep<S: Simd, const W: usize, const EXACT: bool>(
    code: &Code,
    weights: [f64; 2],
    slots: &mut Slots<'_, W>,
) {
    slots.adjoints[..code.shared].fill([Lane::ZERO; W]);
    for (index, segment) in code.segments.iter().enumerate().rev() {
        let Segment {
            all,
            again,
            slots: own,
            ..
        } = segment;
        slots.adjoints[code.shared..code.shared + own].fill([Lane::ZERO; W]);
        forward::slopes::<S, W>(code, again.clone(), slots);
        reverse::terms::<S, W, EXACT>(code, segment, index, weights, slots);
        reverse::values::<S, W, EXACT>(code, all.clone(), slots);
    }
}

/// Sets the inputs to the positions of the particles from `start` on; beyond the last particle it is repeated.
fn fill<const W: usize>(batch: &Batch<'_>, start: usize, inputs: &mut [[Lane; W]]) {
    let last = batch.log_prior.len() - 1;
    let mut rows = [[&batch.positions[..0]; LANES]; W];
    for (particle, row) in rows.iter_mut().flatten().enumerate() {
        *row = &batch.positions[(start + particle).min(last) * batch.dim..][..batch.dim];
    }
    for (k, input) in inputs.iter_mut().enumerate() {
        for (lane, rows) in input.iter_mut().zip(&rows) {
            for (x, row) in lane.0.iter_mut().zip(rows) {
                *x = row[k];
            }
        }
    }
}

/// Stores the adjoints of the inputs as gradients of the particles from `start` on.
fn take<const W: usize>(gradient: &mut [f64], dim: usize, start: usize, adjoints: &[[Lane; W]]) {
    let end = gradient.len().min((start + W * LANES) * dim);
    let rows = &mut gradient[start * dim..end];
    for (k, adjoint) in adjoints.iter().enumerate() {
        let column = rows[k..].iter_mut().step_by(dim);
        let lanes = adjoint.iter().flat_map(|lane| &lane.0);
        column.zip(lanes).for_each(|(slope, x)| *slope = *x);
    }
}

/// Writes the sums of all segments, in their order.
fn totals<const W: usize>(sums: &[[[Lane; W]; 2]], part: usize, constant: f64, to: &mut [f64]) {
    let mut totals = [Lane([constant; LANES]); W];
    for sum in sums {
        let lanes = totals.iter_mut().zip(&sum[part]);
        let numbers = lanes.flat_map(|(total, sum)| total.0.iter_mut().zip(sum.0));
        numbers.for_each(|(total, term)| *total += term);
    }
    for (to, total) in to.iter_mut().zip(totals.iter().flat_map(|lane| lane.0)) {
        *to = total;
    }
}
