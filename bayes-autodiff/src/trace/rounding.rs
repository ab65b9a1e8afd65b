//! The coordinates that a trace reads through a value that rounds.

use super::graph::{Expression, Graph};
use super::node::Id;
use super::schedule::Item;
use crate::function::{Exp, Function as _, UnitLogistic};

/// For each coordinate `u`, whether a function other than the logarithm is computed of `eᵘ`, of `1/(1 + e⁻ᵘ)`, or of a sum with one of
/// them, `[dim]`. Sums and products themselves change little where a value rounds, and comparisons not at all.
pub(super) fn read(graph: &Graph, order: &[Item]) -> Vec<bool> {
    let mut found = vec![false; graph.dim];
    for item in order {
        let Item::Value(id) = *item else { continue };
        let value = &graph.values[id as usize];
        if matches!(value, Expression::Call { .. } | Expression::Bulk { .. }) {
            value.operands(|operand| mark(graph, operand, DEEPEST, &mut found));
        }
    }
    found
}

/// Maximum depth of sums within sums in the search.
const DEEPEST: usize = 4;

/// Marks the coordinates of the transforms in a sum.
fn mark(graph: &Graph, id: Id, depth: usize, found: &mut [bool]) {
    if let Some(coordinate) = transformed(graph, id) {
        found[coordinate as usize] = true;
    }
    if let (Expression::Poly(sum), Some(depth)) = (&graph.values[id as usize], depth.checked_sub(1))
    {
        sum.operands(&mut |operand| mark(graph, operand, depth, found));
    }
}

/// The coordinate of a value that is a transform of one.
fn transformed(graph: &Graph, id: Id) -> Option<u32> {
    let Expression::Call { function, of } = graph.values[id as usize] else {
        return None;
    };
    let is_transform = function == Exp::operation() || function == UnitLogistic::operation();
    match graph.values[of[0] as usize] {
        Expression::Input(coordinate) if is_transform => Some(coordinate),
        _ => None,
    }
}
