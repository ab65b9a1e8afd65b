//! Errors of queries to a run.

use super::FileError;
use crate::text::{count, quantity};
use std::fmt;
use thiserror::Error;

/// A query that a run cannot answer.
#[derive(Clone, PartialEq, Error)]
pub enum RunError {
    /// A name that no quantity has.
    #[error("no quantity is called `{name}`{}; the model has {}", hint(suggestion.as_deref()), list(names))]
    UnknownName {
        /// The name received.
        name: String,
        /// The names that exist, in the order of the model.
        names: Vec<String>,
        /// The name that was probably meant.
        suggestion: Option<String>,
    },
    /// A quantity of `generate`, which is not part of the run.
    #[error("`{name}` is drawn after the run: `run.predict(&model)?.draws(\"{name}\")?`")]
    Generated {
        /// The name received.
        name: String,
    },
    /// A relabelling whose draws and key differ in size. Each size is a number of draws and a number of
    /// elements.
    #[error(
        "{} of {} cannot be relabelled by {} of {}",
        count(draws[0] as u64, "draw"),
        count(draws[1] as u64, "element"),
        count(key[0] as u64, "draw"),
        count(key[1] as u64, "element")
    )]
    Relabelled {
        /// Size of the draws to reorder.
        draws: [usize; 2],
        /// Size of the key.
        key: [usize; 2],
    },
    /// Draws that were made from another run.
    #[error(
        "{} do not belong to this run, which has {}",
        count(*found as u64, "draw"),
        count(*wanted as u64, "draw")
    )]
    OtherDraws {
        /// Number of these draws.
        found: usize,
        /// Number of draws of the run.
        wanted: usize,
    },
    /// A quantity whose components cannot be put in the order of another's.
    #[error("`{name}` cannot be relabelled by `{key}`: {reason}")]
    Components {
        /// The quantity.
        name: String,
        /// The quantity whose order was requested.
        key: String,
        /// What does not fit.
        reason: String,
    },
    /// Names of dimensions that do not fit a quantity.
    #[error("the dimensions of `{name}` cannot be named: {reason}")]
    Dims {
        /// The quantity.
        name: String,
        /// What does not fit.
        reason: String,
    },
    /// A probability outside 0 to 1.
    #[error("a quantile needs a probability between 0 and 1, got {value}")]
    Probability {
        /// The value received.
        value: f64,
    },
    /// Text that is not a run in JSON.
    #[error("this text is not a run in JSON: {message}")]
    Json {
        /// The JSON parser's message, with line and column.
        message: String,
    },
    /// A file that cannot be written, or that does not hold a run.
    #[error(transparent)]
    File(#[from] FileError),
    /// A run that another version of the library saved.
    #[error(
        "this run of `{model}` was saved in format {found} by bayes {version}, but bayes {} reads format {reads}; read it with that version, \
         or run the model again", env!("CARGO_PKG_VERSION")
    )]
    Format {
        /// The model's name.
        model: String,
        /// The format of the file; format 1 has no number.
        found: u32,
        /// The version that wrote it, in words if it is unknown.
        version: String,
        /// The format that this version reads.
        reads: u32,
    },
    /// Runs that are not parts of one run.
    #[error("the runs cannot be merged: {reason}")]
    Merge {
        /// Why they are not.
        reason: String,
    },
    /// A list of a group without one entry, or one row, per draw.
    #[error("group {group}: `{list}` has {found} numbers, must have {wanted}")]
    Length {
        /// Index of the island or chain.
        group: usize,
        /// The field.
        list: &'static str,
        /// Numbers it has.
        found: usize,
        /// Numbers it must have.
        wanted: usize,
    },
    /// A number or a list that no engine writes.
    #[error("group {group}: `{field}` is {found}, must be {allowed}")]
    Value {
        /// Index of the island or chain.
        group: usize,
        /// The field.
        field: &'static str,
        /// The value, in words.
        found: String,
        /// The allowed values.
        allowed: String,
    },
    /// An island without evidence.
    #[error("group {group} has no log evidence, but the run is one of islands")]
    Evidence {
        /// Index of the island.
        group: usize,
    },
    /// A group of another kind than its run.
    #[error("group {group} belongs to a run of {found}, but the run is one of {wanted}")]
    Kind {
        /// Index of the group.
        group: usize,
        /// The kind of the group, in words.
        found: &'static str,
        /// The kind of the run, in words.
        wanted: &'static str,
    },
    /// Draws that do not come from a Gaussian approximation.
    #[error(
        "the draws of `{engine}` do not come from a Gaussian approximation, so they have no importance weights"
    )]
    NoApproximation {
        /// The engine that made them.
        engine: String,
    },
    /// Draws that cannot be cut into rows.
    #[error(
        "group {group} holds {values} values, which is not a whole number of draws of {elements} values"
    )]
    Ragged {
        /// Index of the island or chain.
        group: usize,
        /// Values it holds.
        values: usize,
        /// Values of one draw.
        elements: usize,
    },
    /// A group without draws of quantities that the layout names.
    #[error("group {group} has no draws")]
    NoDraws {
        /// Index of the island or chain.
        group: usize,
    },
    /// Neither islands nor chains.
    #[error("the run has no islands and no chains")]
    NoGroups,
    /// A quantity that does not begin where the one before it ends.
    #[error("`{name}` begins at value {offset} of a draw, must be {allowed}")]
    Layout {
        /// The quantity.
        name: String,
        /// Its offset in the layout.
        offset: usize,
        /// The allowed offset.
        allowed: String,
    },
}

