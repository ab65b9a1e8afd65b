//! Instructions over numbered slots, and the code of a trace.
//!
//! The slots of one evaluation: the inputs, then the values for later segments, then the values of the present segment.

use super::bulk::Bulk;
use super::operation::Operation;
use std::ops::Range;

/// The index of a slot.
pub(super) type Slot = u32;

/// A [`Poly`](super::graph::Poly) over slots: its terms are a range of [`Code::products`], the linear ones first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    pub(super) constant: f64,
    pub(super) first: u32,
    pub(super) linear: u32,
    pub(super) bilinear: u32,
}

/// `factor * a`, or `factor * a * b`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    pub(super) factor: f64,
    pub(super) of: [Slot; 2],
}

/// Computes the value of one slot.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction {
    Sum {
        to: Slot,
        sum: Sum,
    },
    Call {
        to: Slot,
        of: [Slot; 3],
        /// The place of the partial derivatives, among those of the segment.
        slopes: u32,
        function: &'static Operation,
        /// Number of calls: a function of one argument of several adjacent slots before `to` is one call.
        count: u32,
    },
    /// A function of one argument whose derivative is a multiple of another slot and need not be computed.
    Known {
        to: Slot,
        of: Slot,
        function: &'static Operation,
        scale: f64,
        slope: Slot,
        /// As for a call; the slots of the derivatives are adjacent too.
        count: u32,
    },
    /// `1 / of`, which computes quotients: too common to be a call.
    Recip {
        to: Slot,
        of: Slot,
    },
    Less {
        to: Slot,
        of: [Slot; 2],
        strict: bool,
    },
    Select {
        to: Slot,
        of: [Slot; 3],
    },
    /// An operation on vectors.
    Bulk {
        /// The slot of the first output; the others follow.
        to: Slot,
        /// The start of its operands in [`Code::operands`], and their number.
        of: u32,
        operands: u32,
        /// The place of the partial derivatives, if there are any.
        slopes: u32,
        /// The index among [`Code::bulks`].
        operation: u32,
    },
}

/// Adds to a log density.
#[derive(Clone, Copy, Debug)]
pub(super) enum Addend {
    Sum(Sum),
    /// `scale * (sum * factor)²`.
    Square {
        scale: f64,
        sum: Sum,
        factor: Option<Slot>,
    },
    /// `scale * sum² * weight`.
    Weighted {
        scale: f64,
        sum: Sum,
        weight: Slot,
    },
    /// `factor` times the output of an operation on vectors.
    Total {
        factor: f64,
        /// The start of its operands in [`Code::operands`], and their number.
        of: u32,
        operands: u32,
        /// The index among [`Code::bulks`].
        operation: u32,
    },
}

/// A part of the program.
#[derive(Clone, Debug, Default)]
pub(super) struct Segment {
    /// All instructions, a range of [`Code::instructions`].
    pub(super) all: Range<usize>,
    /// The instructions that lead to values for later segments.
    pub(super) carried: Range<usize>,
    /// The instructions that the sweep needs again: for values of this segment only, or for their partial derivatives.
    pub(super) again: Range<usize>,
    /// The terms of log prior and log likelihood, ranges of [`Code::addends`].
    pub(super) addends: [Range<usize>; 2],
    /// The number of slots of this segment.
    pub(super) slots: usize,
    /// The number of partial derivatives.
    pub(super) slopes: usize,
}

/// A program as instructions.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) dim: usize,
    /// The number of slots that all segments share: inputs and carried values.
    pub(super) shared: usize,
    pub(super) constants: [f64; 2],
    pub(super) segments: Vec<Segment>,
    pub(super) instructions: Vec<Instruction>,
    pub(super) addends: Vec<Addend>,
    pub(super) products: Vec<Product>,
    pub(super) bulks: Vec<Bulk>,
    /// The operands of operations on vectors: multiples of slots.
    pub(super) operands: Vec<(f64, Slot)>,
}

