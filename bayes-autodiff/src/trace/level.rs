//! The order within a segment: independent values side by side, so that equal functions become one call.

use super::graph::{Expression, Graph};
use super::node::Id;
use super::operation::Operation;
use super::schedule::Item;
use std::cmp::Reverse;

/// The values among the items of a segment, each as late as the others allow. Values for terms only, such as the logarithms of the
/// variances of a loop's iterations, stand together at the end. Within a level sums come first, then each function separately. `heights`
/// is memory for a number per value, all 0.
pub(super) fn by_level(graph: &Graph, items: &[Item], heights: &mut [u32]) -> Vec<Id> {
    let mut functions = Vec::new();
    let mut order = Vec::new();
    for item in items {
        if let Item::Value(id) = *item {
            order.push((0, rank(&graph.values[id as usize], &mut functions), id));
        }
    }
    // the number of values between each value and the end
    for (height, _, id) in order.iter_mut().rev() {
        *height = heights[*id as usize];
        graph.values[*id as usize].operands(|operand| {
            let below = &mut heights[graph.source(operand) as usize];
            *below = (*below).max(*height + 1);
        });
    }
    for (.., id) in &order {
        heights[*id as usize] = 0;
        let operands = &graph.values[*id as usize];
        operands.operands(|operand| heights[graph.source(operand) as usize] = 0);
    }
    order.sort_by_key(|(height, rank, _)| (Reverse(*height), *rank));
    order.into_iter().map(|(.., id)| id).collect()
}

/// The place of a value in its level: functions in the order of their first use.
fn rank(value: &Expression, functions: &mut Vec<&'static Operation>) -> usize {
    let Expression::Call { function, .. } = value else {
        return 0;
    };
    let met = functions.iter().position(|other| other == function);
    1 + met.unwrap_or_else(|| {
        functions.push(function);
        functions.len() - 1
    })
}
