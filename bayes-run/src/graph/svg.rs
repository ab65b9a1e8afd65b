//! A dependency graph as a picture: each node is above the nodes that use it, and each plate has its own columns.

use super::{GraphNode, ModelGraph};
use crate::model::StatementKind;
use crate::text::escaped;
use std::fmt::Write;

/// Half the width and height of a node, and the distances between the centres of nodes, in pixels.
const NODE: [f64; 2] = [66.0, 24.0];
const STEP: [f64; 2] = [156.0, 96.0];
/// The size of a box relative to the size of an ellipse.
const BOX: f64 = 0.85;
/// The distance between the nodes and the frame of a plate, and between frames.
const FRAME: f64 = 16.0;

/// The positions of all nodes and plates.
struct Layout {
    /// The centre of every node.
    centres: Vec<[f64; 2]>,
    /// Size, left and right edge, top and bottom of every plate.
    plates: Vec<(usize, [f64; 4])>,
    size: [f64; 2],
}

pub(super) fn svg(graph: &ModelGraph) -> String {
    let layout = Layout::of(graph);
    let mut text = String::new();
    // writing to a string cannot fail
    let _ = write_svg(&mut text, graph, &layout);
    text
}

/// The layer of each node, from the top: one below the lowest of the earlier nodes that it uses.
fn layers(graph: &ModelGraph) -> Vec<usize> {
    let mut layers: Vec<usize> = Vec::with_capacity(graph.nodes.len());
    for (i, node) in graph.nodes.iter().enumerate() {
        let earlier = node.parents.iter().filter(|parent| **parent < i);
        layers.push(earlier.map(|parent| layers[*parent] + 1).max().unwrap_or(0));
    }
    layers
}

/// The nodes of one size, layer by layer.
fn rows(graph: &ModelGraph, layers: &[usize], size: usize) -> Vec<Vec<usize>> {
    let depth = layers.iter().max().map_or(0, |deepest| deepest + 1);
    let mut rows = vec![Vec::new(); depth];
    for (i, node) in graph.nodes.iter().enumerate() {
        if node.size.max(1) == size {
            rows[layers[i]].push(i);
        }
    }
    rows
}

impl Layout {
    fn of(graph: &ModelGraph) -> Self {
        let layers = layers(graph);
        let depth = layers.iter().max().map_or(0, |deepest| deepest + 1);
        let y = |layer: usize| 2.0 * FRAME + NODE[1] + STEP[1] * layer as f64;
        let mut centres = vec![[0.0; 2]; graph.nodes.len()];
        let mut plates = Vec::new();
        let mut left = FRAME;
        for size in [1].into_iter().chain(graph.plates()) {
            let rows = rows(graph, &layers, size);
            let widest = rows.iter().map(Vec::len).max().unwrap_or(0);
            if widest == 0 {
                continue;
            }
            let width = STEP[0] * widest as f64;
            for (layer, row) in rows.iter().enumerate() {
                for (place, i) in row.iter().enumerate() {
                    let share = (place as f64 + 0.5) / row.len() as f64;
                    centres[*i] = [left + width * share, y(layer)];
                }
            }
            let used = |layer: &usize| !rows[*layer].is_empty();
            let (first, last) = ((0..depth).find(used), (0..depth).rfind(used));
            if let (Some(first), Some(last), true) = (first, last, size > 1) {
                let (top, bottom) = (y(first) - NODE[1] - FRAME, y(last) + NODE[1] + 1.6 * FRAME);
                plates.push((size, [left, left + width, top, bottom]));
            }
            left += width + FRAME;
        }
        let height = y(depth.saturating_sub(1)) + NODE[1] + 3.0 * FRAME;
        Self {
            centres,
            plates,
            size: [left, height],
        }
    }
}

