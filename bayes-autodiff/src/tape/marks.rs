//! Where iterations of loops begin, and what is forgotten at their ends.

use super::form::Term;
use super::record::{Lane, MOST, Record, too_long};
use super::sweep::Sweep;
use crate::buffer::Buffer;
use crate::simd::Simd;

/// The most memory of dead slots, terms and lanes that are kept to be swept together: half of a first-level cache.
const MOST_DEAD: usize = 16 << 10;

/// Lengths of a record to cut back to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(16))]
pub(super) struct Mark {
    pub(super) slots: u32,
    terms: u32,
    lanes: u32,
}

/// The marks that are open, and the dead end of the record.
#[derive(Debug, Default)]
pub(super) struct Marks {
    open: Buffer<Mark>,
    /// From where to where nothing is used any more; nothing is dead where the end is that of an empty record.
    dead: [Mark; 2],
}

impl Marks {
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.dead[1] = Mark::default();
    }
}

impl Record {
    /// The present lengths.
    #[inline(always)]
    pub(super) fn position(&self) -> Mark {
        let (slots, terms, lanes) = (self.slots.len(), self.terms.len(), self.payload.lanes.len());
        if (slots | terms | lanes) >= MOST {
            too_long();
        }
        Mark {
            slots: slots as u32,
            terms: terms as u32,
            lanes: lanes as u32,
        }
    }

    /// How many marks there are.
    pub(super) fn depth(&self) -> usize {
        self.marks.open.len()
    }

    /// Remembers the present position, or where what is dead before it begins; gives its number.
    #[inline(always)]
    pub(super) fn mark(&mut self) -> usize {
        let mut position = self.position();
        let [start, end] = self.marks.dead;
        if end == position {
            position = start;
        }
        self.marks.dead[1] = Mark::default();
        self.marks.open.push(position);
        self.marks.open.len() - 1
    }

    /// Says that what was recorded since a mark is dead. It is swept and forgotten together with what is dead before
    /// it, once it is worth the call.
    #[inline(always)]
    pub(super) fn cut<S: Simd>(&mut self, mark: usize) {
        let Some(start) = self.marks.open.get(mark).copied() else {
            return;
        };
        self.marks.open.truncate(mark);
        if self.slots.len() > start.slots as usize {
            let end = self.position();
            let lanes = end.slots - start.slots + end.lanes - start.lanes;
            let bytes = lanes as usize * size_of::<Lane>()
                + (end.terms - start.terms) as usize * size_of::<Term>();
            if bytes <= MOST_DEAD && self.payload.numbers.len() * size_of::<f64>() <= MOST_DEAD {
                self.marks.dead = [start, end];
                return;
            }
            S::call(Sweep {
                record: self,
                end: start.slots as usize,
            });
        }
        // what was dead lies beyond the new end, or belongs to what is forgotten
        self.marks.dead[1] = Mark::default();
        self.terms.truncate(start.terms as usize);
        self.payload.lanes.truncate(start.lanes as usize);
    }
}
