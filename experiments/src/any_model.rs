//! A model of any type.

use bayes::density::{ArithmeticSettings, LogDensity, Posterior};
use bayes::engine::Engine;
use bayes::prelude::*;
use bayes::{Error, Run};

/// A model of any type with its data. Its code is compiled where a model is first converted.
pub trait AnyModel {
    /// The validated density.
    ///
    /// # Errors
    /// Data that do not fit the model, and settings that the processor does not support.
    fn density(
        &self,
        seed: u64,
        settings: ArithmeticSettings,
    ) -> Result<Box<dyn LogDensity + '_>, Error>;

    /// The density of the values, without the log Jacobians of the transforms; its mode does not depend on the transforms.
    ///
    /// # Errors
    /// Data that do not fit the model.
    fn density_of_values(&self, seed: u64) -> Result<Box<dyn LogDensity + '_>, Error>;

    /// The log densities at values of the random quantities by their names.
    ///
    /// # Errors
    /// Names and lengths that do not fit the model.
    fn log_joint(&self, values: &[(&str, &[f64])]) -> Result<f64, Error>;
}

/// A function of a model that borrows its data.
pub type Visit<'f> = dyn FnMut(&dyn AnyModel) -> Result<(), Error> + 'f;

impl dyn AnyModel + '_ {
    /// Runs an engine.
    ///
    /// # Errors
    /// The errors of the engine, and data that do not fit the model.
    pub fn run(&self, engine: &dyn Engine) -> Result<Run, Error> {
        let common = engine.common();
        let density = self.density(common.seed, common.arithmetic)?;
        engine.run_on(&*density)
    }
}

/// Runs an engine on the model that `visited` passes to a visitor.
///
/// # Panics
/// If it passes none.
pub(crate) fn run_visited(
    engine: &dyn Engine,
    visited: impl FnOnce(&mut Visit<'_>) -> Result<(), Error>,
) -> Result<Run, Error> {
    let mut run = None;
    visited(&mut |model| {
        run = Some(model.run(engine)?);
        Ok(())
    })?;
    Ok(run.expect("the model was visited"))
}

impl<Mo: Model> AnyModel for Mo {
    fn density(
        &self,
        seed: u64,
        settings: ArithmeticSettings,
    ) -> Result<Box<dyn LogDensity + '_>, Error> {
        Ok(Box::new(Posterior::with(self, seed, settings)?))
    }

    fn density_of_values(&self, seed: u64) -> Result<Box<dyn LogDensity + '_>, Error> {
        Ok(Box::new(Posterior::new(self, seed)?.jacobian(false)))
    }

    fn log_joint(&self, values: &[(&str, &[f64])]) -> Result<f64, Error> {
        let found = self.log_density_at(values)?;
        Ok(found.log_prior + found.log_likelihood)
    }
}
