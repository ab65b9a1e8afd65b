//! Problems of a model with its data, statement by statement.

use super::{DataError, ParameterError};
use bayes_autodiff::fault::Fault;
use std::fmt;
use thiserror::Error;

/// One problem of a model with its data.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The quantity's or the data's name; `ode` for differential equations.
    pub variable: String,
    /// The statement's text; empty for differential equations, which are no statement.
    pub statement: String,
    /// Source file of the model, or of the call of `ode`.
    pub file: &'static str,
    /// Line of the statement or of the call, from 1.
    pub line: u32,
    /// The problem.
    pub kind: ProblemKind,
    /// Number of further iterations of the statement's loop with a similar problem.
    pub more: usize,
    /// The number of prior draws with the problem; `None` if it is the same at all of them, or only one draw could be
    /// evaluated.
    pub draws: Option<PriorDraws>,
    /// For a NaN: the data arguments that contain NaN, in words. For a parameter that leaves its range at some prior
    /// draws: the replacement to write. Otherwise empty.
    pub hint: String,
}

/// The number of prior draws with a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriorDraws {
    /// Draws with the problem.
    pub met: usize,
    /// Draws that were evaluated.
    pub of: usize,
}

impl fmt::Display for PriorDraws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.of {
            1 => write!(f, "a prior draw"),
            of => write!(f, "{} of {of} prior draws", self.met),
        }
    }
}

/// The kind of problem at a statement.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ProblemKind {
    /// A parameter that the distribution does not allow.
    #[error("{0}")]
    InvalidParameter(ParameterError),
    /// Data that the distribution cannot have produced.
    #[error("{0}")]
    InvalidData(DataError),
    /// The model stopped: mismatched shapes, an index out of range, or a panic.
    #[error("{0}")]
    Fault(Fault),
    /// A fault after the statement and before the next one.
    #[error("after it, before the next statement: {0}")]
    FaultBehind(Fault),
    /// A term that is NaN.
    #[error("its log density is NaN")]
    NotANumber,
    /// An improper prior where a proper one is needed.
    #[error(
        "its prior is improper, but {needed_for}; use a proper prior (it may be wide), or `Inference::nuts()`"
    )]
    Improper {
        /// What needs a proper prior, in words.
        needed_for: &'static str,
    },
    /// A prior without its normaliser where a proper one is needed.
    #[error(
        "its density is not normalised, but {needed_for}; {instead}, or use `Inference::nuts()`"
    )]
    Unnormalised {
        /// What needs a proper prior, in words.
        needed_for: &'static str,
        /// What to write instead.
        instead: &'static str,
    },
    /// Data under a density without its normaliser.
    #[error(
        "its density is not normalised, so that its likelihood would lack a term in the parameters; {instead}"
    )]
    UnnormalisedData {
        /// What to write instead.
        instead: &'static str,
    },
    /// A param, which has no prior draws.
    #[error(
        "it is a param, which has no prior to draw from; fix it at a fit, `model.with_params(&values)?`"
    )]
    Param,
    /// A random value from a distribution that only data can have.
    #[error(
        "cannot sample from a censored distribution: censoring applies to data; to restrict a parameter to an interval \
         write `.truncated(low, high)`"
    )]
    OfData,
    /// A random value without elements, in a model whose random values all have none.
    #[error(
        "it has no elements, and neither has any other random quantity, so there is nothing to sample; its size, or the number of turns of its \
         loop, must be at least 1"
    )]
    Empty,
    /// A statement whose operations differ between prior draws.
    #[error(
        "here, or on the lines before the next statement, the model does other operations at one prior draw than at another, which \
         no branch of the model itself explains; its operations are recorded once for all particles, so a function that it calls must not branch on random \
         values, on a clock, or on anything that changes from call to call; choose by value with `Real::select`"
    )]
    Differs,
    /// A statement whose result differs between two runs at the same values of all random quantities.
    #[error(
        "here, or on the lines before it, the model is not the same at the same values: it reads a clock, a counter or random numbers of \
         its own, or data that change while it runs; give it such values as arguments, once for the whole run"
    )]
    Changes,
    /// A statement that uses a value of `generate`.
    #[error(
        "it depends on what a `generate` statement draws, which exists after the run only; use such values in `generate` alone, or compute \
         with the draws that `run.predict(&model)?` gives"
    )]
    Generated,
    /// Names of dimensions that do not fit.
    #[error("its `#[dims(..)]` do not fit: {reason}")]
    Dims {
        /// Why, in words.
        reason: String,
    },
    /// A data argument without rows, so that its `observe` never ran.
    #[error("`{argument}` has no rows, so nothing is observed")]
    NoRows {
        /// The data argument.
        argument: String,
    },
}