impl Instruction {
    /// Number of equal functions that the instruction calls.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        match *self {
            Self::Call { count, .. } | Self::Known { count, .. } => count as usize,
            _ => 1,
        }
    }

    /// Joins the next instruction to this one, if both call the same function of one argument and their slots are adjacent;
    /// returns whether they do.
    pub(super) fn join(&mut self, next: &Self) -> bool {
        let (
            Self::Call {
                to,
                of,
                slopes,
                function,
                count,
            },
            Self::Call {
                to: next_to,
                of: next_of,
                slopes: next_slopes,
                function: next_function,
                ..
            },
        ) = (self, next)
        else {
            return false;
        };
        let adjacent = *next_to == *to + *count
            && next_of[0] == of[0] + *count
            && *next_slopes == *slopes + *count
            // the arguments and the results do not overlap
            && next_of[0] < *to;
        let joins = adjacent && function.arity() == 1 && function == next_function;
        if joins {
            *count += 1;
        }
        joins
    }
}

impl Code {
    /// The slots that an instruction computes.
    pub(super) fn to(&self, instruction: &Instruction) -> Range<Slot> {
        match *instruction {
            Instruction::Sum { to, .. }
            | Instruction::Recip { to, .. }
            | Instruction::Less { to, .. }
            | Instruction::Select { to, .. } => to..to + 1,
            Instruction::Call { to, count, .. } | Instruction::Known { to, count, .. } => {
                to..to + count
            }
            Instruction::Bulk {
                to,
                operands,
                operation,
                ..
            } => to..to + self.bulks[operation as usize].outputs(operands as usize) as Slot,
        }
    }

    /// Whether partial derivatives are computed together with the value.
    pub(super) fn has_slopes(&self, instruction: &Instruction) -> bool {
        match *instruction {
            Instruction::Call { .. } => true,
            Instruction::Bulk {
                operands,
                operation,
                ..
            } => self.bulks[operation as usize].slopes(operands as usize) > 0,
            _ => false,
        }
    }

    /// The terms of a sum: the linear ones, and the bilinear ones.
    #[inline(always)]
    pub(super) fn terms(&self, sum: &Sum) -> (&[Product], &[Product]) {
        let (first, linear) = (sum.first as usize, sum.linear as usize);
        let products = &self.products[first..first + linear + sum.bilinear as usize];
        products.split_at(linear)
    }

    /// Passes the operands of an instruction to `show`.
    pub(super) fn operands(&self, instruction: &Instruction, mut show: impl FnMut(Slot)) {
        match instruction {
            Instruction::Sum { sum, .. } => {
                let (linear, bilinear) = self.terms(sum);
                linear.iter().for_each(|product| show(product.of[0]));
                bilinear
                    .iter()
                    .flat_map(|product| product.of)
                    .for_each(show);
            }
            Instruction::Call {
                of,
                function,
                count,
                ..
            } => {
                let of = &of[..function.arity()];
                of.iter()
                    .flat_map(|slot| *slot..slot + count)
                    .for_each(show);
            }
            Instruction::Known { of, count, .. } => (*of..of + count).for_each(show),
            Instruction::Recip { of, .. } => show(*of),
            Instruction::Less { of, .. } => of.iter().for_each(|slot| show(*slot)),
            Instruction::Select { of, .. } => of.iter().for_each(|slot| show(*slot)),
            Instruction::Bulk { of, operands, .. } => {
                let of = &self.operands[*of as usize..][..*operands as usize];
                of.iter().for_each(|(_, slot)| show(*slot));
            }
        }
    }

    /// The number of slots of an evaluation.
    pub(super) fn slots(&self) -> usize {
        self.shared + self.room()[0]
    }

    /// The largest number of slots of any one segment, and of partial derivatives.
    pub(super) fn room(&self) -> [usize; 2] {
        let slots = self.segments.iter().map(|segment| segment.slots).max();
        let slopes = self.segments.iter().map(|segment| segment.slopes).max();
        [slots.unwrap_or(0), slopes.unwrap_or(0)]
    }

    /// Bytes of the code.
    pub(super) fn bytes(&self) -> usize {
        self.segments.len() * size_of::<Segment>()
            + size_of_val(&self.instructions[..])
            + size_of_val(&self.addends[..])
            + size_of_val(&self.products[..])
            + size_of_val(&self.bulks[..])
            + size_of_val(&self.operands[..])
    }
}
