//! Differential equations of a model, in words.

use crate::text::count;
use bayes_calculus::ode::{Solution, Unknown};

/// The words about equations that are the cause of a density that is not finite.
#[doc(hidden)]
pub const UNSOLVED: &str = "do not solve the ";

/// The first of these solutions that is not within its tolerance, which may be the cause of a density that is not finite or very small:
/// in words; empty if all are exact.
#[must_use]
pub(crate) fn suspect(solutions: &[Solution]) -> String {
    let mut inexact = solutions.iter();
    let Some(found) = inexact.find(|found| found.error > found.tolerance) else {
        return String::new();
    };
    let (place, steps) = (
        place(found.file, found.line),
        count(found.steps as u64, "step"),
    );
    let remedy = match found.unknown {
        Some(unknown @ (Unknown::Start | Unknown::Rates)) => {
            return format!("of the {place} {}", words(unknown));
        }
        _ if found.is_stiff => "they are stiff, so write `.stiff()`",
        _ => "write more `.steps(..)`, or `.stop_at(..)` where their rates jump",
    };
    format!("{steps} from one stop to the next {UNSOLVED}{place}: {remedy}")
}

/// `differential equations in model.rs:12`.
pub(crate) fn place(file: &str, line: u32) -> String {
    match file {
        "" => format!("differential equations in line {line}"),
        file => format!("differential equations in {file}:{line}"),
    }
}

/// Why nobody knows how far states are off.
pub(crate) fn words(unknown: Unknown) -> String {
    match unknown {
        Unknown::Start => "the start is not finite",
        Unknown::Rates => "the rates at the start are not finite",
        Unknown::Steps => "the steps give states that are not finite",
        Unknown::Other => {
            "thousands of steps that fit their error do not solve the equations either: the solution goes to infinity, or its rates jump or \
             are not finite on the way"
        }
    }
    .to_owned()
}
