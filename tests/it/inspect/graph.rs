//! Dependencies between statements. Seen to fail with the value kept in the density (every quantity then uses itself), and with the
//! sources of a deterministic quantity instead of the quantity.

use super::{data, regression};
use bayes::inspect::GraphNode;
use bayes::model::StatementKind;
use bayes::prelude::*;

/// A level that moves step by step and is observed twice, with groups that share a scale.
#[model]
fn levels(y: &[f64], group: &[usize]) {
    let scale = sample(HalfNormal::new(1.0));
    let shift = sample(Normal::new(0.0, 1.0).iid(3));
    let mut level = Real::from(0.0);
    for t in 0..y.len() {
        let state = sample(Normal::new(level, scale));
        level = state;
        observe(y[t], StudentT::new(4.0, level + shift[group[t]], 1.0));
    }
    factor(-scale.max(0.1));
}

fn node(name: &str, distribution: &str, size: usize, parents: &[usize]) -> GraphNode {
    GraphNode {
        name: name.to_owned(),
        kind: StatementKind::Sample,
        distribution: distribution.to_owned(),
        size,
        parents: parents.to_vec(),
    }
}

fn of_kind(kind: StatementKind, node: GraphNode) -> GraphNode {
    GraphNode { kind, ..node }
}

#[test]
fn a_deterministic_quantity_stands_between_its_sources_and_its_uses() {
    let (x, y) = data();
    let graph = regression(&x, &y).graph().expect("the data fit");
    let wanted = [
        node("beta", "Normal", 2, &[]),
        node("sigma", "HalfNormal", 1, &[]),
        of_kind(StatementKind::Deterministic, node("twice", "", 1, &[1])),
        of_kind(StatementKind::Observe, node("y", "Normal", 6, &[0, 2])),
    ];
    assert_eq!(graph.nodes, wanted);
    assert_eq!(graph.plates(), [2, 6]);
    let dot = graph.dot();
    assert!(dot.starts_with("digraph \"regression\" {"), "{dot}");
    let expected = [
        "subgraph \"cluster_6\" {",
        "  0 -> 3;",
        "  1 -> 2;",
        "  2 -> 3;",
    ];
    expected
        .iter()
        .for_each(|line| assert!(dot.contains(line), "{line} in {dot}"));
    assert_eq!(dot.matches("->").count(), 3, "{dot}");
    let svg = graph.svg();
    assert_eq!(svg.matches("<ellipse").count(), 3, "{svg}");
    assert_eq!(svg.matches("marker-end").count(), 3, "{svg}");
}

#[test]
fn a_recursion_uses_itself_and_a_loop_is_a_plate() {
    let (y, group) = ([0.1, 0.4, 0.2, 0.9], [0, 2, 1, 0]);
    let graph = levels(&y, &group).graph().expect("the data fit");
    let wanted = [
        node("scale", "HalfNormal", 1, &[]),
        node("shift", "Normal", 3, &[]),
        node("state", "Normal", 4, &[0, 2]),
        of_kind(StatementKind::Observe, node("y", "StudentT", 4, &[1, 2])),
    ];
    assert_eq!(graph.nodes[..4], wanted);
    let factor = &graph.nodes[4];
    assert_eq!(
        (factor.kind, &factor.parents[..]),
        (StatementKind::Factor, &[0][..])
    );
    assert_eq!(graph.plates(), [3, 4]);
}

#[test]
fn a_model_that_does_not_fit_its_data_has_no_graph() {
    let (x, y) = data();
    let refused = regression(&x, &y[..5])
        .graph()
        .expect_err("five rows of six");
    assert!(refused.to_string().contains("`y`"), "{refused}");
}
