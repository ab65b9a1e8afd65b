//! Parts of models written by hand, for tests.

use super::{Statement, StatementKind};

/// A statement whose text is its name.
#[must_use]
pub const fn statement(kind: StatementKind, name: &'static str) -> Statement {
    Statement {
        kind,
        name,
        text: name,
        line: 1,
    }
}
