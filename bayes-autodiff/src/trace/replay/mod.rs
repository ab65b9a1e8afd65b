//! Replays of a trace for blocks of `8 W` particles: `W` groups of lanes.

mod common;
mod forward;
mod outputs;
mod reverse;
mod workspace;

use super::bulk::Tally;
use super::code::{Code, Segment};
use super::numbers::Source;
use crate::batch::Batch;
use crate::lanes::Lane;
use crate::simd::Mask;
use crate::simd::{LANES, Simd, Work};
pub(super) use common::Common;
pub(super) use outputs::Keep;
use workspace::{Workspace, with_workspace};

pub use workspace::memory;

/// A program with more slots is replayed for 8 particles at a time: the slots for 32 do not fit into the second-level cache.
const MANY: usize = 2048;

/// The slots of a block of particles.
pub(super) struct Slots<'a, const W: usize> {
    /// The data of the operations on vectors.
    pub(super) source: Source<'a>,
    pub(super) values: &'a mut [[Lane; W]],
    /// Empty unless a gradient is computed.
    pub(super) adjoints: &'a mut [[Lane; W]],
    /// The partial derivatives of the calls of a segment.
    pub(super) slopes: &'a mut [[Lane; W]],
    /// The terms of log prior and log likelihood, by segment.
    pub(super) sums: &'a mut [[[Lane; W]; 2]],
    /// Sums of the slopes of features.
    pub(super) tally: Tally<'a>,
}

/// Values, or values and gradients, of all particles of a batch.
pub(super) struct Replay<'a, 'b> {
    pub(super) code: &'a Code,
    pub(super) source: Source<'a>,
    pub(super) batch: &'a mut Batch<'b>,
    /// The weights of log prior and log likelihood, and the gradients, `[particles, dim]`.
    pub(super) gradient: Option<([f64; 2], &'a mut [f64])>,
    /// The data that the particles have in common; the batch has the other coordinates.
    pub(super) common: Option<Common<'a>>,
}

/// A pass over the particles of a batch, a block at a time.
trait Pass {
    fn code(&self) -> &Code;
    fn particles(&self) -> usize;
    /// The `8 W` particles from `start` on, or the remaining ones if there are fewer.
    fn block<S: Simd, const W: usize>(&mut self, start: usize);
}

/// All blocks of a pass.
#[inline(always)]
fn all_blocks<S: Simd>(pass: &mut impl Pass) {
    let mut start = 0;
    let len = pass.particles();
    let is_narrow = S::IS_CALLED || pass.code().slots() > MANY;
    let widest = if is_narrow { 1 } else { 4 };
    while start < len {
        // the width does not change a result: no lane depends on another
        let left = (len - start).div_ceil(LANES);
        let width = match left.min(widest) {
            // a width that the instruction set excludes is not compiled
            4.. if const { !S::IS_CALLED } => one_block::<S, 4>(pass, start),
            2.. if const { !S::IS_CALLED } => one_block::<S, 2>(pass, start),
            _ => one_block::<S, 1>(pass, start),
        };
        start += width * LANES;
    }
}

/// A block of a pass; returns `W`.
#[inline(always)]
fn one_block<S: Simd, const W: usize>(pass: &mut impl Pass, start: usize) -> usize {
    pass.block::<S, W>(start);
    W
}

impl Work for Replay<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(mut self) {
        all_blocks::<S>(&mut self);
    }
}

impl Pass for Replay<'_, '_> {
    #[inline(always)]
    fn code(&self) -> &Code {
        self.code
    }
    #[inline(always)]
    fn particles(&self) -> usize {
        self.batch.log_prior.len()
    }
    #[inline(always)]
    fn block<S: Simd, const W: usize>(&mut self, start: usize) {
        let (code, source) = (self.code, self.source);
        with_workspace(
            code,
            W,
            self.gradient.is_some(),
            |workspace: &mut Workspace| {
                let slots = workspace.slots::<W>(source);
                // a separate function: the compiler need not inline this closure where the instruction set is known
                S::call(Block {
                    replay: self,
                    start,
                    slots,
                });
            },
        );
    }
}

