//! The order of computation: every value just before its first use, so that few values are kept at a time.

use super::graph::{Expression, Graph};
use super::node::Id;

/// The next item to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Value(Id),
    /// The index of a term.
    Term(usize),
}

/// Values and terms in order; inputs and numbers are not items.
pub(super) fn schedule(graph: &Graph) -> Vec<Item> {
    let mut order = Vec::new();
    let mut done = vec![false; graph.values.len()];
    let mut operands = Vec::new();
    for index in by_first_use(graph) {
        graph.terms[index].1.operands(|id| operands.push(id));
        operands.reverse();
        visit(graph, &mut operands, &mut done, &mut order);
        order.push(Item::Term(index));
    }
    operands.extend(graph.kept.iter().rev());
    visit(graph, &mut operands, &mut done, &mut order);
    order
}

/// Terms in the order of the program: prior and likelihood alternate as in its text. The place of a term is the place of its last
/// operand.
fn by_first_use(graph: &Graph) -> Vec<usize> {
    let mut latest = Vec::with_capacity(graph.terms.len());
    for (_, term) in &graph.terms {
        let mut last = 0;
        term.operands(|id| last = last.max(id));
        latest.push(last);
    }
    let mut order: Vec<usize> = (0..graph.terms.len()).collect();
    order.sort_by_key(|index| latest[*index]);
    order
}

/// Appends the values on the stack and everything that they need.
fn visit(graph: &Graph, stack: &mut Vec<Id>, done: &mut [bool], order: &mut Vec<Item>) {
    // a value is on the stack twice: before and after its operands
    let mut pending: Vec<(Id, bool)> = stack.drain(..).map(|id| (id, false)).collect();
    while let Some((id, is_ready)) = pending.pop() {
        let value = &graph.values[id as usize];
        if done[id as usize] || matches!(value, Expression::Input(_)) || value.is_number() {
            continue;
        }
        if is_ready {
            done[id as usize] = true;
            if !matches!(value, Expression::Output { .. }) {
                order.push(Item::Value(id));
            }
            continue;
        }
        pending.push((id, true));
        let start = pending.len();
        value.operands(|operand| {
            if !done[operand as usize] {
                pending.push((operand, false));
            }
        });
        pending[start..].reverse();
    }
}
