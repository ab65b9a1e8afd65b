//! A model of whatever type.

use bayes::density::{ArithmeticSettings, LogDensity, Posterior};
use bayes::engine::Engine;
use bayes::prelude::*;
use bayes::{Error, Run};

/// A model with its data, of whatever type. Its code is compiled where a model is first used as one.
pub trait AnyModel {
    /// Its density, validated.
    ///
    /// # Errors
    /// Data that do not fit the model, and settings that the processor cannot follow.
    fn density(
        &self,
        seed: u64,
        settings: ArithmeticSettings,
    ) -> Result<Box<dyn LogDensity + '_>, Error>;

    /// Its density without the log Jacobians of the transforms: that of the values, of which the mode does not depend on how
    /// they are transformed.
    ///
    /// # Errors
    /// Data that do not fit the model.
    fn density_of_values(&self, seed: u64) -> Result<Box<dyn LogDensity + '_>, Error>;

    /// The log densities at values of the random quantities by their names.
    ///
    /// # Errors
    /// Names and lengths that are not those of the model.
    fn log_joint(&self, values: &[(&str, &[f64])]) -> Result<f64, Error>;
}

/// What is done with a model that borrows its data.
pub type Visit<'f> = dyn FnMut(&dyn AnyModel) -> Result<(), Error> + 'f;

impl dyn AnyModel + '_ {
    /// Runs an engine.
    ///
    /// # Errors
    /// Those of the engine, and data that do not fit the model.
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