/// The particles from `start` on, as many as the slots hold.
struct Block<'a, 'b, 'c, const W: usize> {
    replay: &'a mut Replay<'b, 'c>,
    start: usize,
    slots: Slots<'a, W>,
}

impl<const W: usize> Work for Block<'_, '_, '_, W> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self {
            replay,
            start,
            mut slots,
        } = self;
        let code = replay.code;
        match &replay.common {
            None => fill::<S, W>(replay.batch, start, &mut slots.values[..code.dim]),
            Some(common) => common.fill(replay.batch, start, slots.values),
        }
        match (&mut replay.gradient, &mut replay.common) {
            (None, _) => values::<S, W>(code, &mut slots),
            (Some((weights, gradient)), None) => {
                gradients::<S, W>(code, *weights, &mut slots);
                take::<S, W>(gradient, code.dim, start, &slots.adjoints[..code.dim]);
            }
            (Some((weights, gradient)), Some(common)) => {
                common.gradients::<S, W>(code, *weights, (start, gradient), &mut slots);
            }
        }
        for (part, constant) in code.constants.iter().enumerate() {
            let to = match part {
                0 => &mut replay.batch.log_prior[start..],
                _ => &mut replay.batch.log_likelihood[start..],
            };
            totals::<S, W>(slots.sums, part, *constant, to);
        }
    }
}

/// Log densities of a block.
#[inline(always)]
fn values<S: Simd, const W: usize>(code: &Code, slots: &mut Slots<'_, W>) {
    for (index, segment) in code.segments.iter().enumerate() {
        forward::values::<S, W>(code, segment.all.clone(), slots);
        forward::terms::<S, W>(code, segment, index, slots);
    }
}

/// Log densities of a block, and the adjoints of the inputs.
///
/// First the values for later segments are computed. Then every segment, from the last to the first, is computed again with its partial
/// derivatives, and swept. A log density is a sum, so its terms are needed only in the second pass.
#[inline(always)]
fn gradients<S: Simd, const W: usize>(code: &Code, weights: [f64; 2], slots: &mut Slots<'_, W>) {
    for segment in &code.segments {
        if !segment.carried.is_empty() {
            forward::values::<S, W>(code, segment.carried.clone(), slots);
        }
    }
    sweep::<S, W, false>(code, weights, slots);
    if any_not_finite::<S>(slots.adjoints[..code.dim].as_flattened()) {
        // where an adjoint is 0, an infinite derivative contributes nothing; this is rare and slow
        sweep::<S, W, true>(code, weights, slots);
    }
}

/// Whether some number is not finite: 0 times such a number is NaN, and so is the sum. Uses several sums side by side, because each
/// addition waits for the one before.
#[inline(always)]
fn any_not_finite<S: Simd>(lanes: &[Lane]) -> bool {
    let zero = S::splat(0.0);
    let mut sums = [zero; 4];
    let (chunks, rest) = lanes.as_chunks::<4>();
    for chunk in chunks {
        for (sum, lane) in sums.iter_mut().zip(chunk) {
            *sum = S::mul_add(zero, S::load(&lane.0), *sum);
        }
    }
    for lane in rest {
        sums[0] = S::mul_add(zero, S::load(&lane.0), sums[0]);
    }
    let [a, b, c, d] = sums;
    let sum = S::add(S::add(a, b), S::add(c, d));
    S::any(S::eq(sum, zero).not())
}

