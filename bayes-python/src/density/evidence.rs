//! The log evidence by two engines.

use crate::run::Run;
use bayes::comparison::{CheckedEvidence, Verdict};
use bayes::module::spoken;
use pyo3::prelude::*;

/// An estimate, its standard error and its interval of 95%; which runs are believed; and both in words.
type Together = (Option<(f64, f64, (f64, f64))>, Option<&'static str>, String);

/// What a run of tempered islands and one of nested islands say together.
#[pyfunction]
pub(crate) fn together(py: Python<'_>, tempered: &Run, nested: &Run) -> Together {
    py.detach(|| {
        let both = CheckedEvidence {
            tempered: tempered.run().clone(),
            nested: nested.run().clone(),
        };
        let estimate = both.estimate().map(|estimate| {
            let (mean, se) = (estimate.mean, estimate.se);
            (mean, se, estimate.interval(0.95))
        });
        let verdict = both.verdict().map(|verdict| match verdict {
            Verdict::Agree => "agree",
            Verdict::Tempered => "tempered",
            Verdict::Nested => "nested",
            _ => "apart",
        });
        (estimate, verdict, spoken(&both.to_string()))
    })
}
