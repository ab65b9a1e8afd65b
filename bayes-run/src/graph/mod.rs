//! The dependency graph of a model: which statement uses which.

mod dot;
mod record;
mod svg;

use crate::model::StatementKind;

pub use record::record;

/// The dependency graph of a model at its data: a node for each statement that ran, with the statements that it uses.
///
/// `println!("{}", graph.dot())` is text for Graphviz; `graph.svg()` is a picture. Both draw random quantities as ellipses, observed data
/// shaded, deterministic quantities and factors as boxes, and quantities of `generate` dotted. A plate surrounds the nodes of one size.
///
/// The graph is recorded at one prior draw. It does not show that a drawn whole number decides which statements run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelGraph {
    /// The model's name.
    pub model: String,
    /// The nodes, in the order of the source.
    pub nodes: Vec<GraphNode>,
}

/// A statement in a [`ModelGraph`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphNode {
    /// The name of the quantity or of the data.
    pub name: String,
    /// What the statement does.
    pub kind: StatementKind,
    /// The distribution as the source names it, such as `Normal`; empty where there is none.
    pub distribution: String,
    /// Number of elements, over all executions of the statement.
    pub size: usize,
    /// The nodes that this node uses, ascending. A node that uses itself is a recursion: in a random walk each value uses the previous
    /// one.
    pub parents: Vec<usize>,
}

impl ModelGraph {
    /// The sizes above 1 that nodes have, ascending: one plate each.
    ///
    /// Nodes of one size are drawn in one plate, as PyMC does for quantities of one shape; the source may have several loops.
    #[must_use]
    pub fn plates(&self) -> Vec<usize> {
        let mut sizes: Vec<usize> = self.nodes.iter().map(|node| node.size).collect();
        sizes.retain(|size| *size > 1);
        sizes.sort();
        sizes.dedup();
        sizes
    }

    /// Text for Graphviz: `dot -Tsvg`.
    #[must_use]
    pub fn dot(&self) -> String {
        dot::dot(self)
    }

    /// The graph as a picture.
    #[must_use]
    pub fn svg(&self) -> String {
        svg::svg(self)
    }
}

impl GraphNode {
    /// The text of the node: its name, and below it its distribution or the kind of statement.
    fn labels(&self) -> [&str; 2] {
        let below = match self.kind {
            StatementKind::Deterministic => "deterministic",
            StatementKind::Factor => "factor",
            StatementKind::Param if self.distribution.is_empty() => "param",
            StatementKind::Generate if self.distribution.is_empty() => "generate",
            StatementKind::SumOut if self.distribution.is_empty() => "summed out",
            StatementKind::Sample
            | StatementKind::Observe
            | StatementKind::Param
            | StatementKind::Generate
            | StatementKind::SumOut => &self.distribution,
        };
        [&self.name, below]
    }
}
