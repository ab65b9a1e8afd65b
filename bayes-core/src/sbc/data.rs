//! Simulated data by name, in the types that models take.

use crate::model::{Model, OnData};
use nalgebra::DMatrix;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::OnceLock;

/// A data set simulated from a model, by the names of the data in its `observe` statements.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedData {
    values: BTreeMap<&'static str, Vec<f64>>,
    /// The error message of an unknown name.
    unknown: OnceLock<String>,
}

impl SimulatedData {
    pub(super) fn new(values: BTreeMap<&'static str, Vec<f64>>) -> Self {
        Self {
            values,
            unknown: OnceLock::new(),
        }
    }

    /// The error message of the first requested name that the model does not observe, if there was one.
    pub(super) fn complaint(&self) -> Option<String> {
        self.unknown.get().cloned()
    }

    /// Real data, row-major.
    ///
    /// # Panics
    /// If the model observes nothing of this name; within [`sbc`](super::sbc) it becomes an error instead.
    #[must_use]
    pub fn reals(&self, name: &str) -> Vec<f64> {
        let values = self.values.get(name);
        values.unwrap_or_else(|| self.unknown(name)).clone()
    }

    /// The model on these data in place of its own, for engines that do not care what it is called with:
    ///
    /// ```text
    /// sbc(&model, |data, seed| Inference::nuts().seed(seed).run(&data.model(&model)))
    /// ```
    ///
    /// Only its `observe` statements see them, so they must be data of this model.
    #[must_use]
    pub fn model<'m, Mo: Model>(&self, model: &'m Mo) -> OnData<'m, Mo> {
        OnData::new(model, self.values.clone())
    }

    /// Stops the simulation; [`sbc`](super::sbc) then returns the error.
    fn unknown(&self, name: &str) -> ! {
        let names: Vec<&str> = self.values.keys().copied().collect();
        let message = self.unknown.get_or_init(|| {
            format!(
                "it does not observe `{name}`; it observes `{}`",
                names.join("`, `")
            )
        });
        // without a panic message, because it becomes the error of the calibration
        resume_unwind(Box::new(message.clone()))
    }

    /// A single number.
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

    /// A matrix with this number of columns.
    ///
    /// # Panics
    /// As [`SimulatedData::reals`], or if the elements do not fill whole rows.
    #[must_use]
    pub fn matrix(&self, name: &str, columns: usize) -> DMatrix<f64> {
        let values = self.reals(name);
        let rows = values.len() / columns.max(1);
        assert_eq!(
            rows * columns,
            values.len(),
            "`{name}` does not divide into rows of {columns} elements"
        );
        DMatrix::from_row_slice(rows, columns, &values)
    }
}
