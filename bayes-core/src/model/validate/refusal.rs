//! Which problems reject a model, and which may be floating-point effects at an extreme draw.

use super::look::{Complaint, Found};
use crate::dist::{DataError, ParameterError};
use crate::error::ProblemKind;

/// A parameter closer to 0 or 1 than this may have been rounded to the boundary of its range.
const ROUNDING: f64 = 1e-6;

/// Whether a problem may be a floating-point effect at an extreme draw and not a mistake.
fn is_numerical(kind: &ProblemKind) -> bool {
    match kind {
        ProblemKind::NotANumber => true,
        ProblemKind::InvalidParameter(ParameterError::Value { value, .. }) => {
            !value.is_finite() || value.abs() < ROUNDING || (value - 1.0).abs() < ROUNDING
        }
        _ => false,
    }
}

/// Whether two problems of one statement differ only by index and value.
pub(super) fn alike(a: &ProblemKind, b: &ProblemKind) -> bool {
    use ParameterError::Value;
    match (a, b) {
        (
            ProblemKind::InvalidParameter(Value { parameter: a, .. }),
            ProblemKind::InvalidParameter(Value { parameter: b, .. }),
        ) => a == b,
        (
            ProblemKind::InvalidData(DataError::Value { .. }),
            ProblemKind::InvalidData(DataError::Value { .. }),
        ) => true,
        (a, b) => a == b,
    }
}

impl Found {
    /// Whether a problem at this draw is a mistake, or a numerical problem that half of all draws have.
    pub(super) fn is_refused(&self, looks: &[Self]) -> bool {
        self.problems.iter().any(|complaint| {
            let such = looks
                .iter()
                .filter(|found| found.problem_like(complaint).is_some());
            !is_numerical(&complaint.kind) || 2 * such.count() >= looks.len()
        })
    }

    /// The first problem of the same statement of the same kind.
    pub(super) fn problem_like(&self, complaint: &Complaint) -> Option<&Complaint> {
        self.problems.iter().find(|other| {
            other.statement == complaint.statement && alike(&other.kind, &complaint.kind)
        })
    }
}
