//! Replays of the kept quantities of a program.

use super::{Code, Pass, Slots, all_blocks, fill, forward, with_workspace};
use crate::batch::Batch;
use crate::simd::{LANES, Simd, Work};
use crate::trace::kept::{Outputs, Place};
use crate::trace::numbers::Source;

/// The kept quantities of all particles of a batch.
pub(in crate::trace) struct Keep<'a, 'b> {
    pub(in crate::trace) outputs: &'a Outputs,
    pub(in crate::trace) source: Source<'a>,
    /// Only its positions are read.
    pub(in crate::trace) batch: &'a Batch<'b>,
    /// `[particles, quantities]`, to fill.
    pub(in crate::trace) values: &'a mut [f64],
}

impl Work for Keep<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(mut self) {
        all_blocks::<S>(&mut self);
    }
}

impl Pass for Keep<'_, '_> {
    #[inline(always)]
    fn code(&self) -> &Code {
        &self.outputs.code.code
    }
    #[inline(always)]
    fn particles(&self) -> usize {
        self.batch.log_prior.len()
    }
    #[inline(always)]
    fn block<S: Simd, const W: usize>(&mut self, start: usize) {
        let (outputs, source) = (self.outputs, self.source);
        with_workspace(&outputs.code.code, W, false, |workspace| {
            let slots = workspace.slots::<W>(source);
            S::call(Block {
                keep: self,
                start,
                slots,
            });
        });
    }
}

/// The particles from `start` on, as many as the slots hold.
struct Block<'a, 'b, 'c, const W: usize> {
    keep: &'a mut Keep<'b, 'c>,
    start: usize,
    slots: Slots<'a, W>,
}

impl<const W: usize> Work for Block<'_, '_, '_, W> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self {
            keep,
            start,
            mut slots,
        } = self;
        let code = &keep.outputs.code.code;
        fill::<S, W>(keep.batch, start, &mut slots.values[..code.dim]);
        for segment in &code.segments {
            forward::values::<S, W>(code, segment.all.clone(), &mut slots);
        }
        let places = &keep.outputs.code.places;
        let rows = keep.values.chunks_exact_mut(places.len());
        for (particle, row) in rows.skip(start).take(W * LANES).enumerate() {
            let (group, lane) = (particle / LANES, particle % LANES);
            for (value, place) in row.iter_mut().zip(places) {
                *value = match *place {
                    Place::Slot(slot) => slots.values[slot as usize][group].0[lane],
                    Place::Number(index) => keep.outputs.numbers[index],
                };
            }
        }
    }
}
