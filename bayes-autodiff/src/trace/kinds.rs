//! The contents of a trace.

use super::code::{Addend, Code, Instruction};

/// The number of operations of each kind in a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// Sums of multiples and products of values.
    pub sums: usize,
    /// Elementary functions such as `exp`.
    pub functions: usize,
    /// Reciprocals, which compute quotients.
    pub reciprocals: usize,
    /// Comparisons.
    pub comparisons: usize,
    /// Choices by comparisons.
    pub choices: usize,
    /// Operations on whole vectors: products with data, factorisations, networks.
    pub vectors: usize,
    /// Terms of the log densities.
    pub terms: usize,
}

impl Kinds {
    pub(super) fn of(code: &Code) -> Self {
        let mut kinds = Self::default();
        for addend in &code.addends {
            match addend {
                Addend::Sum(_) | Addend::Square { .. } | Addend::Weighted { .. } => {
                    kinds.terms += 1;
                }
                Addend::Total { .. } => kinds.vectors += 1,
            }
        }
        let segments = code.segments.iter();
        for instruction in segments.flat_map(|s| &code.instructions[s.all.clone()]) {
            let number = match instruction {
                Instruction::Sum { .. } => &mut kinds.sums,
                Instruction::Call { .. } | Instruction::Known { .. } => &mut kinds.functions,
                Instruction::Recip { .. } => &mut kinds.reciprocals,
                Instruction::Less { .. } => &mut kinds.comparisons,
                Instruction::Select { .. } => &mut kinds.choices,
                Instruction::Bulk { .. } => &mut kinds.vectors,
            };
            *number += instruction.count();
        }
        kinds
    }
}
