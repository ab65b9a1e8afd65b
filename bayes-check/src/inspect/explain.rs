//! Explains a model at a position where a run had trouble.

use super::of_values;
use crate::density::{Posterior, Quantities, caught, is_lost};
use crate::error::Error;
use crate::model::{Model, StatementInfo, VariableKind, score};
use crate::text::short;
use std::collections::BTreeSet;
use std::fmt;

/// A model at an unconstrained position: the values there, and the contribution of each statement. Printing it shows both. A draw of the
/// prior that panicked was lost and has no position (each coordinate is NaN): then all fields are empty, and printing says so.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Every element of the output by its name; empty if the model stopped before the output was computed.
    pub values: Vec<(String, f64)>,
    /// The contribution of each statement, without Jacobians.
    pub terms: Vec<(StatementInfo, f64)>,
    /// For each statement whose log density is not finite, in words: the parameter that is out of range, or the first observation that
    /// makes the density non-finite.
    pub causes: Vec<(StatementInfo, String)>,
    /// The message of a panic, if the model panics at the position.
    pub panic: Option<String>,
}

/// Implements [`Inspect::explain`](super::Inspect::explain).
pub(super) fn explain<Mo: Model>(model: &Mo, position: &[f64]) -> Result<Explanation, Error> {
    let posterior = Posterior::unjudged(model)?;
    let description = posterior
        .describe()
        .unwrap_or_else(|| unreachable!("a model has a description"));
    let dim = description.layout.dim;
    let allowed = "as many numbers as the model has unconstrained coordinates";
    Error::setting(
        "position",
        format!("{} numbers for {dim}", position.len()),
        position.len() == dim,
        allowed,
    )?;
    let mut found = Explanation {
        values: Vec::new(),
        terms: Vec::new(),
        causes: Vec::new(),
        panic: None,
    };
    if is_lost(position) {
        return Ok(found);
    }
    let output = match caught(|| posterior.output(position)) {
        Ok(output) => output,
        Err(message) => {
            found.panic = Some(message);
            return Ok(found);
        }
    };
    let names = description.layout.element_names().into_iter();
    found.values = names.zip(output.iter().copied()).collect();
    let random = description.layout.variables.iter();
    let random = random.filter(|variable| variable.kind != VariableKind::Deterministic);
    let values: Vec<(&str, &[f64])> = random
        .map(|v| (v.name.as_str(), &output[v.range()]))
        .collect();
    // not `scored`, which refuses a model that runs refuse
    match caught(|| score(model, &values)) {
        Ok(scored) => {
            let statements = 0..model.statements().len();
            let statements = statements.map(|index| StatementInfo::of(model, index));
            found.terms = statements
                .zip(scored.map_err(|source| of_values(model, source))?.terms)
                .collect();
        }
        Err(message) => found.panic = Some(message),
    }
    let terms = caught(|| posterior.non_finite_terms(position, [0.0; 2])).unwrap_or_default();
    let mut told = BTreeSet::new();
    for term in terms {
        let is_first = told.insert(term.statement);
        let observed = term.observation.filter(|_| is_first);
        let observed = observed.map(|first| format!("{}, first at {first}", term.term));
        let cause = term.cause.map(|cause| cause.to_string()).or(observed);
        let statement = StatementInfo::of(model, term.statement);
        let cause = cause.map(|cause| (statement, cause));
        found.causes.extend(cause);
    }
    found.causes.dedup();
    Ok(found)
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.values {
            writeln!(f, "{name} = {}", short(*value))?;
        }
        // the model of all formulas has statements that this one does not use, and others without a density
        let has_words = self
            .terms
            .iter()
            .any(|(statement, _)| statement.words.is_some());
        for (statement, term) in &self.terms {
            if has_words && (statement.words.is_none() || *term == 0.0) {
                continue;
            }
            let term = short(*term);
            match &statement.words {
                Some(words) => writeln!(f, "{term:>10}  {words}")?,
                None => writeln!(f, "line {}: {term:>10}  {}", statement.line, statement.text)?,
            }
        }
        for (statement, cause) in &self.causes {
            match &statement.words {
                Some(words) => writeln!(f, "{words}: {cause}")?,
                None => writeln!(f, "line {}: {cause}", statement.line)?,
            }
        }
        match &self.panic {
            Some(message) => writeln!(f, "the model panics: {message}"),
            None if self.values.is_empty() && self.terms.is_empty() => {
                writeln!(
                    f,
                    "a draw of the prior that panicked was lost, so it has no position to evaluate the model at"
                )
            }
            None => Ok(()),
        }
    }
}
