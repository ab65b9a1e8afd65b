//! The model of some rows.

use super::outline::Outline;
use super::{RowCount, Rows, RowsError, count, error_of};
use crate::error::Error;
use crate::model::fingerprint::Fingerprint;
use crate::model::{
    AllSampled, DataArgument, Differentiable, GaussianPrior, GaussianReference, Interpreter, Model,
    StatementDims,
};
use bayes_autodiff::Mode;
use std::fmt;

/// A model with some of its rows, in any order, repeats allowed: the prior of the whole model, the likelihood of these
/// rows.
///
/// It keeps a copy of its rows, and [`select`](Self::select) replaces them. It has rows itself: a subset of a subset
/// counts from the first row of the inner subset.
pub struct Subset<'m, Mo: Rows> {
    model: &'m Mo,
    /// Number of rows of the model.
    total: usize,
    rows: Vec<usize>,
    data: Mo::Data,
}

impl<'m, Mo: Rows> Subset<'m, Mo> {
    /// The model of these rows.
    ///
    /// This function does not check that the random values equal the whole model's; [`Model::subset`] does.
    ///
    /// # Errors
    /// [`Error::Rows`] if a row is out of range, or if data have different numbers of rows.
    pub fn new(model: &'m Mo, rows: &[usize]) -> Result<Self, Error> {
        let total = count(model)?.unwrap_or(0);
        in_range(model, rows, total)?;
        Ok(Self {
            model,
            total,
            rows: rows.to_vec(),
            data: model.gather(rows),
        })
    }

    /// Selects other rows, in the same memory if their number allows it.
    ///
    /// # Errors
    /// [`Error::Rows`] if a row is out of range; the subset stays as it was.
    pub fn select(&mut self, rows: &[usize]) -> Result<(), Error> {
        in_range(self.model, rows, self.total)?;
        self.rows.clear();
        self.rows.extend_from_slice(rows);
        self.model.refill(rows, &mut self.data);
        Ok(())
    }

    /// The indices of the rows.
    #[must_use]
    pub fn indices(&self) -> &[usize] {
        &self.rows
    }

    /// Number of rows of the whole model.
    pub(super) fn total(&self) -> usize {
        self.total
    }

    /// Whether both belong to the same model.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        std::ptr::eq(self.model, other.model)
    }

    /// The model of all other rows, in ascending order: the training set if this subset is held out.
    #[must_use]
    pub fn complement(&self) -> Self {
        let mut is_here = vec![false; self.total];
        self.rows.iter().for_each(|row| is_here[*row] = true);
        let rows: Vec<usize> = (0..self.total).filter(|row| !is_here[*row]).collect();
        Self {
            model: self.model,
            total: self.total,
            data: self.model.gather(&rows),
            rows,
        }
    }

    /// Checks that the random values equal the whole model's, with these rows and with the first or the last alone.
    /// Returns the outline of the whole model.
    ///
    /// # Errors
    /// [`RowsError::Quantity`] if a random value has another size, [`RowsError::Fault`] if the model stops.
    pub(super) fn check(&self) -> Result<Outline, Error> {
        let whole = outline(self.model, self.total).map_err(|error| error_of(self.model, error))?;
        self.check_against(&whole)?;
        let ends = [0, self.total.saturating_sub(1)];
        for row in ends.into_iter().filter(|row| *row < self.total) {
            // A model may need two rows for other reasons: a model that stops says nothing about its random values.
            let alone = Self::new(self.model, &[row])?.check_against(&whole);
            if let Err(Error::Rows {
                source: RowsError::Quantity { .. },
                ..
            }) = alone
            {
                alone?;
            }
        }
        Ok(whole)
    }

    /// [`check`](Self::check) of these rows alone, given the outline of the whole model.
    pub(super) fn check_against(&self, whole: &Outline) -> Result<(), Error> {
        let rows = self.rows.len();
        let part = outline(self, rows).map_err(|error| error_of(self.model, error))?;
        let sizes = whole.0.iter().zip(&part.0).zip(self.statements());
        let mut differing = sizes.filter(|((whole, part), _)| whole != part);
        let Some(((whole, part), statement)) = differing.next() else {
            return Ok(());
        };
        let quantity = RowsError::Quantity {
            name: statement.name,
            statement: statement.text,
            file: self.file(),
            line: statement.line,
            whole: whole.1,
            part: part.1,
            rows,
            others: differing.map(|(_, other)| other.name).collect(),
        };
        Err(error_of(self.model, quantity))
    }
}

