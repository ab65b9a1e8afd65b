//! SWAG: a Gaussian with the moments of the iterates of stochastic gradient descent.

mod iterates;
mod low_rank;

use super::approximation::{self, check_draws};
use super::map::{
    AllRows, Data, Map, SomeRows, TrainsOn, optimiser_setters, require_finite, require_noisy,
};
use crate::density::{Counts, LogDensity};
use crate::engine::builder::common_setters;
use crate::error::{ApproximationError, Error};
use crate::model::{AllSampled, Differentiable, Model};
use crate::optimise::Sgd;
use crate::rng::{Key, Purpose};
use crate::run::{Fit, Run};
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
#[derive(Clone, Debug)]
#[must_use = "an approximation does nothing until `.run(&model)`"]
pub struct Swag<R = AllRows> {
    map: Map<R>,
    burn_in: usize,
    rank: usize,
    draws: usize,
}

impl Swag<AllRows> {
    pub(in crate::engine) fn new(map: Map<AllRows>) -> Self {
        Self {
            map: map.optimiser(Sgd::new(0.01)).epochs(100),
            burn_in: 100,
            rank: 20,
            draws: 1000,
        }
    }

    /// Approximates a density of unconstrained coordinates.
    ///
    /// # Errors
    /// As [`Swag::run`].
    pub fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error> {
        density.validate_for_sampling()?;
        self.approximate(density, &Data::of(density))
    }
}

impl<R> Swag<R> {
    /// Number of epochs before the epochs that count; 100 by default.
    pub fn burn_in(mut self, epochs: usize) -> Self {
        self.burn_in = epochs;
        self
    }

    /// Number K of kept deviations: from 2 to one less than the epochs that count, or 0 for a diagonal covariance `diag(mean x² − x̄²)`
    /// (SWAG-Diagonal). 20 by default.
    pub fn rank(mut self, rank: usize) -> Self {
        self.rank = rank;
        self
    }

    /// Number of independent draws of the Gaussian in the run, at least 2; 1000 by default.
    pub fn draws(mut self, draws: usize) -> Self {
        self.draws = draws;
        self
    }

    /// The start of the optimiser; by default the likeliest of ten prior draws.
    pub fn start(mut self, fit: &Fit) -> Self {
        self.map = self.map.start(fit);
        self
    }

    optimiser_setters!();

    /// Number of epochs whose iterates count; 100 by default.
    pub fn epochs(mut self, epochs: usize) -> Self {
        self.map = self.map.epochs(epochs);
        self
    }

    common_setters!(map.common);

    /// Approximates the posterior of `model`.
    ///
    /// # Errors
    /// A setting out of range, data that do not fit the model, or no starting point with finite density in 100 prior draws, before the
    /// first step; [`Error::Approximation`] with epoch and statement if the loss becomes NaN, and if the iterates do not move.
    pub fn run<Mo: Model + Differentiable + AllSampled>(&self, model: &Mo) -> Result<Run, Error>
    where
        R: TrainsOn<Mo>,
    {
        self.map
            .with_data(model, None, |density, data| self.approximate(density, data))
    }

    fn approximate(&self, density: &dyn LogDensity, data: &Data<'_>) -> Result<Run, Error> {
        check_draws(self.draws)?;
        let (rank, epochs) = (self.rank, self.map.settings.epochs);
        let holds = rank == 0 || (2..epochs).contains(&rank);
        let allowed = format!(
            "0 for a diagonal covariance, or at least 2 and below {epochs}, the number of epochs that count"
        );
        Error::setting("rank", rank, holds, &allowed)?;
        let allowed = "at most 100000000";
        Error::setting(
            "burn_in",
            self.burn_in,
            self.burn_in <= MAX_BURN_IN,
            allowed,
        )?;
        require_noisy(&*self.map.settings.optimiser)?;
        let (iterates, counts) = self.iterates(density, data)?;
        if let Some(coordinate) = iterates.constant() {
            return Err(Error::Approximation {
                model: density.describe().name,
                source: ApproximationError::NoSpread { coordinate, epochs },
            });
        }
        let gaussian = LowRank::of(&iterates);
        let key = Key::new(self.map.common.seed, Purpose::Approximation);
        let mut group = approximation::group(&gaussian, density, self.draws, key);
        group.counts.merge(&counts);
        let mut settings = self.map.settings_as_text(data);
        settings.remove("restarts");
        for (name, value) in [("burn_in", self.burn_in), ("rank", rank)] {
            settings.insert(name.to_owned(), value.to_string());
        }
        Ok(self.map.common.run_of_draws(density, settings, group))
    }

    /// The moments of the positions after the epochs that count.
    fn iterates(
        &self,
        density: &dyn LogDensity,
        data: &Data<'_>,
    ) -> Result<(Iterates, Counts), Error> {
        let mut settings = self.map.checked(density, data)?;
        let mut counts = Counts::default();
        let start = settings.first_start(density, self.map.common.seed, &mut counts)?;
        settings.restarts = 1;
        settings.starts = Some(vec![start]);
        settings.epochs = settings.epochs.saturating_add(self.burn_in);
        let iterates = Mutex::new(Iterates::new(density.dim(), self.rank));
        let burn_in = self.burn_in;
        let visit = |_: usize, epoch: usize, position: &[f64]| {
            if epoch >= burn_in {
                let mut iterates = iterates.lock().unwrap_or_else(PoisonError::into_inner);
                iterates.add(position);
            }
        };
        let (restarts, of_training) = settings.train(&self.map.common, data, &visit)?;
        counts.merge(&of_training);
        let what = || "the optimiser".to_owned();
        require_finite(&restarts[0], &density.describe().name, what)?;
        let iterates = iterates.into_inner();
        Ok((iterates.unwrap_or_else(PoisonError::into_inner), counts))
    }
}

impl<R: Into<SomeRows>> Swag<R> {
    /// As [`Map::minibatch`].
    pub fn minibatch(self, rows: usize) -> Swag<SomeRows> {
        Swag {
            map: self.map.minibatch(rows),
            burn_in: self.burn_in,
            rank: self.rank,
            draws: self.draws,
        }
    }
}

#[cfg(test)]
mod tests;
