//! The statements of a model: kind and source text of each.

use crate::error::{Problem, ProblemKind};
use bayes_autodiff::fault::Fault;
use serde::{Deserialize, Serialize};

/// The kind of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// A random quantity with its prior.
    Sample,
    /// A quantity that is learnt and not sampled, with the distribution of its start.
    Param,
    /// A discrete quantity that is summed out of the likelihood, and drawn after the run.
    SumOut,
    /// Data with their distribution.
    Observe,
    /// A named quantity kept in the output.
    Deterministic,
    /// A term added to the log likelihood.
    Factor,
    /// A quantity that is drawn after the run, and is not part of the density.
    Generate,
}

impl StatementKind {
    /// Whether its terms are part of the likelihood.
    pub fn is_likelihood(self) -> bool {
        matches!(self, Self::Observe | Self::Factor | Self::SumOut)
    }

    /// Whether the quantity is drawn after the run, and is not part of a draw.
    #[must_use]
    pub fn is_drawn_after(self) -> bool {
        matches!(self, Self::Generate | Self::SumOut)
    }
}

/// A statement of a model, as the user wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The kind of the statement.
    pub kind: StatementKind,
    /// The name of the random or kept quantity, or of the observed data (`y` in `observe(y[j], ..)`).
    pub name: &'static str,
    /// The statement's text.
    pub text: &'static str,
    /// The line in the user's source file, from 1.
    pub line: u32,
}

impl Statement {
    /// Whether it observes the known values of data with gaps, or draws the missing ones.
    #[must_use]
    pub fn imputes(&self) -> bool {
        let is_either = matches!(self.kind, StatementKind::Sample | StatementKind::Observe);
        is_either && value_of(self.text).is_some_and(|value| value.starts_with("impute("))
    }

    /// Whether one of these statements imputes the data of this name.
    #[must_use]
    pub fn impute(statements: &[Self], name: &str) -> bool {
        let mut known = statements
            .iter()
            .filter(|s| s.kind == StatementKind::Observe);
        known.any(|statement| statement.name == name && statement.imputes())
    }

    /// A problem of this statement, in a model of the given source file.
    pub fn problem(&self, file: &'static str, kind: ProblemKind) -> Problem {
        if let Some(Fault::Equations { file, line, .. }) = kind.fault() {
            let (file, line) = (*file, *line);
            return Problem::of_equations((file, line), kind);
        }
        Problem {
            variable: self.name.to_owned(),
            statement: self.text.to_owned(),
            file,
            line: self.line,
            kind,
            more: 0,
            draws: None,
            hint: String::new(),
        }
    }
}

/// Where a model is that runs statement by statement.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// The statement that is being computed, or was last.
    pub(super) statement: usize,
    /// Whether it is over, so that the model is on the lines behind it.
    is_over: bool,
}

impl Place {
    /// At a statement whose parameters are computed next.
    pub(super) fn at(statement: usize) -> Self {
        Self {
            statement,
            is_over: false,
        }
    }

    /// Notes that the statement is over.
    pub(super) fn leave(&mut self) {
        self.is_over = true;
    }

    /// The statement to which a fault belongs that stops the model here, and what it is there: this one, or if it is over the next one behind the
    /// line of the fault, if that is in the source file of the model.
    pub(super) fn of_fault(
        self,
        (file, statements): (&str, &[Statement]),
        fault: Fault,
    ) -> (usize, ProblemKind) {
        if !self.is_over {
            return (self.statement, ProblemKind::Fault(fault));
        }
        // a function above the model, or in another file, has no line of the model
        let is_of_model = |(other, line): &(&str, u32)| {
            *other == file && statements.first().is_some_and(|first| first.line < *line)
        };
        let place = fault.place().filter(is_of_model);
        let next = place.and_then(|(_, line)| statements.iter().position(|s| s.line >= line));
        match next {
            Some(next) => (next, ProblemKind::Fault(fault)),
            None => (self.statement, ProblemKind::FaultBehind(fault)),
        }
    }
}

/// A statement, as stored with a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementInfo {
    /// The statement's text.
    pub text: String,
    /// The line in the model's source file.
    pub line: u32,
    /// Whether its prior is improper.
    #[serde(default)]
    pub improper: bool,
    /// What it is called in messages in place of its text and line ([`Model::in_words`](super::Model::in_words)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

