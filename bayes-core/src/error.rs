//! Every error of an inference: before sampling starts, and of questions to its result.

use crate::dist::{DataError, ParameterError};
use crate::model::GivenError;
use bayes_autodiff::fault::Fault;
use std::fmt;
use thiserror::Error;

/// Why an inference could not start, or its result not answer.
#[derive(Clone, PartialEq, Error)]
pub enum Error {
    /// A setting of the engine or kernel outside its range.
    #[error("setting `{setting}` is {value}, must be {allowed}")]
    Setting {
        /// The builder method.
        setting: &'static str,
        /// The value received.
        value: String,
        /// What it must be, in words.
        allowed: String,
    },
    /// The model does not fit its data; every problem found is listed.
    #[error("the model `{model}` cannot be run:{}", list(problems))]
    Model {
        /// The model function's name.
        model: String,
        /// What is wrong, statement by statement.
        problems: Vec<Problem>,
    },
    /// No starting point with a finite log density was found.
    #[error(
        "the model `{model}` has no finite log density at {tried} draws from its prior; last seen: {term}; \
         check that the data can occur under the prior"
    )]
    Start {
        /// The model function's name.
        model: String,
        /// Draws from the prior that were tried.
        tried: usize,
        /// The statement that was not finite at the last draw, and its value.
        term: String,
    },
    /// Values that do not fit the model that is asked about them.
    #[error("the values do not fit the model `{model}`: {source}")]
    Given {
        /// The model function's name.
        model: String,
        /// What does not fit.
        source: GivenError,
    },
    /// A model that cannot be calibrated by simulated data.
    #[error("the model `{model}` cannot be calibrated by simulation: {reason}")]
    Simulation {
        /// The model function's name.
        model: String,
        /// Why not.
        reason: String,
    },
    /// A question to a finished run that it cannot answer, so that `?` serves both in one function.
    #[error(transparent)]
    Run(#[from] crate::run::RunError),
}

/// The message itself: `main` shows what it returns by `Debug`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// `Ok` if a setting is in order, else the error that names it.
    pub(crate) fn setting(
        setting: &'static str,
        value: impl fmt::Display,
        holds: bool,
        allowed: &str,
    ) -> Result<(), Self> {
        if holds {
            return Ok(());
        }
        Err(Self::Setting {
            setting,
            value: value.to_string(),
            allowed: allowed.to_owned(),
        })
    }
}

/// One thing that is wrong with a model and its data.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The quantity's or the data's name.
    pub variable: String,
    /// The statement's text.
    pub statement: String,
    /// Source file of the model.
    pub file: &'static str,
    /// Line of the statement, from 1.
    pub line: u32,
    /// What is wrong there.
    pub kind: ProblemKind,
    /// How many more turns of the statement's loop have the like.
    pub more: usize,
    /// At which draws from the prior; `None` where it is the same at all of them, or no other draw could be looked at.
    pub draws: Option<Draws>,
    /// For what is NaN, the data arguments that contain NaN, in words; what to write instead of a parameter that a random
    /// value moves out of its range; otherwise empty.
    pub hint: String,
}

/// Draws from the prior at which something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws {
    /// How many they are.
    pub met: usize,
    /// How many were looked at.
    pub of: usize,
}

impl fmt::Display for Draws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.of {
            1 => write!(f, "a draw from the prior"),
            of => write!(f, "{} of {of} draws from the prior", self.met),
        }
    }
}

/// What can be wrong at a statement.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ProblemKind {
    /// A parameter that the distribution does not allow.
    #[error("{0}")]
    Parameter(ParameterError),
    /// Data that the distribution cannot have produced.
    #[error("{0}")]
    Data(DataError),
    /// The model stopped: shapes that do not fit, an index out of range, a panic.
    #[error("{0}")]
    Fault(Fault),
    /// A term that is NaN.
    #[error("its log density is NaN")]
    NotANumber,
    /// A prior that is no probability distribution, where one is needed.
    #[error(
        "its prior is improper, but {needed_for}; use a wide proper prior, or `Inference::nuts()`"
    )]
    Improper {
        /// What needs a proper prior for what.
        needed_for: &'static str,
    },
    /// A random value with a law that only data can have.
    #[error(
        "`sample` of a censored distribution: only data are censored; for values that cannot lie outside write \
         `.truncated(low, high)`"
    )]
    OfData,
    /// A random value with no elements.
    #[error("it has no elements; its size, or the number of turns of its loop, must be at least 1")]
    Empty,
    /// A data argument without rows, so that its `observe` never ran.
    #[error("`{argument}` has no rows, so nothing is observed")]
    NoRows {
        /// The data argument.
        argument: String,
    },
}

impl ProblemKind {
    /// Whether a NaN is what is wrong; NaN in the data, told by its own index, is not meant.
    pub(crate) fn is_nan(&self) -> bool {
        match self {
            Self::NotANumber => true,
            Self::Parameter(ParameterError::Value { value, .. }) => value.is_nan(),
            _ => false,
        }
    }
}

impl Problem {
    /// What is wrong; a fault tells its line only where it is not the statement's.
    fn reason(&self) -> String {
        match &self.kind {
            ProblemKind::Fault(fault) if fault.line() == Some(self.line) => fault.reason(),
            kind => kind.to_string(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` in `{}` ({}:{}): {}",
            self.variable,
            self.statement,
            self.file,
            self.line,
            self.reason(),
        )?;
        if self.more > 0 {
            write!(f, "; so in {} more turns of its loop", self.more)?;
        }
        if let Some(draws) = self.draws {
            write!(f, "; so at {draws}")?;
        }
        f.write_str(&self.hint)
    }
}

/// Problems that are shown in full; more of them are counted.
const SHOWN: usize = 20;

fn list(problems: &[Problem]) -> String {
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
