//! SWAG: a Gaussian with the moments of the iterates of stochastic gradient descent.

mod iterates;
mod low_rank;

use super::approximation::{self, check_draws, refuse_improper};
use super::map::{
    AllRows, Data, Optimisation, Settings, SomeRows, TrainsOn, require_finite, require_noisy,
};
use super::searches::search_setters;
use crate::density::{Counts, LogDensity};
use crate::engine::builder::{Algorithm, Builder, ChoosesRows, MakesDraws, Runner};
use crate::engine::fit::training::Training;
use crate::engine::save::outcome::Made;
use crate::error::{ApproximationError, Error};
use crate::model::{AllSampled, Differentiable, Model};
use crate::optimise::Sgd;
use crate::run::{Fit, Objective, Run, Spool};
use iterates::Iterates;
use low_rank::LowRank;
use std::sync::{Mutex, PoisonError};

/// Maximum number of epochs of burn-in.
const MAX_BURN_IN: usize = 100_000_000;

/// Builder of SWAG (stochastic weight averaging, Gaussian; Maddox et al. 2019); `run` makes a [`Run`] of independent draws.
///
/// An optimiser with a constant learning rate continues from a fit and does not settle, because its minibatches are noisy. Its position x
/// after every epoch counts: the mean of the positions is the mean of the Gaussian, and their spread its covariance.
///
/// ```text
/// N(x̄, ½ diag(mean x² − x̄²) + D Dᵀ / (2 (K − 1)))      Maddox et al. (2019), equation 1
/// ```
///
/// The K columns of D are the last deviations of x from the mean so far. Everything is in the unconstrained coordinates.
///
/// The covariance belongs to the iterates, so it grows with the learning rate and shrinks with the size of the minibatches. It resembles
/// the covariance of the posterior only if rate and size suit each other (Mandt, Hoffman and Blei 2017). [`Run::elbo`] and k-hat show how
/// far the run is from the posterior. Judge networks by the scores of their predictions.
///
/// By default gradient descent with momentum 0.9 and learning rate 0.01 makes 100 epochs of burn-in, then 100 epochs that count. The last
/// 20 deviations are kept.
///
/// ```text
/// let fit = Inference::map().adam(1e-3).minibatch(64).run(&network)?;
/// let run = Inference::swag().start(&fit).optimiser(Sgd::new(0.05)).minibatch(64).run(&network)?;
/// ```
pub type Swag<R = AllRows> = Builder<WeightAveraging<R>>;

/// The settings of the optimiser and of the Gaussian.
#[derive(Clone, Debug)]
pub struct WeightAveraging<R> {
    map: Optimisation<R>,
    burn_in: usize,
    rank: usize,
    draws: usize,
}

impl WeightAveraging<AllRows> {
    pub(in crate::engine) fn new() -> Self {
        let training = Training::new(Sgd::new(0.01), 100);
        Self {
            map: Optimisation::new(Objective::Coordinates, training),
            burn_in: 100,
            rank: 20,
            draws: 1000,
        }
    }
}

impl<R: Into<SomeRows>> ChoosesRows for WeightAveraging<R> {
    type OnSome = WeightAveraging<SomeRows>;

    fn on_some(self, change: impl FnOnce(&mut SomeRows)) -> Self::OnSome {
        WeightAveraging {
            map: self.map.on_some(change),
            burn_in: self.burn_in,
            rank: self.rank,
            draws: self.draws,
        }
    }
}

impl<R> AsMut<Training> for WeightAveraging<R> {
    fn as_mut(&mut self) -> &mut Training {
        &mut self.map.settings.training
    }
}

impl<R> MakesDraws for WeightAveraging<R> {
    fn draws(&mut self) -> &mut usize {
        &mut self.draws
    }
}

impl Algorithm for WeightAveraging<AllRows> {
    fn made(
        runner: &Runner<Self>,
        density: &dyn LogDensity,
        _: Option<Spool>,
    ) -> Result<Made, Error> {
        density.validate_for_sampling()?;
        let run = runner.approximate(density, &Data::of(density))?;
        Ok(Made::of(run))
    }
}

impl<R> Swag<R> {
    /// Number of epochs before the epochs that count; 100 by default.
    pub fn burn_in(self, epochs: usize) -> Self {
        self.set(|swag| swag.burn_in = epochs)
    }

