//! The densities of an optimisation: all rows, a minibatch, the validation rows.

use crate::density::{LogDensity, Posterior, SubsetTrace, caught};
use crate::error::Error;
use crate::model::rows::{Rows, Subset, shuffled};
use crate::model::{Differentiable, Model, by_row, signature};
use crate::rng::{Key, Purpose};

/// The density of rows that are held out, and their number.
pub type Validation<'a> = (&'a dyn LogDensity, usize);

/// The data on which an optimisation trains.
pub struct Data<'a> {
    /// The density of all training rows.
    pub all: &'a dyn LogDensity,
    /// The number of these rows; 1 for a model without rows.
    pub rows: usize,
    pub validation: Option<Validation<'a>>,
    /// The number of rows of a minibatch, and the source of minibatches.
    pub batches: Option<(usize, &'a dyn Batches)>,
}

impl<'a> Data<'a> {
    /// The whole density.
    pub fn of(density: &'a dyn LogDensity) -> Self {
        Self {
            all: density,
            rows: density.rows(),
            validation: None,
            batches: None,
        }
    }
}

/// The source of minibatches.
pub trait Batches: Sync {
    /// A separate reader for a group of restarts.
    fn reader(&self) -> Result<Box<dyn Reader + '_>, Error>;

    /// Evaluates all rows in one pass; `None` where that would need the type of the model.
    fn by_row(&self) -> Option<ByRow<'_>> {
        None
    }
}

/// The log likelihood of each row at a position of the whole density, `[rows]`; `None` where the rows must be evaluated one by one.
pub type ByRow<'a> = Box<dyn Fn(&[f64]) -> Option<Vec<f64>> + Sync + 'a>;

/// Reads minibatches one after another.
pub trait Reader {
    /// Calls `then` with the density of the training rows `rows`, numbered among the training rows.
    ///
    /// # Errors
    /// [`Error::Rows`] if a row is out of range.
    fn read(&mut self, rows: &[usize], then: &mut dyn FnMut(&dyn LogDensity)) -> Result<(), Error>;
}

/// What an optimisation needs from a model.
pub struct Request<'a, 'm, Mo> {
    pub(super) model: &'m Mo,
    pub(super) posterior: &'a Posterior<'m>,
    pub(super) validation: Option<Validation<'a>>,
    pub(super) seed: u64,
}

