//! Simulated data by name, as the types that models take.

use nalgebra::DMatrix;
use std::collections::BTreeMap;

/// A data set simulated from a model, by the names of the data in its `observe` statements.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedData {
    values: BTreeMap<&'static str, Vec<f64>>,
}

impl SimulatedData {
    pub(super) fn new(values: BTreeMap<&'static str, Vec<f64>>) -> Self {
        Self { values }
    }

    /// Real data, row-major.
    ///
    /// # Panics
    /// If the model observes nothing of this name.
    #[must_use]
    pub fn reals(&self, name: &str) -> Vec<f64> {
        let names: Vec<&str> = self.values.keys().copied().collect();
        self.values
            .get(name)
            .unwrap_or_else(|| {
                panic!(
                    "the model observes no `{name}`; it observes {}",
                    names.join(", ")
                )
            })
            .clone()
    }

    /// The only number.
    ///
    /// # Panics
    /// If the model observes nothing of this name, or more than one number.
    #[must_use]
    pub fn real(&self, name: &str) -> f64 {
        let values = self.reals(name);
        assert_eq!(
            values.len(),
            1,
            "`{name}` has {} elements, not one",
            values.len()
        );
        values[0]
    }

    /// Counts.
    ///
    /// # Panics
    /// As [`SimulatedData::reals`].
    #[must_use]
    pub fn counts(&self, name: &str) -> Vec<u64> {
        self.reals(name).iter().map(|k| *k as u64).collect()
    }

    /// Categories, from 0.
    ///
    /// # Panics
    /// As [`SimulatedData::reals`].
    #[must_use]
    pub fn categories(&self, name: &str) -> Vec<usize> {
        self.reals(name).iter().map(|k| *k as usize).collect()
    }

    /// Zeros and ones.
    ///
    /// # Panics
    /// As [`SimulatedData::reals`].
    #[must_use]
    pub fn flags(&self, name: &str) -> Vec<bool> {
        self.reals(name).iter().map(|y| *y != 0.0).collect()
    }

    /// A matrix with so many columns.
    ///
    /// # Panics
    /// As [`SimulatedData::reals`], or if the rows are not full.
    #[must_use]
    pub fn matrix(&self, name: &str, columns: usize) -> DMatrix<f64> {
        let values = self.reals(name);
        let rows = values.len() / columns.max(1);
        assert_eq!(
            rows * columns,
            values.len(),
            "`{name}` has no full rows of {columns}"
        );
        DMatrix::from_row_slice(rows, columns, &values)
    }
}
