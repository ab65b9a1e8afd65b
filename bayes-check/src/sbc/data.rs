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
    /// The error message of an unknown name, or of numbers that the requested type cannot hold.
    complaint: OnceLock<String>,
}

impl SimulatedData {
    pub(super) fn new(values: BTreeMap<&'static str, Vec<f64>>) -> Self {
        Self {
            values,
            complaint: OnceLock::new(),
        }
    }

    /// The error message of the first request that failed, if any.
    pub(super) fn complaint(&self) -> Option<String> {
        self.complaint.get().cloned()
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

    /// The model with these data in place of its own, for engines that accept any arguments of the model:
    ///
    /// ```text
    /// sbc(&model, |data, seed| Inference::nuts().seed(seed).run(&data.model(&model)))
    /// ```
    ///
    /// Only its `observe` statements use the simulated data, so they must be data of this model.
    #[must_use]
    pub fn model<'m, Mo: Model>(&self, model: &'m Mo) -> OnData<'m, Mo> {
        OnData::new(model, self.values.clone())
    }

    fn unknown(&self, name: &str) -> ! {
        let names: Vec<&str> = self.values.keys().copied().collect();
        let names = names.join("`, `");
        self.complain(format!(
            "it does not observe `{name}`; it observes `{names}`"
        ))
    }

    /// The numbers as whole numbers below `limit`; `kind` says what they are.
    fn whole(&self, name: &str, kind: &str, limit: f64) -> Vec<f64> {
        let values = self.reals(name);
        let is_wrong = |value: &f64| !(*value >= 0.0 && *value < limit);
        if let Some(at) = values.iter().position(is_wrong) {
            let value = values[at];
            self.complain(format!(
                "the simulated `{name}[{at}]` is {value}, which is no {kind} below {limit:.4e}; the prior allows parameters of its distribution \
                 that are too large or not finite: choose a narrower prior"
            ));
        }
        values
    }

    /// Stops the simulation; [`sbc`](super::sbc) then returns the error.
    fn complain(&self, message: String) -> ! {
        let message = self.complaint.get_or_init(|| message);
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
    /// As in [`SimulatedData::reals`]; also if a number is NaN, below 0, or does not fit into a `u64`.
    #[must_use]
    pub fn counts(&self, name: &str) -> Vec<u64> {
        let counts = self.whole(name, "count", u64::MAX as f64);
        counts.iter().map(|k| *k as u64).collect()
    }

    /// Categories, from 0.
    ///
    /// # Panics
    /// As in [`SimulatedData::reals`]; also if a number is NaN, below 0, or does not fit into a `usize`.
    #[must_use]
    pub fn categories(&self, name: &str) -> Vec<usize> {
        let categories = self.whole(name, "category", usize::MAX as f64);
        categories.iter().map(|k| *k as usize).collect()
    }

    /// Zeros and ones.
    ///
    /// # Panics
    /// As in [`SimulatedData::reals`]; also if a number is NaN, below 0, or not below 2.
    #[must_use]
    pub fn flags(&self, name: &str) -> Vec<bool> {
        let flags = self.whole(name, "flag", 2.0);
        flags.iter().map(|y| *y != 0.0).collect()
    }

    /// A matrix with this number of columns.
    ///
    /// # Panics
    /// As in [`SimulatedData::reals`], or if the elements do not fill whole rows.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn data(values: &[f64]) -> SimulatedData {
        SimulatedData::new(BTreeMap::from([("y", values.to_vec())]))
    }

    #[test]
    fn whole_numbers_keep_their_values() {
        let whole = data(&[0.0, 1.0]);
        assert_eq!(whole.counts("y"), [0, 1]);
        assert_eq!(whole.categories("y"), [0, 1]);
        assert_eq!(whole.flags("y"), [false, true]);
        assert_eq!(data(&[2f64.powi(63)]).counts("y"), [1 << 63]);
        assert_eq!(whole.complaint(), None);
    }

    /// Mutation seen: a cast, which turns NaN into the count 0 and the flag true, and 1e30 into the
    /// largest `u64`.
    #[test]
    fn numbers_that_are_no_counts_are_an_error() {
        let wrong = |value: f64, take: fn(&SimulatedData)| {
            let data = data(&[3.0, value]);
            assert!(catch_unwind(AssertUnwindSafe(|| take(&data))).is_err());
            data.complaint().unwrap_or_default()
        };
        let counts = |data: &SimulatedData| drop(data.counts("y"));
        assert_eq!(
            wrong(f64::NAN, counts),
            "the simulated `y[1]` is NaN, which is no count below 1.8447e19; the prior allows parameters of its distribution that are too large or \
             not finite: choose a narrower prior"
        );
        assert!(wrong(2f64.powi(64), counts).contains("no count"));
        assert!(wrong(f64::NAN, |data| drop(data.categories("y"))).contains("no category"));
        assert!(
            wrong(f64::NAN, |data| drop(data.flags("y"))).contains("`y[0]` is 3, which is no flag")
        );
    }
}