    /// Number K of kept deviations: from 2 to one less than the epochs that count, or 0 for a diagonal covariance `diag(mean x² − x̄²)`
    /// (SWAG-Diagonal). 20 by default.
    pub fn rank(self, rank: usize) -> Self {
        self.set(|swag| swag.rank = rank)
    }

    /// The start of the optimiser; by default the likeliest of ten prior draws.
    pub fn start(self, fit: &Fit) -> Self {
        self.set(|swag| swag.map.settings.start_at(fit))
    }

    search_setters!(" of all rows");

    /// Approximates the posterior of `model`.
    ///
    /// # Errors
    /// A setting out of range, data that do not fit the model, [`Error::Improper`], or no starting point with finite density in 100 prior
    /// draws, before the first step; [`Error::Approximation`] with epoch and statement if the loss becomes NaN, and if the iterates do not move.
    pub fn run<Mo: Model + Differentiable + AllSampled>(&self, model: &Mo) -> Result<Run, Error>
    where
        R: TrainsOn<Mo>,
    {
        let Runner { common, own } = &self.runner;
        let run =
            |density: &dyn LogDensity, data: &Data<'_>| self.runner.approximate(density, data);
        own.map.with_data(common, model, None, run)
    }
}

impl<R> Runner<WeightAveraging<R>> {
    fn approximate(&self, density: &dyn LogDensity, data: &Data<'_>) -> Result<Run, Error> {
        self.common.refuse_parts()?;
        check_draws(self.own.draws)?;
        let (rank, epochs) = (self.own.rank, self.own.map.settings.training.epochs);
        let holds = rank == 0 || (2..epochs).contains(&rank);
        let allowed = format!(
            "0 for a diagonal covariance, or at least 2 and below {epochs}, the number of epochs that count"
        );
        Error::setting("rank", rank, holds, &allowed)?;
        let allowed = "at most 100000000";
        Error::setting(
            "burn_in",
            self.own.burn_in,
            self.own.burn_in <= MAX_BURN_IN,
            allowed,
        )?;
        require_noisy(&*self.own.map.settings.training.optimiser)?;
        let settings = self.own.map.checked(density, data)?;
        refuse_improper(density, &self.common)?;
        let (iterates, counts) = self.iterates(density, data, settings)?;
        if let Some(coordinate) = iterates.constant() {
            return Err(Error::Approximation {
                model: density.describe().name,
                source: ApproximationError::NoSpread { coordinate, epochs },
            });
        }
        let gaussian = LowRank::of(&iterates);
        let settings = &self.own.map.settings;
        let mut group =
            approximation::optimised(&gaussian, density, &self.common, self.own.draws, settings);
        group.counts.merge(&counts);
        let mut settings = self.own.map.settings_as_text(data);
        settings.remove("restarts");
        for (name, value) in [("burn_in", self.own.burn_in), ("rank", rank)] {
            settings.insert(name.to_owned(), value.to_string());
        }
        Ok(self.common.run_of_draws(density, settings, group))
    }

    /// The moments of the positions after the epochs that count.
    fn iterates(
        &self,
        density: &dyn LogDensity,
        data: &Data<'_>,
        mut settings: Settings,
    ) -> Result<(Iterates, Counts), Error> {
        let mut counts = Counts::default();
        let start = settings.first_start(density, self.common.seed, &mut counts)?;
        settings.restarts = 1;
        settings.starts = Some(vec![start]);
        settings.training.epochs = settings.training.epochs.saturating_add(self.own.burn_in);
        let iterates = Mutex::new(Iterates::new(density.dim(), self.own.rank));
        let burn_in = self.own.burn_in;
        let visit = |_: usize, epoch: usize, position: &[f64]| {
            if epoch >= burn_in {
                let mut iterates = iterates.lock().unwrap_or_else(PoisonError::into_inner);
                iterates.add(position);
            }
        };
        let (restarts, of_training) = settings.train(&self.common, data, &visit)?;
        counts.merge(&of_training);
        let what = || "the optimiser".to_owned();
        require_finite(&restarts[0], &density.describe().name, what)?;
        let iterates = iterates.into_inner();
        Ok((iterates.unwrap_or_else(PoisonError::into_inner), counts))
    }
}

#[cfg(test)]
mod tests;
