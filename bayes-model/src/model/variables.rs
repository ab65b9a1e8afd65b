//! The variables of a model that are not random quantities: what its statements observe, generate and compute, each name once.

use super::{Statement, StatementKind};

/// The observed variables of a model: the names of its `observe` statements, each once, in the order of the source.
pub(super) fn observed_names(statements: &[Statement]) -> Vec<&'static str> {
    names_of(statements, |kind| kind == StatementKind::Observe)
}

/// The names of the quantities that are drawn after the run.
pub(super) fn generated_names(statements: &[Statement]) -> Vec<&'static str> {
    names_of(statements, StatementKind::is_drawn_after)
}

/// The quantities that are computed.
pub(super) fn computed_names(statements: &[Statement]) -> Vec<&'static str> {
    names_of(statements, |kind| kind == StatementKind::Deterministic)
}

fn names_of(
    statements: &[Statement],
    is_wanted: impl Fn(StatementKind) -> bool,
) -> Vec<&'static str> {
    let mut names = Vec::new();
    for statement in statements {
        if is_wanted(statement.kind) && !names.contains(&statement.name) {
            names.push(statement.name);
        }
    }
    names
}

/// The index of each statement's variable in [`observations`](super::observations); 0 for statements without one.
pub(super) fn places(statements: &[Statement]) -> Vec<usize> {
    let (observed, generated) = (observed_names(statements), generated_names(statements));
    let (computed, before) = (computed_names(statements), observed.len() + generated.len());
    let place = |statement: &Statement| {
        let among = |names: &[&str]| names.iter().position(|name| *name == statement.name);
        match statement.kind {
            StatementKind::Observe => among(&observed),
            StatementKind::Deterministic => among(&computed).map(|place| before + place),
            kind if kind.is_drawn_after() => among(&generated).map(|place| observed.len() + place),
            _ => None,
        }
    };
    statements.iter().map(|s| place(s).unwrap_or(0)).collect()
}
