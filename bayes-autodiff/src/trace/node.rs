//! The recorded nodes: one for each operation on a quantity that depends on the inputs.

use super::bulk::Bulk;
use super::operation::Operation;

/// A number with equality by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Bits(u64);

impl Bits {
    pub(super) fn new(x: f64) -> Self {
        Self(x.to_bits())
    }

    pub(super) fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// The index of a node; its operands have lower ones.
pub(super) type Id = u32;

/// An operation on nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// A coordinate of the position.
    Input(u32),
    /// A number as an operand of operations that take only nodes.
    Constant(Bits),
    /// `factor * of + shift`.
    Affine { of: Id, factor: Bits, shift: Bits },
    /// `factors[0] * of[0] + factors[1] * of[1]`.
    Sum { of: [Id; 2], factors: [Bits; 2] },
    /// The product of two nodes.
    Product([Id; 2]),
    /// An elementary function; unused arguments are 0.
    Call {
        function: &'static Operation,
        of: [Id; 3],
    },
    /// 1 where `of[0] < of[1]` (or `≤` unless `strict`), else 0.
    Less { strict: bool, of: [Id; 2] },
    /// `of[1]` where `of[0]` is not 0, else `of[2]`.
    Select([Id; 3]),
    /// An operation on vectors, by its index; its operands are stored there.
    Bulk(u32),
    /// An output of an operation on vectors.
    Output { of: Id, index: u32 },
}

/// An operation on vectors.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BulkNode {
    pub(super) operation: Bulk,
    pub(super) of: Vec<Id>,
}

impl Node {
    /// Passes the operands to `show`.
    pub(super) fn operands(&self, bulks: &[BulkNode], mut show: impl FnMut(Id)) {
        match *self {
            Self::Input(_) | Self::Constant(_) => {}
            Self::Affine { of, .. } => show(of),
            Self::Sum { of, .. } | Self::Product(of) | Self::Less { of, .. } => {
                of.into_iter().for_each(show);
            }
            Self::Call { function, of } => of[..function.arity()].iter().for_each(|id| show(*id)),
            Self::Select(of) => of.into_iter().for_each(show),
            Self::Bulk(index) => bulks[index as usize].of.iter().for_each(|id| show(*id)),
            Self::Output { of, .. } => show(of),
        }
    }
}