/// The outline of a model with this number of rows.
pub(super) fn outline<Mo: Model>(model: &Mo, rows: usize) -> Result<Outline, RowsError> {
    Outline::of(model).map_err(|fault| RowsError::Fault { rows, fault })
}

fn in_range(model: &dyn Model, rows: &[usize], total: usize) -> Result<(), Error> {
    match rows.iter().find(|row| **row >= total) {
        Some(&row) => Err(error_of(model, RowsError::OutOfRange { row, rows: total })),
        None => Ok(()),
    }
}

#[diagnostic::do_not_recommend]
impl<Mo: Rows> Model for Subset<'_, Mo> {
    crate::model::same_text!();
    fn identity(&self) -> Option<u64> {
        // other rows are other data; unknown data stay unknown
        let model = self.model.identity()?;
        let rows = self.rows.iter().map(|row| *row as u64);
        Some(Fingerprint::of(
            [model, self.rows.len() as u64].into_iter().chain(rows),
        ))
    }
    fn data(&self) -> Vec<DataArgument> {
        let mut arguments = self.model.data();
        let rows = || self.rows.iter().map(|row| *row as u64);
        for argument in &mut arguments {
            // other rows are other data
            let words = [argument.fingerprint].into_iter().chain(rows());
            argument.fingerprint = Fingerprint::of(words);
        }
        arguments
    }
    fn numbers<'a>(&'a self, show: &mut dyn FnMut(&'a [f64])) {
        self.model.numbers_of(&self.data, show);
    }
    fn dims(&self) -> Vec<StatementDims> {
        let mut dims = self.model.dims();
        dims.retain(|dims| !dims.of_rows);
        dims.iter_mut().for_each(|dims| dims.is_part = true);
        dims
    }
    fn row_counts(&self) -> Vec<RowCount> {
        let mut counts = self.model.row_counts();
        counts
            .iter_mut()
            .for_each(|count| count.rows = self.rows.len());
        counts
    }
    #[inline(always)]
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        self.model.program_of(&self.data, interpreter);
    }
}

#[diagnostic::do_not_recommend]
impl<Mo: Rows> Rows for Subset<'_, Mo> {
    type Data = Mo::Data;

    fn gather(&self, rows: &[usize]) -> Mo::Data {
        self.model.gather(&self.of_the_model(rows))
    }
    fn refill(&self, rows: &[usize], data: &mut Mo::Data) {
        self.model.refill(&self.of_the_model(rows), data);
    }
    fn numbers_of<'a>(&'a self, data: &'a Mo::Data, show: &mut dyn FnMut(&'a [f64])) {
        self.model.numbers_of(data, show);
    }
    #[inline(always)]
    fn program_of<M: Mode, I: Interpreter<M>>(&self, data: &Mo::Data, interpreter: &mut I) {
        self.model.program_of(data, interpreter);
    }
}

impl<Mo: Rows> Subset<'_, Mo> {
    /// Rows of this subset as rows of the model.
    fn of_the_model(&self, rows: &[usize]) -> Vec<usize> {
        rows.iter().map(|row| self.rows[*row]).collect()
    }
}

#[diagnostic::do_not_recommend]
impl<Mo: Rows + AllSampled> AllSampled for Subset<'_, Mo> {}
#[diagnostic::do_not_recommend]
impl<Mo: Rows + Differentiable> Differentiable for Subset<'_, Mo> {}
#[diagnostic::do_not_recommend]
impl<Mo: Rows + GaussianReference> GaussianReference for Subset<'_, Mo> {}
#[diagnostic::do_not_recommend]
impl<Mo: Rows + GaussianPrior> GaussianPrior for Subset<'_, Mo> {}

impl<Mo: Rows> fmt::Debug for Subset<'_, Mo> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subset")
            .field("model", &self.model.name())
            .field("rows", &self.rows.len())
            .field("of", &self.total)
            .finish()
    }
}
