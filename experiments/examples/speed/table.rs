//! The table: one row per claim, with the measured figure and whether the claim holds.

use super::clock::Ratio;
use serde_json::{Value, json};

/// The requirement of a claim.
#[derive(Clone, Copy, Debug)]
pub enum Promise {
    /// At least: the minimum and the goal.
    AtLeast(f64, f64),
    /// At most: the maximum and the goal.
    AtMost(f64, f64),
    /// No requirement.
    Nothing,
}

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The comparison.
    pub work: String,
    /// The measured figure; `None` if it could not be measured.
    pub found: Option<Ratio>,
    /// The claim.
    pub promise: Promise,
    /// Details in words.
    pub note: String,
}

impl Row {
    /// A row with a figure.
    pub fn new(
        work: impl Into<String>,
        found: Ratio,
        promise: Promise,
        note: impl Into<String>,
    ) -> Self {
        Self {
            work: work.into(),
            found: Some(found),
            promise,
            note: note.into(),
        }
    }

    /// A row without a figure, and the reason.
    pub fn missing(work: impl Into<String>, promise: Promise, why: impl Into<String>) -> Self {
        Self {
            work: work.into(),
            found: None,
            promise,
            note: why.into(),
        }
    }

    fn verdict(&self) -> &'static str {
        let Some(found) = self.found else {
            return "not measured";
        };
        let (bar, aim) = match self.promise {
            Promise::AtLeast(bar, aim) => (found.value >= bar, found.value >= aim),
            Promise::AtMost(bar, aim) => (found.value <= bar, found.value <= aim),
            Promise::Nothing => return "",
        };
        match (bar, aim) {
            (_, true) => "aim",
            (true, false) => "bar",
            (false, false) => "NOT MET",
        }
    }

    fn limits(&self) -> [Option<f64>; 2] {
        match self.promise {
            Promise::AtLeast(bar, aim) | Promise::AtMost(bar, aim) => [Some(bar), Some(aim)],
            Promise::Nothing => [None; 2],
        }
    }

    /// The row as text; the columns are those of [`header`].
    pub fn text(&self) -> String {
        let sign = match self.promise {
            Promise::AtLeast(..) => "≥ ",
            Promise::AtMost(..) => "≤ ",
            Promise::Nothing => "",
        };
        let limit =
            |limit: Option<f64>| limit.map_or(String::new(), |l| format!("{sign}{}", figure(l)));
        let [bar, aim] = self.limits().map(limit);
        let (found, spread) = match self.found {
            Some(found) => {
                let [low, high] = found.spread.map(figure);
                (figure(found.value), format!("{low}..{high}"))
            }
            None => (String::from("-"), String::new()),
        };
        format!(
            "{:<64} {found:>9} {spread:>19} {bar:>9} {aim:>9}  {:<12} {}",
            self.work,
            self.verdict(),
            self.note
        )
    }

    /// The row as JSON.
    pub fn json(&self) -> Value {
        let [bar, aim] = self.limits();
        json!({
            "work": self.work,
            "figure": self.found.map(|found| found.value),
            "spread": self.found.map(|found| found.spread),
            "limit": bar,
            "goal": aim,
            "verdict": self.verdict(),
            "note": self.note,
        })
    }
}

/// The names of the columns.
pub fn header() -> String {
    format!(
        "{:<64} {:>9} {:>19} {:>9} {:>9}  {:<12} note",
        "work", "figure", "quartiles", "limit", "goal", "met"
    )
}

/// Three significant digits.
fn figure(x: f64) -> String {
    match x.abs() {
        0.0 => String::from("0"),
        a if a >= 1e5 => format!("{:.0}k", x / 1e3),
        a if a >= 100.0 => format!("{x:.0}"),
        a if a >= 10.0 => format!("{x:.1}"),
        a if a >= 0.01 => format!("{x:.2}"),
        _ => format!("{x:.1e}"),
    }
}