/// The expression that `let name = ..` binds.
fn value_of(text: &str) -> Option<&str> {
    let (_, value) = text.strip_prefix("let ")?.split_once('=')?;
    Some(value.trim_start())
}

impl StatementInfo {
    /// The statement of a model, as its model calls it.
    pub fn of(model: &dyn super::Compiled, index: usize) -> Self {
        Self {
            words: model.in_words(index),
            ..Self::from(&model.statements()[index])
        }
    }

    /// `` `observe(y, Normal::new(mu, 1.0))` (line 12) ``, or its words.
    #[must_use]
    pub fn quoted(&self) -> String {
        let in_source = || format!("`{}` (line {})", self.text, self.line);
        self.words.clone().unwrap_or_else(in_source)
    }

    /// `line 12: observe(y, Normal::new(mu, 1.0))`, or its words.
    #[must_use]
    pub fn listed(&self) -> String {
        let in_source = || format!("line {}: {}", self.line, self.text);
        self.words.clone().unwrap_or_else(in_source)
    }

    /// Whether this is `let name = generate(..)` or `let name = sum_out(..)`, whose values are drawn after the
    /// run.
    pub fn generates(&self, name: &str) -> bool {
        let words = ["generate(", "sum_out("];
        self.value_of(name)
            .is_some_and(|value| words.iter().any(|word| value.starts_with(word)))
    }

    /// `Normal::new(0.0, 1.0))` of `let name = sample(Normal::new(0.0, 1.0))`.
    pub fn prior_of(&self, name: &str) -> Option<&str> {
        self.value_of(name)?.strip_prefix("sample(")
    }

    /// The expression that `let name = ..` binds.
    fn value_of(&self, name: &str) -> Option<&str> {
        let (pattern, _) = self.text.strip_prefix("let ")?.split_once('=')?;
        let pattern = pattern.split(':').next().unwrap_or(pattern);
        (pattern.trim() == name).then(|| value_of(&self.text))?
    }
}

impl From<&Statement> for StatementInfo {
    fn from(statement: &Statement) -> Self {
        Self {
            text: statement.text.to_owned(),
            line: statement.line,
            improper: false,
            words: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, Statement, StatementKind};
    use crate::error::ProblemKind;
    use bayes_autodiff::fault::Fault;

    const fn statement(name: &'static str, line: u32) -> Statement {
        Statement {
            kind: StatementKind::Observe,
            name,
            text: "observe(..)",
            line,
        }
    }

    fn fault(file: &'static str, line: u32) -> Fault {
        let (variable, index, extent) = ("x", "3".to_owned(), "2 elements".to_owned());
        Fault::Index {
            variable,
            index,
            extent,
            file,
            line,
        }
    }

    /// The mutations that it detects: the line of a function in another file is taken for one of the model, or shown as one.
    #[test]
    fn a_fault_of_another_file_belongs_to_no_line_of_the_model() {
        let statements = [statement("a", 10), statement("b", 20), statement("c", 30)];
        let mut place = Place::at(0);
        place.leave();
        let headed = |file, line| {
            let (k, kind) = place.of_fault(("model.rs", &statements), fault(file, line));
            let problem = statements[k].problem("model.rs", kind);
            let is_behind = matches!(problem.kind, ProblemKind::FaultBehind(_));
            (k, is_behind, problem.to_string())
        };
        let (k, is_behind, text) = headed("model.rs", 25);
        assert!(k == 2 && !is_behind, "{text}");
        assert!(text.contains("(model.rs:30): line 25: index 3"), "{text}");
        let (k, is_behind, text) = headed("model.rs", 5);
        assert!(k == 0 && is_behind, "{text}");
        let (k, is_behind, text) = headed("other.rs", 25);
        assert!(k == 0 && is_behind, "{text}");
        assert!(text.contains("statement: other.rs:25: index 3"), "{text}");
        // within a statement on the same line
        let kind = ProblemKind::Fault(fault("other.rs", 10));
        let text = statements[0].problem("model.rs", kind).to_string();
        assert!(
            text.contains("(model.rs:10): other.rs:10: index 3"),
            "{text}"
        );
    }
}
