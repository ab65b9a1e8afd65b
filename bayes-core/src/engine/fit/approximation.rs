//! Approximations of a posterior with independent draws.

use super::beyond;
use super::map::Settings;
use crate::density::{LogDensity, Particles, Reference, Target};
use crate::engine::common::Common;
use crate::engine::{improper, mover};
use crate::error::Error;
use crate::parallel;
use crate::rng::{Key, Purpose, Stream};
use crate::run::{Group, Independent};
use rand::RngExt;
use rand_distr::StandardNormal;

/// A distribution of the unconstrained coordinates that replaces the posterior.
pub(in crate::engine) trait Approximation: Sync {
    /// Draws a position, `[dim]`, and returns the log density there, normalised.
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) -> f64;

    /// The log density at a position, `[dim]`, normalised.
    fn log_density(&self, position: &[f64]) -> f64;

    /// The log evidence of the approximation itself; `None` if only its draws tell.
    fn log_evidence(&self) -> Option<f64> {
        None
    }
}

/// A Gaussian by the root of its covariance.
impl Approximation for Reference {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) -> f64 {
        let z: Vec<f64> = (0..position.len())
            .map(|_| stream.sample(StandardNormal))
            .collect();
        self.unwhiten(&z, position);
        Self::log_density(&z) + self.log_normaliser()
    }

    fn log_density(&self, position: &[f64]) -> f64 {
        let mut whitened = vec![0.0; position.len()];
        self.whiten(position, &mut whitened);
        Self::log_density(&whitened) + self.log_normaliser()
    }
}

/// Refuses a posterior that is seen to be improper: an approximation of finite mass says nothing of the rest, and draws near a mode have
/// small weights and a small k-hat whatever is beyond it.
///
/// # Errors
/// [`Error::Improper`].
pub(in crate::engine) fn refuse_improper(
    density: &dyn LogDensity,
    common: &Common,
) -> Result<(), Error> {
    improper::check(density, common)?;
    improper::remember(density, common);
    Ok(())
}

/// Independent draws of an approximation, with their densities and with what lies beyond them; draw `i` by the stream of `key.item(i)`. With
/// an improper prior there is no evidence. `starts` are places near maxima that are known.
pub(in crate::engine) fn group(
    approximation: &dyn Approximation,
    density: &dyn LogDensity,
    common: &Common,
    (draws, key): (usize, Key),
    starts: &[Vec<f64>],
) -> Group {
    let dim = density.dim();
    let mut particles = Particles::new(draws, dim);
    let mut log_approximation = vec![0.0; draws];
    let rows = particles.positions.chunks_exact_mut(dim);
    let rows = rows.zip(&mut log_approximation).enumerate();
    parallel::each(rows, |(i, (position, log_density))| {
        *log_density = approximation.draw(&mut key.item(i as u64).stream(), position);
    });
    let prior = density.prior();
    let improper_prior = prior.is_some_and(|prior| prior.require_proper("an evidence").is_err());
    let origin = Independent {
        log_evidence: approximation.log_evidence().filter(|_| !improper_prior),
        improper_prior,
        log_approximation,
        ..Independent::default()
    };
    let mut group = independent(density, particles, origin);
    beyond::search(approximation, density, &mut group, common, starts);
    group
}

/// The [`group`] of an approximation that was optimised with these settings.
pub(in crate::engine) fn optimised(
    approximation: &dyn Approximation,
    density: &dyn LogDensity,
    common: &Common,
    draws: usize,
    settings: &Settings,
) -> Group {
    let key = Key::new(common.seed, Purpose::Approximation);
    let starts = settings.known_ends();
    group(approximation, density, common, (draws, key), &starts)
}

/// A group of independent particles, evaluated here.
pub(in crate::engine) fn independent(
    density: &dyn LogDensity,
    mut particles: Particles,
    origin: Independent,
) -> Group {
    let counts = mover::evaluate(&mut particles, Target::posterior(density));
    Group {
        counts,
        ..Group::of_particles(0, origin, particles, density.quantities())
    }
}

/// Checks the number of draws of an approximation.
///
/// # Errors
/// [`Error::Setting`] for less than 2.
pub(in crate::engine) fn check_draws(draws: usize) -> Result<(), Error> {
    let holds = (2..=1_000_000_000).contains(&draws);
    Error::setting("draws", draws, holds, "from 2 to 1000000000")
}
