//! Arrays beside the columns of a table.

use crate::array::Array;
use crate::table::Table;
use bayes_core::Error;
use bayes_core::run::TableError;

impl Table {
    /// The table with an array of this name, which replaces an earlier one. Its number of rows may differ from the columns'.
    #[must_use]
    pub fn with_array(mut self, name: impl Into<String>, array: Array) -> Self {
        self.arrays.insert(name.into(), array);
        self
    }

    /// The array with this name. A program of a model (`bayes::main!`) reads it from the file of `--data NAME=FILE`.
    ///
    /// # Errors
    /// [`TableError::Array`] with the names of all arrays.
    pub fn array(&self, name: &str) -> Result<&Array, Error> {
        let found = self.arrays.get(name);
        let unknown = || TableError::Array {
            table: self.name.clone(),
            name: name.to_owned(),
            arrays: self.arrays.keys().cloned().collect(),
        };
        Ok(found.ok_or_else(unknown)?)
    }
}