fn write_svg(text: &mut String, graph: &ModelGraph, layout: &Layout) -> std::fmt::Result {
    let [width, height] = layout.size;
    writeln!(
        text,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" font-family="system-ui,'Segoe UI','DejaVu Sans',sans-serif" font-size="13" text-anchor="middle" fill="#1c1c1e">
<title>Dependencies of the model {}</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" fill="#6b6b70"/></marker></defs>
<rect width="{width}" height="{height}" fill="#ffffff"/>"##,
        escaped(&graph.model)
    )?;
    for (size, [left, right, top, bottom]) in &layout.plates {
        let (wide, high) = (right - left, bottom - top);
        writeln!(
            text,
            r##"<rect x="{left}" y="{top}" width="{wide}" height="{high}" rx="10" fill="none" stroke="#6b6b70"/>
<text x="{}" y="{}" font-size="12" text-anchor="end" fill="#6b6b70">{size}</text>"##,
            right - 8.0,
            bottom - 7.0
        )?;
    }
    for (i, node) in graph.nodes.iter().enumerate() {
        for parent in &node.parents {
            let ends = [*parent, i].map(|k| (layout.centres[k], is_box(&graph.nodes[k])));
            write_edge(text, ends)?;
        }
    }
    for (node, centre) in graph.nodes.iter().zip(&layout.centres) {
        write_node(text, node, *centre)?;
    }
    writeln!(text, "</svg>")
}

/// An arrow from the edge of one node to the edge of another, or a loop beside a node that uses itself.
fn write_edge(text: &mut String, ends: [([f64; 2], bool); 2]) -> std::fmt::Result {
    let [(from, _), (to, _)] = ends;
    let path = if from == to {
        let [x, y] = [from[0] - NODE[0] + 14.0, from[1]];
        let (top, low, far) = (y - 15.0, y + 15.0, x - 26.0);
        format!(
            "M{x} {top} C{far} {} {far} {} {x} {low}",
            y - 30.0,
            y + 30.0
        )
    } else {
        let [a, b] = [on_edge(ends[0], to), on_edge(ends[1], from)];
        format!("M{:.1} {:.1} L{:.1} {:.1}", a[0], a[1], b[0], b[1])
    };
    writeln!(
        text,
        r##"<path d="{path}" fill="none" stroke="#6b6b70" stroke-width="1.3" marker-end="url(#tip)"/>"##
    )
}

/// Whether a node is drawn as a box.
fn is_box(node: &GraphNode) -> bool {
    matches!(
        node.kind,
        StatementKind::Deterministic | StatementKind::Factor
    )
}

/// The point where the line from the centre of a node to another point leaves the node, an ellipse or a box.
fn on_edge((centre, is_box): ([f64; 2], bool), other: [f64; 2]) -> [f64; 2] {
    let [dx, dy] = [other[0] - centre[0], other[1] - centre[1]];
    let scale = if is_box {
        let [wide, high] = [BOX * NODE[0], BOX * NODE[1]];
        (wide / dx.abs()).min(high / dy.abs())
    } else {
        1.0 / ((dx / NODE[0]).powi(2) + (dy / NODE[1]).powi(2)).sqrt()
    };
    [centre[0] + scale * dx, centre[1] + scale * dy]
}

fn write_node(text: &mut String, node: &GraphNode, [x, y]: [f64; 2]) -> std::fmt::Result {
    let [wide, high] = NODE;
    let outline = r##"stroke="#1c1c1e" stroke-width="1.3""##;
    let ellipse = |fill: &str, more: &str| {
        format!(
            r##"<ellipse cx="{x}" cy="{y}" rx="{wide}" ry="{high}" fill="{fill}" {outline}{more}/>"##
        )
    };
    let shape = match node.kind {
        StatementKind::Sample => ellipse("#ffffff", ""),
        StatementKind::Param => ellipse("#ffffff", r#" stroke-dasharray="5 4""#),
        StatementKind::Generate => ellipse("#ffffff", r#" stroke-dasharray="1.5 3""#),
        StatementKind::SumOut => ellipse("#ffffff", r#" stroke-dasharray="8 2 2 2""#),
        StatementKind::Observe => ellipse("#d5d8dd", ""),
        StatementKind::Deterministic | StatementKind::Factor => format!(
            r##"<rect x="{}" y="{}" width="{}" height="{}" rx="3" fill="#ffffff" {outline}/>"##,
            x - BOX * wide,
            y - BOX * high,
            2.0 * BOX * wide,
            2.0 * BOX * high
        ),
    };
    let [name, below] = node.labels();
    writeln!(
        text,
        r##"{shape}
<text x="{x}" y="{}" font-weight="600">{}</text>
<text x="{x}" y="{}" font-size="11">{}</text>"##,
        y - 2.0,
        escaped(name),
        y + 13.0,
        escaped(below)
    )
}
