//! Decides which problems reject a model, and which may be floating-point effects at an extreme draw.

use super::look::{Complaint, Found, look_near_zero};
use crate::dist::{DataError, ParameterError};
use crate::error::ProblemKind;
use crate::model::Compiled;

/// Number of points near 0 at which a model is validated if its prior draws refuse it.
const NEAR: usize = 4;

/// A parameter closer to 0 or 1 than this may have been rounded to the boundary of its range.
const ROUNDING: f64 = 1e-6;

/// Whether a problem may be a floating-point effect at an extreme draw instead of a mistake.
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

/// The verdict of a model's prior draws, with the index of a draw that has a problem.
pub(super) enum Verdict {
    Accepted,
    /// Half of the draws have a numerical problem, but points near 0 do not: chains can start there, as Stan's do. This happens under a
    /// vague prior if a number overflows, such as `exp(x)` under `x ~ Normal(0, 1000)`.
    NearZeroAlone(usize),
    Refused(usize),
}

pub(super) fn judge(model: &dyn Compiled, looks: &[Found]) -> Verdict {
    let Some(draw) = looks.iter().position(|found| found.is_refused(looks)) else {
        return Verdict::Accepted;
    };
    if looks.iter().any(Found::is_mistaken) {
        return Verdict::Refused(draw);
    }
    let near: Vec<Found> = (0..NEAR).map(|i| look_near_zero(model, i)).collect();
    match near.iter().any(|found| found.is_refused(&near)) {
        true => Verdict::Refused(draw),
        false => Verdict::NearZeroAlone(draw),
    }
}

impl Found {
    /// Whether some problem is a mistake at any point.
    fn is_mistaken(&self) -> bool {
        let mut problems = self.problems.iter();
        problems.any(|complaint| !is_numerical(&complaint.kind))
    }

    /// Whether a problem at this draw is a mistake, or a numerical problem that half of all draws have.
    fn is_refused(&self, looks: &[Self]) -> bool {
        self.is_mistaken()
            || self.problems.iter().any(|complaint| {
                let such = looks
                    .iter()
                    .filter(|found| found.problem_like(complaint).is_some());
                2 * such.count() >= looks.len()
            })
    }

    /// The first problem of the same statement and the same kind.
    pub(super) fn problem_like(&self, complaint: &Complaint) -> Option<&Complaint> {
        self.problems.iter().find(|other| {
            other.statement == complaint.statement && alike(&other.kind, &complaint.kind)
        })
    }
}