/// Whether an optimisation can train on a model: every model with all rows, only models with rows for minibatches and held-out rows.
pub trait TrainsOn<Mo: Model> {
    /// The result of `then` with the data.
    ///
    /// # Errors
    /// [`Error::Setting`] for a share or a number of rows that the model does not have; the errors of `then`.
    fn with_data<T>(
        &self,
        request: &Request<'_, '_, Mo>,
        then: impl FnOnce(&Data<'_>) -> Result<T, Error>,
    ) -> Result<T, Error>;
}

/// All rows in every step.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllRows;

/// Minibatches, held-out rows, or both.
#[derive(Clone, Copy, Debug, Default)]
pub struct SomeRows {
    /// Number of rows of a minibatch; `None` for all.
    pub(in crate::engine) minibatch: Option<usize>,
    /// The share of the rows that are held out; `None` for none.
    pub(in crate::engine) validation: Option<f64>,
}

impl From<AllRows> for SomeRows {
    fn from(_: AllRows) -> Self {
        Self::default()
    }
}

impl<Mo: Model + Differentiable> TrainsOn<Mo> for AllRows {
    fn with_data<T>(
        &self,
        request: &Request<'_, '_, Mo>,
        then: impl FnOnce(&Data<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        then(&Data {
            all: request.posterior,
            rows: request.posterior.rows(),
            validation: request.validation,
            batches: None,
        })
    }
}

impl<Mo: Rows + Differentiable> TrainsOn<Mo> for SomeRows {
    fn with_data<T>(
        &self,
        request: &Request<'_, '_, Mo>,
        then: impl FnOnce(&Data<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (model, posterior) = (request.model, request.posterior);
        let total = model.rows()?;
        let (held_out, training) = self.divide(total, request)?;
        if let Some(size) = self.minibatch {
            let holds = (1..=training.len()).contains(&size);
            let allowed = format!("from 1 to {}, the number of training rows", training.len());
            Error::setting("minibatch", size, holds, &allowed)?;
            // one check that no random value depends on the rows
            model.subset(&training[..size])?;
        }
        let batches = Rowwise {
            model,
            posterior,
            rows: &training,
        };
        let batches = self.minibatch.map(|size| (size, &batches as &dyn Batches));
        let Some(held_out) = held_out else {
            return then(&Data {
                all: posterior,
                rows: total,
                validation: request.validation,
                batches,
            });
        };
        let (some, others) = (model.subset(&training)?, model.subset(&held_out)?);
        then(&Data {
            all: &posterior.on(&some),
            rows: training.len(),
            validation: Some((&posterior.on(&others), held_out.len())),
            batches,
        })
    }
}

impl SomeRows {
    /// The held-out rows, if any, and the other rows, divided at random by the seed.
    fn divide<Mo: Rows>(
        &self,
        total: usize,
        request: &Request<'_, '_, Mo>,
    ) -> Result<(Option<Vec<usize>>, Vec<usize>), Error> {
        let Some(share) = self.validation else {
            return Ok((None, (0..total).collect()));
        };
        let holds = request.validation.is_none();
        let allowed = "left out if a validation model is given";
        Error::setting("validation", share, holds, allowed)?;
        let (held_out, training) = hold_out(share, total, request.seed)?;
        Ok((Some(held_out), training))
    }
}

/// A share of the rows to hold out, and the other rows, divided at random by the seed; both in ascending order.
///
/// # Errors
/// [`Error::Setting`] for a share that holds out no row, or all.
pub fn hold_out(share: f64, total: usize, seed: u64) -> Result<(Vec<usize>, Vec<usize>), Error> {
    let holds = share > 0.0 && share < 1.0;
    Error::setting("validation", share, holds, "above 0 and below 1")?;
    let number = (share * total as f64).round() as usize;
    let holds = (1..total).contains(&number);
    let allowed = format!(
        "a share that holds out at least 1 of the {total} rows, and not all; this is {number}"
    );
    Error::setting("validation", share, holds, &allowed)?;
    let mut order = shuffled(total, Key::new(seed, Purpose::Rows));
    let mut training = order.split_off(number);
    training.sort_unstable();
    order.sort_unstable();
    Ok((order, training))
}

/// Some rows of a model, from which minibatches are made.
pub struct Rowwise<'a, 'm, Mo> {
    pub model: &'m Mo,
    pub posterior: &'a Posterior<'m>,
    /// The rows of the model.
    pub rows: &'a [usize],
}

impl<Mo: Rows> Batches for Rowwise<'_, '_, Mo> {
    fn reader(&self) -> Result<Box<dyn Reader + '_>, Error> {
        Ok(Box::new(Batch {
            from: self,
            subset: Subset::new(self.model, &[])?,
            rows: Vec::new(),
            known: SubsetTrace::default(),
        }))
    }

    fn by_row(&self) -> Option<ByRow<'_>> {
        if signature(self.model).ok()?.has_factor {
            return None;
        }
        let subset = Subset::new(self.model, self.rows).ok()?;
        let rows = self.rows.len();
        Some(Box::new(move |position| {
            let terms = caught(|| by_row(&subset, rows, position));
            terms.ok().flatten()
        }))
    }
}

/// A minibatch; the next one reuses its memory.
struct Batch<'a, 'm, Mo: Rows> {
    from: &'a Rowwise<'a, 'm, Mo>,
    subset: Subset<'m, Mo>,
    rows: Vec<usize>,
    known: SubsetTrace,
}

impl<Mo: Rows> Reader for Batch<'_, '_, Mo> {
    fn read(&mut self, rows: &[usize], then: &mut dyn FnMut(&dyn LogDensity)) -> Result<(), Error> {
        self.rows.clear();
        self.rows
            .extend(rows.iter().map(|row| self.from.rows[*row]));
        self.subset.select(&self.rows)?;
        let density = self.from.posterior.on_next(&self.subset, &mut self.known);
        then(&density);
        Ok(())
    }
}
