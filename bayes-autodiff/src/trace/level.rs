//! The order within a segment: what does not depend on one another side by side, so that equal functions become one call.

use super::graph::{Expression, Graph};
use super::node::Id;
use super::operation::Operation;
use super::schedule::Item;

/// The values among the items of a segment: first those that need none of the others, then those that need them, and so on;
/// within a level sums first, then each function by itself. `levels` is room for a number by value, all 0.
pub(super) fn by_level(graph: &Graph, items: &[Item], levels: &mut [u32]) -> Vec<Id> {
    let mut functions = Vec::new();
    let mut order = Vec::new();
    for item in items {
        let Item::Value(id) = *item else { continue };
        let value = &graph.values[id as usize];
        let mut below = 0;
        value.operands(|operand| below = below.max(levels[graph.source(operand) as usize]));
        levels[id as usize] = below + 1;
        order.push((below, rank(value, &mut functions), id));
    }
    order.iter().for_each(|(.., id)| levels[*id as usize] = 0);
    order.sort_by_key(|(level, rank, _)| (*level, *rank));
    order.into_iter().map(|(.., id)| id).collect()
}

/// The place of a value in its level: functions in the order in which they were met.
fn rank(value: &Expression, functions: &mut Vec<*const Operation>) -> usize {
    let Expression::Call { function, .. } = value else {
        return 0;
    };
    let function = std::ptr::from_ref(*function);
    let met = functions.iter().position(|other| *other == function);
    1 + met.unwrap_or_else(|| {
        functions.push(function);
        functions.len() - 1
    })
}
