//! Errors of formulas.

use std::fmt;
use std::ops::Range;

/// A formula that cannot be read, or that does not fit its table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    /// The formula as written.
    pub formula: String,
    /// The wrong bytes of the formula; empty if no byte is wrong.
    pub at: Range<usize>,
    /// The problem, and what to write.
    pub message: String,
}

impl std::error::Error for FormulaError {}

impl fmt::Display for FormulaError {
    /// The message, and the formula with its wrong part underlined.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  {}", self.message, self.formula)?;
        let (Some(before), Some(wrong)) = (
            self.formula.get(..self.at.start),
            self.formula.get(self.at.clone()),
        ) else {
            return Ok(());
        };
        if wrong.is_empty() {
            return Ok(());
        }
        let blanks = " ".repeat(before.chars().count());
        write!(f, "\n  {blanks}{}", "^".repeat(wrong.chars().count()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wrong_part_is_underlined() {
        let error = FormulaError {
            formula: "y ~ größe + agee".to_owned(),
            at: 14..18,
            message: "no column `agee`".to_owned(),
        };
        let lines = "no column `agee`\n  y ~ größe + agee\n              ^^^^";
        assert_eq!(error.to_string(), lines);
    }
}