impl ProblemKind {
    /// A prior that is not proper; `instead` is what to write if its density lacks a normaliser.
    #[doc(hidden)]
    #[must_use]
    pub fn improper(needed_for: &'static str, instead: Option<&'static str>) -> Self {
        match instead {
            Some(instead) => Self::Unnormalised {
                needed_for,
                instead,
            },
            None => Self::Improper { needed_for },
        }
    }

    /// The fault, if it is one.
    #[doc(hidden)]
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Fault(fault) | Self::FaultBehind(fault) => Some(fault),
            _ => None,
        }
    }

    /// Whether the problem is a computed NaN; NaN in the data is a separate error.
    #[doc(hidden)]
    #[must_use]
    pub fn is_nan(&self) -> bool {
        match self {
            Self::NotANumber => true,
            Self::InvalidParameter(ParameterError::Value { value, .. }) => value.is_nan(),
            _ => false,
        }
    }
}

impl Problem {
    /// Differential equations that cannot be solved, at the place of their call.
    #[doc(hidden)]
    #[must_use]
    pub fn of_equations((file, line): (&'static str, u32), kind: ProblemKind) -> Self {
        let kind = match kind {
            // the statement before the call has nothing to do with it
            ProblemKind::FaultBehind(fault) => ProblemKind::Fault(fault),
            other => other,
        };
        Self {
            variable: EQUATIONS.to_owned(),
            statement: String::new(),
            file,
            line,
            kind,
            more: 0,
            draws: None,
            hint: String::new(),
        }
    }

    /// The problem in words. The line of a fault is repeated only where it differs from the statement's, with the file if that differs.
    fn reason(&self) -> String {
        let kind = self.kind.to_string();
        let place = self.kind.fault().and_then(Fault::place);
        let Some((file, line)) = place else {
            return kind;
        };
        // as `Fault` shows its line
        let shown = format!("line {line}: ");
        match &self.kind {
            ProblemKind::Fault(Fault::Equations { reason, .. }) => reason.clone(),
            _ if file != self.file => kind.replacen(&shown, &format!("{file}:{line}: "), 1),
            ProblemKind::Fault(fault) if line == self.line => fault.reason(),
            _ => kind,
        }
    }

    /// Where else the problem occurs, in parentheses: in more iterations of its loop, at some of the prior draws.
    fn repeats(&self) -> String {
        let iterations = match self.more {
            0 => None,
            1 => Some("and in 1 more iteration".to_owned()),
            more => Some(format!("and in {more} more iterations")),
        };
        let draws = self.draws.map(|draws| format!("at {draws}"));
        let places: Vec<String> = iterations.into_iter().chain(draws).collect();
        if places.is_empty() {
            return String::new();
        }
        format!(" ({})", places.join("; "))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.variable)?;
        if !self.statement.is_empty() {
            write!(f, " in `{}`", self.statement)?;
        }
        write!(f, " ({}:{}): {}", self.file, self.line, self.reason())?;
        f.write_str(&self.repeats())?;
        f.write_str(&self.hint)
    }
}

/// What differential equations are called.
const EQUATIONS: &str = "ode";

/// Number of problems shown in full; the others are counted.
const SHOWN: usize = 20;

pub(super) fn list(problems: &[Problem]) -> String {
    let mut lines: String = problems
        .iter()
        .take(SHOWN)
        .map(|p| format!("\n  - {p}"))
        .collect();
    if problems.len() > SHOWN {
        lines += &format!("\n  - and {} more", problems.len() - SHOWN);
    }
    lines
}
