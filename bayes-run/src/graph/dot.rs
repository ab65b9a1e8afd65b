//! A dependency graph as text for Graphviz.

use super::{GraphNode, ModelGraph};
use crate::model::StatementKind;
use std::fmt::Write;

pub(super) fn dot(graph: &ModelGraph) -> String {
    let mut text = format!("digraph \"{}\" {{\n", escaped(&graph.model));
    // writing to a string cannot fail
    let _ = write_graph(&mut text, graph);
    text + "}\n"
}

fn write_graph(text: &mut String, graph: &ModelGraph) -> std::fmt::Result {
    let nodes = || graph.nodes.iter().enumerate();
    for (i, node) in nodes().filter(|(_, node)| node.size <= 1) {
        write_node(text, "  ", i, node)?;
    }
    for size in graph.plates() {
        writeln!(text, "  subgraph \"cluster_{size}\" {{")?;
        writeln!(
            text,
            "    label=\"{size}\"; labeljust=\"r\"; labelloc=\"b\"; style=\"rounded\";"
        )?;
        for (i, node) in nodes().filter(|(_, node)| node.size == size) {
            write_node(text, "    ", i, node)?;
        }
        writeln!(text, "  }}")?;
    }
    for (i, node) in nodes() {
        for parent in &node.parents {
            writeln!(text, "  {parent} -> {i};")?;
        }
    }
    Ok(())
}

fn write_node(text: &mut String, indent: &str, i: usize, node: &GraphNode) -> std::fmt::Result {
    let look = match node.kind {
        StatementKind::Sample => "shape=ellipse",
        StatementKind::Param => "shape=ellipse, style=dashed",
        StatementKind::Generate => "shape=ellipse, style=dotted",
        StatementKind::SumOut => "shape=ellipse, peripheries=2",
        StatementKind::Observe => "shape=ellipse, style=filled, fillcolor=lightgrey",
        StatementKind::Deterministic | StatementKind::Factor => "shape=box",
    };
    let [name, below] = node.labels().map(escaped);
    writeln!(text, "{indent}{i} [label=\"{name}\\n{below}\", {look}];")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