/// Shows the message itself, because `main` prints the returned error by `Debug`.
impl fmt::Debug for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl RunError {
    /// The error for `name`, with the closest of `names` as suggestion.
    #[must_use]
    pub fn unknown_name(name: &str, names: Vec<String>) -> Self {
        let suggestion = closest(name, &names);
        Self::UnknownName {
            name: name.to_owned(),
            names,
            suggestion,
        }
    }
}

pub(super) fn hint(suggestion: Option<&str>) -> String {
    suggestion
        .map(|s| format!(", did you mean `{s}`?"))
        .unwrap_or_default()
}

pub(super) fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "no quantities".to_owned();
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// The closest name, if at most half of its letters differ from `wanted`. An index (`beta[3]`) is
/// ignored.
pub(super) fn closest(wanted: &str, names: &[String]) -> Option<String> {
    let stem = quantity(wanted).to_lowercase();
    names
        .iter()
        .map(|name| (edit_distance(&stem, &name.to_lowercase()), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, name)| 2 * distance <= name.chars().count())
        .map(|(_, name)| name.clone())
}

/// The number of letters in which two words differ (Levenshtein distance), one row of the table at a
/// time.
#[must_use]
pub fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["mu", "tau", "sigma"].map(str::to_owned).to_vec()
    }

    #[test]
    fn a_misspelt_name_is_answered_with_the_one_meant() {
        assert_eq!(
            RunError::unknown_name("simga", names()).to_string(),
            "no quantity is called `simga`, did you mean `sigma`?; the model has `mu`, `tau`, `sigma`"
        );
        let RunError::UnknownName { suggestion, .. } = RunError::unknown_name("Tau[3]", names())
        else {
            panic!("another variant");
        };
        assert_eq!(suggestion.as_deref(), Some("tau"));
    }

    #[test]
    fn a_name_unlike_all_others_gets_the_list_alone() {
        assert_eq!(
            RunError::unknown_name("weights", names()).to_string(),
            "no quantity is called `weights`; the model has `mu`, `tau`, `sigma`"
        );
        assert_eq!(
            RunError::unknown_name("x", Vec::new()).to_string(),
            "no quantity is called `x`; the model has no quantities"
        );
    }

    #[test]
    fn edit_distance_counts_insertions_deletions_and_substitutions() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("abc", "abc"), 0);
    }

    #[test]
    fn the_other_texts_name_the_value_received() {
        assert_eq!(
            RunError::Probability { value: 1.5 }.to_string(),
            "a quantile needs a probability between 0 and 1, got 1.5"
        );
        assert_eq!(
            RunError::Ragged {
                group: 2,
                values: 7,
                elements: 3
            }
            .to_string(),
            "group 2 holds 7 values, which is not a whole number of draws of 3 values"
        );
        assert_eq!(
            RunError::NoDraws { group: 2 }.to_string(),
            "group 2 has no draws"
        );
    }
}