/// The second pass of [`gradients`]; if `EXACT`, an adjoint of 0 contributes nothing, for any derivative.
fn sweep<S: Simd, const W: usize, const EXACT: bool>(
    code: &Code,
    weights: [f64; 2],
    slots: &mut Slots<'_, W>,
) {
    slots.adjoints[..code.shared].fill([Lane::ZERO; W]);
    slots.tally.sums.fill(0.0);
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

/// The groups of coordinates that are transposed together, as many as there are lanes; if there are fewer, they are copied one by one.
/// The last group starts early enough to end with the last coordinate.
fn tiles(dim: usize) -> impl Iterator<Item = usize> {
    let last = dim.checked_sub(LANES);
    last.into_iter()
        .flat_map(|last| (0..last).step_by(LANES).chain([last]))
}

/// Eight numbers of a list.
#[inline(always)]
fn eight(list: &[f64], from: usize) -> &[f64; LANES] {
    list[from..]
        .first_chunk()
        .expect("tiles end with the last coordinate")
}

/// Sets the inputs to the positions of the particles from `start` on; the last particle fills the leftover lanes.
#[inline(always)]
fn fill<S: Simd, const W: usize>(batch: &Batch<'_>, start: usize, inputs: &mut [[Lane; W]]) {
    let (dim, last) = (batch.dim, batch.log_prior.len() - 1);
    for w in 0..W {
        let first = start + w * LANES;
        if dim < LANES {
            let row = |lane: usize| &batch.positions[(first + lane).min(last) * dim..][..dim];
            let rows: [&[f64]; LANES] = std::array::from_fn(row);
            for (k, input) in inputs.iter_mut().enumerate() {
                input[w].0 = rows.map(|row| row[k]);
            }
        }
        // the distances of the rows from the first one
        let first = first.min(last);
        let rows: [usize; LANES] = std::array::from_fn(|lane| lane.min(last - first) * dim);
        let positions = &batch.positions[first * dim..];
        for k in tiles(dim) {
            let mut tile = [S::splat(0.0); LANES];
            for lane in 0..LANES {
                tile[lane] = S::load(eight(positions, rows[lane] + k));
            }
            tile = S::transpose(tile);
            let to = inputs[k..].first_chunk_mut::<LANES>();
            for (input, column) in to
                .expect("tiles end with the last coordinate")
                .iter_mut()
                .zip(tile)
            {
                S::store(column, &mut input[w].0);
            }
        }
    }
}

/// Stores the adjoints of the inputs as gradients of the particles from `start` on.
#[inline(always)]
fn take<S: Simd, const W: usize>(
    gradient: &mut [f64],
    dim: usize,
    start: usize,
    adjoints: &[[Lane; W]],
) {
    if dim < LANES {
        let rows = gradient[start * dim..].chunks_exact_mut(dim.max(1));
        for (particle, row) in rows.take(W * LANES).enumerate() {
            for (slope, adjoint) in row.iter_mut().zip(adjoints) {
                *slope = adjoint[particle / LANES].0[particle % LANES];
            }
        }
        return;
    }
    let particles = gradient.len() / dim;
    for k in tiles(dim) {
        for group in 0..W {
            let mut tile = [S::splat(0.0); LANES];
            let adjoints = adjoints[k..].first_chunk::<LANES>();
            let adjoints = adjoints.expect("tiles end with the last coordinate");
            for (column, adjoint) in tile.iter_mut().zip(adjoints) {
                *column = S::load(&adjoint[group].0);
            }
            tile = S::transpose(tile);
            let first = start + group * LANES;
            for lane in 0..LANES.min(particles.saturating_sub(first)) {
                let row = &mut gradient[(first + lane) * dim + k..];
                let to = row.first_chunk_mut();
                S::store(tile[lane], to.expect("tiles end with the last coordinate"));
            }
        }
    }
}

/// Writes the sums of all segments, in their order.
#[inline(always)]
fn totals<S: Simd, const W: usize>(
    sums: &[[[Lane; W]; 2]],
    part: usize,
    constant: f64,
    to: &mut [f64],
) {
    for w in 0..W {
        let mut total = S::splat(constant);
        for sum in sums {
            total = S::add(total, S::load(&sum[part][w].0));
        }
        let to = to.get_mut(w * LANES..).unwrap_or_default();
        match to.first_chunk_mut() {
            Some(to) => S::store(total, to),
            None => to.copy_from_slice(&S::array(total)[..to.len()]),
        }
    }
}
