//! One file: its settings, its columns and its draws.

use super::TableError;
use crate::run::FileError;
use crate::run::RowUnit;
use std::collections::BTreeMap;
use std::path::Path;

/// The file of a chain.
pub(super) struct ChainFile {
    pub(super) name: String,
    /// Settings from the comment lines: `seed`, `thin`, `engine`.
    pub(super) settings: BTreeMap<String, String>,
    pub(super) columns: Vec<String>,
    /// `[draws, columns]`, without the warm-up.
    pub(super) values: Vec<f64>,
}

impl ChainFile {
    pub(super) fn read(path: &Path) -> Result<Self, TableError> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| FileError::system(path, "read", &error))?;
        let mut file = Self {
            name: path.display().to_string(),
            settings: BTreeMap::new(),
            columns: Vec::new(),
            values: Vec::new(),
        };
        for (line, text) in text.lines().enumerate() {
            let text = text.trim();
            match text.strip_prefix('#') {
                Some(comment) => file.learn(comment),
                None if text.is_empty() => {}
                None if file.columns.is_empty() => {
                    file.columns = text.split(',').map(str::to_owned).collect();
                }
                None => file.row(line + 1, text)?,
            }
        }
        if let Some(method) = file.settings.get("method")
            && method != "sample"
        {
            let reason = format!("it has no draws of MCMC: its method is `{method}`");
            return Err(file.refused(reason));
        }
        file.leave_out_warm_up();
        match file.values.is_empty() {
            true => Err(file.refused("it has no draws".to_owned())),
            false => Ok(file),
        }
    }

    /// The error for this file.
    pub(super) fn refused(&self, reason: String) -> TableError {
        TableError::Format {
            table: self.name.clone(),
            reason,
        }
    }

    /// A setting that is a whole number.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.settings.get(name)?.parse().ok()
    }

    /// Reads a setting such as `thin = 1 (Default)`; the first line with a name counts.
    fn learn(&mut self, comment: &str) {
        if let Some((name, value)) = comment.split_once('=') {
            let value = value.trim().trim_end_matches("(Default)").trim();
            let entry = self.settings.entry(name.trim().to_owned());
            entry.or_insert_with(|| value.to_owned());
        }
    }

    fn row(&mut self, line: usize, text: &str) -> Result<(), TableError> {
        let cells: Vec<&str> = text.split(',').map(str::trim).collect();
        if cells.len() != self.columns.len() {
            let (found, wanted) = (cells.len(), self.columns.len());
            return Err(self.refused(format!("line {line} has {found} of {wanted} columns")));
        }
        for (column, cell) in cells.iter().enumerate() {
            let value = cell.parse().map_err(|_| TableError::Value {
                table: self.name.clone(),
                unit: RowUnit::Line,
                line: line as u64,
                column: self.columns[column].clone(),
                found: (*cell).to_owned(),
                wanted: "a number",
            })?;
            self.values.push(value);
        }
        Ok(())
    }

    /// Drops the draws of the warm-up, which stand first if they were saved.
    fn leave_out_warm_up(&mut self) {
        let saved = self.settings.get("save_warmup").map(String::as_str);
        if !matches!(saved, Some("1" | "true")) {
            return;
        }
        let thin = self.number("thin").unwrap_or(1).max(1);
        let draws = self.number("num_warmup").unwrap_or(0).div_ceil(thin) as usize;
        let values = draws.saturating_mul(self.columns.len());
        self.values.drain(..values.min(self.values.len()));
    }
}
