//! The size of a trace, for checks and results.

use bayes_autodiff::trace::Trace;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The size of a model's trace: its operations by kind, and its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceSize {
    /// Sums of multiples and products of values.
    pub sums: usize,
    /// Elementary functions such as `exp`.
    pub functions: usize,
    /// Reciprocals, which compute quotients.
    pub reciprocals: usize,
    /// Comparisons.
    pub comparisons: usize,
    /// Choices by comparisons.
    pub choices: usize,
    /// Operations on whole vectors: products with data, factorisations, networks.
    #[serde(default)]
    pub vectors: usize,
    /// Terms of the log densities.
    pub terms: usize,
    /// The parts that are replayed one after another; their inner values are computed twice and not kept.
    pub segments: usize,
    /// Values per particle that a segment keeps for later ones.
    pub carried: usize,
    /// Bytes of the trace itself, which all threads share.
    pub bytes: usize,
}

impl TraceSize {
    /// The number of operations.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.kinds().iter().map(|(number, _)| number).sum()
    }

    /// The kinds of operations, each with its number.
    fn kinds(&self) -> [(usize, &'static str); 7] {
        [
            (self.sums, "sum"),
            (self.functions, "function"),
            (self.reciprocals, "reciprocal"),
            (self.comparisons, "comparison"),
            (self.choices, "choice"),
            (self.vectors, "vector operation"),
            (self.terms, "term"),
        ]
    }
}

impl From<&Trace<'_>> for TraceSize {
    fn from(trace: &Trace) -> Self {
        let kinds = trace.kinds();
        Self {
            sums: kinds.sums,
            functions: kinds.functions,
            reciprocals: kinds.reciprocals,
            comparisons: kinds.comparisons,
            choices: kinds.choices,
            vectors: kinds.vectors,
            terms: kinds.terms,
            segments: trace.segments(),
            carried: trace.carried(),
            bytes: trace.bytes(),
        }
    }
}

/// `3 sums`, or `1 sum`.
fn counted(number: usize, name: &str) -> String {
    format!("{number} {name}{}", if number == 1 { "" } else { "s" })
}

impl fmt::Display for TraceSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let there = self.kinds().into_iter().filter(|(number, _)| *number > 0);
        let kinds: Vec<String> = there.map(|(number, name)| counted(number, name)).collect();
        write!(
            f,
            "{} ({}) in {}, {} carried, {} kB",
            counted(self.operations(), "operation"),
            kinds.join(", "),
            counted(self.segments, "segment"),
            counted(self.carried, "value"),
            self.bytes.div_ceil(1000)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::TraceSize;

    #[test]
    fn the_text_names_what_is_there() {
        let size = TraceSize {
            sums: 3,
            functions: 1,
            reciprocals: 0,
            comparisons: 0,
            choices: 0,
            vectors: 0,
            terms: 10,
            segments: 2,
            carried: 1,
            bytes: 1200,
        };
        assert_eq!(
            size.to_string(),
            "14 operations (3 sums, 1 function, 10 terms) in 2 segments, 1 value carried, 2 kB"
        );
    }
}
