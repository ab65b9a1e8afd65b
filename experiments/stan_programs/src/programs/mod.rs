//! The model of each program, with its data.

mod groups;
mod regressions;
mod series;

use crate::data::Data;
use bayes::Error;
use bayes::density::{LogDensity, Posterior};
use bayes::prelude::*;

/// A model of any type with its data.
pub trait AnyModel {
    /// The validated density.
    ///
    /// # Errors
    /// Data that do not fit the model.
    fn density(&self) -> Result<Box<dyn LogDensity + '_>, Error>;
}

impl<Mo: Model + Differentiable + AllSampled> AnyModel for Mo {
    fn density(&self) -> Result<Box<dyn LogDensity + '_>, Error> {
        Ok(Box::new(Posterior::new(self, 1)?))
    }
}

/// What is done with a model, which borrows its data.
pub type Visit<'f> = dyn FnMut(&dyn AnyModel) + 'f;

/// Calls `visit` with the model of a program; returns whether there is one.
pub fn visit(program: &str, d: &Data, visit: &mut Visit<'_>) -> bool {
    let all: [fn(&str, &Data, &mut Visit<'_>) -> bool; 13] = [
        regressions::earnings,
        regressions::kidiq,
        regressions::mesquite,
        regressions::lines,
        regressions::wells,
        regressions::counts,
        regressions::dogs,
        groups::captured,
        groups::homes,
        groups::grouped,
        series::over_time,
        groups::answered,
        series::processes_and_equations,
    ];
    all.iter().any(|of| of(program, d, visit))
}
