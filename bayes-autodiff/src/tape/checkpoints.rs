//! Checkpoints at the beginnings of loop iterations, and what is freed at their ends.

use super::linear_combination::Term;
use super::record::{Lane, MOST, Record, too_long};
use super::sweep::Sweep;
use crate::buffer::Buffer;
use crate::simd::Simd;

/// Dead slots, terms and lanes up to this size are kept and swept together: half of a first-level cache.
const MOST_DEAD: usize = 16 << 10;

/// Lengths of a record to which it can be truncated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(16))]
pub(super) struct Checkpoint {
    pub(super) slots: u32,
    terms: u32,
    lanes: u32,
}

/// The open marks, and the dead end of the record.
#[derive(Debug, Default)]
pub(super) struct Checkpoints {
    open: Buffer<Checkpoint>,
    /// The range that is not used any more; nothing is dead if the end is that of an empty record.
    dead: [Checkpoint; 2],
}

impl Checkpoints {
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.dead[1] = Checkpoint::default();
    }
}

impl Record {
    /// The present lengths.
    #[inline(always)]
    pub(super) fn position(&self) -> Checkpoint {
        let (slots, terms, lanes) = (self.slots.len(), self.terms.len(), self.payload.lanes.len());
        if (slots | terms | lanes) >= MOST {
            too_long();
        }
        Checkpoint {
            slots: slots as u32,
            terms: terms as u32,
            lanes: lanes as u32,
        }
    }

    /// How many marks there are.
    pub(super) fn depth(&self) -> usize {
        self.checkpoints.open.len()
    }

    /// Stores the present position, or the beginning of the dead range before it; returns its number.
    #[inline(always)]
    pub(super) fn checkpoint(&mut self) -> usize {
        let mut position = self.position();
        let [start, end] = self.checkpoints.dead;
        if end == position {
            position = start;
        }
        self.checkpoints.dead[1] = Checkpoint::default();
        self.checkpoints.open.push(position);
        self.checkpoints.open.len() - 1
    }

    /// Marks everything recorded since a mark as dead. It is swept and freed together with the dead range before
    /// it, once there is enough to justify the call.
    #[inline(always)]
    pub(super) fn release<S: Simd>(&mut self, checkpoint: usize) {
        let Some(start) = self.checkpoints.open.get(checkpoint).copied() else {
            return;
        };
        self.checkpoints.open.truncate(checkpoint);
        if self.slots.len() > start.slots as usize {
            let end = self.position();
            let lanes = end.slots - start.slots + end.lanes - start.lanes;
            let bytes = lanes as usize * size_of::<Lane>()
                + (end.terms - start.terms) as usize * size_of::<Term>();
            if bytes <= MOST_DEAD && self.payload.numbers.len() * size_of::<f64>() <= MOST_DEAD {
                self.checkpoints.dead = [start, end];
                return;
            }
            S::call(Sweep {
                record: self,
                end: start.slots as usize,
            });
        }
        // the dead range is beyond the new end, or belongs to what is freed
        self.checkpoints.dead[1] = Checkpoint::default();
        self.terms.truncate(start.terms as usize);
        self.payload.lanes.truncate(start.lanes as usize);
    }
}
