//! Moves of particles between two reweightings.

use crate::density::{AtParams, Counts, LogDensity, Particles, Prior, Target};
use crate::engine::mover::Mover;
use crate::error::Error;
use crate::kernel::{Kernel, Population, Tuning, fits_positions};
use crate::parallel;
use crate::rng::{Key, Stream};
use rand_distr::{Distribution as _, StandardNormal};
use std::sync::Arc;

/// The Markov kernel h of a Feynman-Kac model.
#[derive(Clone, Debug)]
pub(super) enum Moves {
    /// No move: the particles of a step are drawn.
    Still,
    /// `φ + √v ξ`: a random walk with this variance, without acceptance.
    RandomWalk(f64),
    /// An Ornstein-Uhlenbeck process that leaves the Gaussian prior invariant, for this time.
    OrnsteinUhlenbeck(f64),
    /// Steps of a kernel that leaves prior × likelihood of the rows seen so far invariant.
    Invariant(Arc<dyn Kernel>, usize),
}

impl Moves {
    /// # Errors
    /// [`Error::Setting`] for a variance, a time or a number of steps out of range; the errors of the kernel.
    pub(super) fn validate(&self, density: &AtParams<'_>) -> Result<(), Error> {
        let positive = |setting, x: f64| {
            let holds = x > 0.0 && x.is_finite();
            Error::setting(setting, x, holds, "a finite number above 0")
        };
        match self {
            Self::Still => Ok(()),
            Self::RandomWalk(variance) => positive("random_walk", *variance),
            Self::OrnsteinUhlenbeck(time) => {
                positive("ornstein_uhlenbeck", *time)?;
                (density as &dyn LogDensity).gaussian_prior().map(|_| ())
            }
            Self::Invariant(kernel, steps) => {
                Error::setting("kernel: steps", steps, *steps >= 1, "at least 1")?;
                fits_positions(&**kernel)?;
                kernel.validate(density)
            }
        }
    }

    /// Whether the moves need the density of the rows seen so far.
    pub(super) fn has_target(&self) -> bool {
        matches!(self, Self::Invariant(..))
    }

    /// The initial tuning, if there is something to tune.
    pub(super) fn init(&self, density: &AtParams<'_>) -> Result<Option<Tuning>, Error> {
        match self {
            Self::Invariant(kernel, _) => kernel.init(density).map(Some),
            _ => Ok(None),
        }
    }

    /// Moves the particles, particle `j` by the stream of `key.item(j)`. `density` is the density of the rows seen so far. If the kernel
    /// needs it, the particles have its values afterwards; otherwise only its prior counts.
    pub(super) fn step(
        &self,
        density: &AtParams<'_>,
        tuning: &mut Option<Tuning>,
        particles: &mut Particles,
        key: Key,
    ) -> Counts {
        match (self, tuning) {
            (Self::RandomWalk(variance), _) => {
                let sd = variance.sqrt();
                each(particles, key, |position, stream| {
                    position.iter_mut().for_each(|x| *x += sd * normal(stream));
                });
            }
            (Self::OrnsteinUhlenbeck(time), _) => {
                ornstein_uhlenbeck(density, *time, particles, key)
            }
            (Self::Invariant(kernel, steps), Some(tuning)) => {
                return invariant(density, &**kernel, tuning, particles, *steps, key);
            }
            (Self::Still, _) | (Self::Invariant(..), None) => {}
        }
        Counts::default()
    }
}

fn normal(stream: &mut Stream) -> f64 {
    StandardNormal.sample(stream)
}

fn each(particles: &mut Particles, key: Key, step: impl Fn(&mut [f64], &mut Stream) + Sync) {
    let rows = particles.positions.chunks_exact_mut(particles.dim);
    parallel::each(rows.enumerate(), |(j, position)| {
        step(position, &mut key.item(j as u64).stream());
    });
}

/// `u' = z u + √(1 − z²) ξ` with `z = exp(−t/2)`, in coordinates u with a standard normal prior.
fn ornstein_uhlenbeck(density: &AtParams<'_>, time: f64, particles: &mut Particles, key: Key) {
    let Some(reference) = density.reference() else {
        return;
    };
    let z = (-0.5 * time).exp();
    let noise = (1.0 - z * z).sqrt();
    each(particles, key, |position, stream| {
        let mut whitened = vec![0.0; position.len()];
        reference.whiten(position, &mut whitened);
        whitened
            .iter_mut()
            .for_each(|u| *u = z * *u + noise * normal(stream));
        reference.unwhiten(&whitened, position);
    });
}

/// Steps that leave the posterior of `density` invariant. A step size that is not fixed adapts to the acceptance, and a proposal's shape
/// to the particles.
fn invariant(
    density: &AtParams<'_>,
    kernel: &dyn Kernel,
    tuning: &mut Tuning,
    particles: &mut Particles,
    steps: usize,
    key: Key,
) -> Counts {
    let target = Target::posterior(density);
    let wanted = kernel.target_acceptance();
    if wanted.is_some() {
        kernel.fit(tuning, Population::of_positions(&particles.positions));
    }
    let streams = (0..particles.len() as u64).map(|j| key.item(j).stream());
    let mut mover = Mover::new(kernel, target, streams.collect());
    let counts = crate::engine::mover::evaluate(particles, target);
    mover.step(particles, [tuning, tuning], steps);
    if let Some(wanted) = wanted {
        let step_size = tuning.step_size * (mover.take_acceptance() - wanted).exp();
        tuning.step_size = step_size.min(kernel.max_step_size(tuning));
    }
    let mut all = mover.counts();
    all.merge(&counts);
    all
}
