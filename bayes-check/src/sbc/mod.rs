//! Simulation-based calibration: is the posterior of simulated data right on average?
//!
//! Parameters drawn from the prior and data drawn given them are a draw from the joint distribution, so the parameters
//! are also a draw from the posterior of those data. For every model, their rank among the draws of a correct sampler is
//! uniform (Cook, Gelman and Rubin 2006; Talts et al. 2018). A wrong density, transform, kernel or weight makes the ranks
//! non-uniform.

mod data;
mod histogram;
mod ranks;
mod report;
mod uniformity;

pub use data::SimulatedData;
pub use report::{Calibration, SbcReport};

use crate::density::{LogDensity, Posterior};
use crate::error::Error;
use crate::model::{Model, simulate};
use crate::observe::Progress;
use crate::parallel;
use crate::rng::{Key, Purpose};
use crate::run::Run;
use rand::Rng;
use ranks::Ranks;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calibrates an engine on a model: `infer` takes data simulated from `model` and a seed, and returns a run on these data.
///
/// ```text
/// let report = sbc(&eight_schools(&y, &sigma), |data, seed| {
///     Inference::nuts().seed(seed).run(&eight_schools(&data.reals("y"), &sigma))
/// })
/// // or, whatever the model is called with: |data, seed| Inference::nuts().seed(seed).run(&data.model(&model))
/// .simulations(1000)
/// .run()?;
/// println!("{report}");
/// ```
///
/// `model` holds data of the size to simulate. Their values do not matter, unless an observation depends on earlier ones
/// (an autoregression): such a model cannot be simulated statement by statement. If `infer` runs the model itself, the
/// calibration tests the engine; if it runs another model, it tests whether the difference is detected.
pub fn sbc<T, I>(model: &T, infer: I) -> Sbc<'_, T, I>
where
    T: Model,
    I: Fn(&SimulatedData, u64) -> Result<Run, Error> + Sync,
{
    Sbc {
        model,
        infer,
        simulations: 200,
        draws: 100,
        seed: 0,
        progress: true,
    }
}

/// Settings of a calibration; see [`sbc`].
#[derive(Clone, Debug)]
#[must_use = "a calibration does nothing until `.run()`"]
pub struct Sbc<'a, T, I> {
    model: &'a T,
    infer: I,
    simulations: usize,
    draws: usize,
    seed: u64,
    progress: bool,
}

impl<T, I> Sbc<'_, T, I>
where
    T: Model,
    I: Fn(&SimulatedData, u64) -> Result<Run, Error> + Sync,
{
    /// Number of simulated data sets, at least 10; 200 by default.
    pub fn simulations(mut self, simulations: usize) -> Self {
        self.simulations = simulations;
        self
    }

    /// Number of posterior draws among which the true value is ranked, at least 1; 100 by default. They are spread evenly
    /// over the run. The effective sample size of the run should be at least as large, otherwise the ranks concentrate at
    /// both ends.
    pub fn draws(mut self, draws: usize) -> Self {
        self.draws = draws;
        self
    }

    /// The seed of all random numbers, including the seeds given to the engine.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Whether to show progress on stderr (only if stderr is a terminal).
    pub fn progress(mut self, show: bool) -> Self {
        self.progress = show;
        self
    }

    /// Simulates, infers and ranks; simulations run in parallel.
    ///
    /// # Errors
    /// [`Error::Setting`] for a setting out of range. [`Error::Model`] if the model does not fit its data or has an
    /// improper prior. [`Error::Simulation`] if the model has a `factor`, from which data cannot be simulated; if the
    /// runs lack its quantities or return NaN; or if `infer` requests data that the model does not observe. Otherwise the
    /// error of the first simulation whose engine failed.
    pub fn run(&self) -> Result<SbcReport, Error> {
        let (simulations, draws) = (self.simulations, self.draws);
        Error::setting("simulations", simulations, simulations >= 10, "at least 10")?;
        Error::setting("draws", draws, draws >= 1, "at least 1")?;
        let posterior = Posterior::new(self.model, self.seed)?;
        let density: &dyn LogDensity = &posterior;
        density.proper_prior("calibration draws the truth from it")?;
        let progress = Progress::new(self.progress, 1);
        let (bar, done) = (progress.island(0), AtomicUsize::new(0));
        // the first simulation runs alone, so that an unknown name is reported before other data are simulated
        let first = self.simulation(0, &posterior);
        if first.is_err() {
            progress.clear();
        }
        let first = first?;
        bar.draw(done.fetch_add(1, Ordering::Relaxed) + 1, simulations);
        let others: Vec<Result<Ranks, Error>> = parallel::map(1..simulations, |i| {
            let ranks = self.simulation(i, &posterior);
            bar.draw(done.fetch_add(1, Ordering::Relaxed) + 1, simulations);
            ranks
        });
        progress.clear();
        // in the order of the simulations, so that the reported error does not depend on threads
        let ranks = std::iter::once(Ok(first)).chain(others);
        let ranks: Vec<Ranks> = ranks.collect::<Result<_, _>>()?;
        self.check(&ranks)?;
        Ok(SbcReport::of(self.model, draws, &ranks))
    }

    /// Checks that every simulation ranked the same quantities, and at least one.
    fn check(&self, ranks: &[Ranks]) -> Result<(), Error> {
        let names = &ranks[0].names;
        let reason = if names.is_empty() {
            "the runs contain none of its quantities"
        } else if ranks.iter().any(|r| r.names != *names) {
            "the runs do not all have the same quantities"
        } else if ranks.iter().any(|r| r.positions.iter().any(|u| u.is_nan())) {
            "a truth, or a draw, is NaN"
        } else {
            return Ok(());
        };
        Err(Error::Simulation {
            model: self.model.name().to_owned(),
            reason: reason.to_owned(),
        })
    }

    /// The run on simulated data. A wrong name is an error; any other panic propagates.
    fn inferred(&self, data: &SimulatedData, seed: u64) -> Result<Run, Error> {
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.infer)(data, seed)));
        outcome.unwrap_or_else(|panic| match data.complaint() {
            Some(reason) => Err(Error::Simulation {
                model: self.model.name().to_owned(),
                reason,
            }),
            None => resume_unwind(panic),
        })
    }

    fn simulation(&self, i: usize, posterior: &dyn LogDensity) -> Result<Ranks, Error> {
        let key = Key::new(self.seed, Purpose::Calibration).item(i as u64);
        let mut stream = key.stream();
        let simulated = simulate(self.model, &mut stream);
        let simulated = simulated.map_err(|reason| Error::Simulation {
            model: self.model.name().to_owned(),
            reason: format!("data cannot be simulated from `{reason}`"),
        })?;
        let data = SimulatedData::new(simulated.values.clone());
        let seed = stream.next_u64();
        let run = self.inferred(&data, seed)?;
        let (model, draws) = (self.model, self.draws);
        Ok(Ranks::of(
            model,
            posterior,
            &simulated,
            &run,
            draws,
            &mut stream,
        ))
    }
}
