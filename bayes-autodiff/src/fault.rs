//! Faults inside model code: mismatched shapes, indices out of range.
//!
//! A model is validated at a few prior draws before sampling. A fault in this validation becomes a typed error;
//! elsewhere it is an ordinary panic with the same text.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The reason why model code stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Two mismatched shapes, with the operation in words.
    Shape {
        /// For example `matrix 690 x 15 times vector of length 14`.
        operation: String,
    },
    /// Two vectors of different lengths in an operation on their elements.
    Lengths {
        /// For example `vector of length 3 times vector of length 4`.
        operation: String,
        /// The source file of the operator, of the model or of a function that it calls.
        file: &'static str,
        /// The line in the source file at which the operation begins.
        line: u32,
        /// Its column, from 1.
        column: u32,
    },
    /// An index outside a data argument.
    Index {
        /// The argument as written, for example `sigma`.
        variable: &'static str,
        /// The index as given.
        index: String,
        /// The extent of the argument.
        extent: String,
        /// The source file, of the model or of a function that it calls.
        file: &'static str,
        /// The line in the source file.
        line: u32,
    },
    /// An argument of a function outside its allowed values.
    Argument {
        /// The function, for example `Horseshoe::new`.
        function: &'static str,
        /// The argument's name.
        argument: &'static str,
        /// The value received.
        value: String,
        /// The allowed values, in words.
        allowed: &'static str,
    },
    /// A quantity that cannot be summed out.
    Sum {
        /// The reason in words, and the remedy.
        reason: String,
    },
    /// Differential equations that cannot be solved.
    Equations {
        /// Why, in words.
        reason: String,
        /// The source file of `ode`, of the model or of a function that it calls.
        file: &'static str,
        /// The line of `ode` in the source file.
        line: u32,
    },
    /// Any other panic, with its message.
    Panic {
        /// The message of the panic.
        message: String,
    },
}

impl Fault {
    /// The source file and the line in it, if they are known.
    #[must_use]
    pub fn place(&self) -> Option<(&'static str, u32)> {
        match self {
            Self::Index { file, line, .. }
            | Self::Equations { file, line, .. }
            | Self::Lengths { file, line, .. } => Some((file, *line)),
            Self::Shape { .. } | Self::Argument { .. } | Self::Sum { .. } | Self::Panic { .. } => {
                None
            }
        }
    }

    /// The problem, without the line.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Shape { operation } => format!("shapes do not fit: {operation}"),
            Self::Lengths {
                operation,
                file,
                line,
                column,
            } => format!("shapes do not fit: {operation}, at {file}:{line}:{column}"),
            Self::Index {
                variable,
                index,
                extent,
                ..
            } => format!("index {index} is out of range for `{variable}`, which has {extent}"),
            Self::Argument {
                function,
                argument,
                value,
                allowed,
            } => format!("{function}: argument `{argument}` is {value}, must be {allowed}"),
            Self::Sum { reason } => reason.clone(),
            Self::Equations { reason, .. } => format!("`ode`: {reason}"),
            Self::Panic { message } => format!("the model panicked: {message}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // the reason of lengths has its place, which may be in a function in another file
        let place = self.place();
        if let Some((_, line)) = place.filter(|_| !matches!(self, Self::Lengths { .. })) {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.reason())
    }
}

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Stops the model with `fault`.
///
/// # Panics
/// Always. Under [`catch`] the unwinding is silent and carries the fault; elsewhere it is a panic
/// with the fault's text.
pub fn raise(fault: Fault) -> ! {
    if CATCHING.get() {
        resume_unwind(Box::new(fault));
    }
    panic!("{fault}");
}

/// Ends the evaluation because an argument of a function has a value that is not allowed.
///
/// # Panics
/// Always, with the fault as its payload.
#[cold]
#[inline(never)]
pub fn refuse(
    function: &'static str,
    argument: &'static str,
    value: impl std::fmt::Display,
    allowed: &'static str,
) -> ! {
    raise(Fault::Argument {
        function,
        argument,
        value: value.to_string(),
        allowed,
    })
}

/// Whether this thread runs under [`catch`], as a model does while it is validated.
#[must_use]
pub fn is_caught() -> bool {
    CATCHING.get()
}

/// Runs `body`, turning a fault or a panic inside it into an error.
///
/// # Errors
/// The fault that stopped `body`.
pub fn catch<T>(body: impl FnOnce() -> T) -> Result<T, Fault> {
    let before = CATCHING.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(body));
    CATCHING.set(before);
    outcome.map_err(fault_of)
}

fn fault_of(payload: Box<dyn Any + Send>) -> Fault {
    match payload.downcast::<Fault>() {
        Ok(fault) => *fault,
        Err(other) => Fault::Panic {
            message: panic_message(other.as_ref()),
        },
    }
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without a message".to_owned()
    }
}
