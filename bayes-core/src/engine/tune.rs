//! Tunes a kernel's step size to its target acceptance by trial moves that are discarded.

use super::mover::Mover;
use crate::density::{Counts, Particles, Target};
use crate::kernel::{Kernel, Tuning};
use crate::rng::Key;
use std::ops::Range;

/// Trial moves stop when the acceptance is this close to the target.
const TOLERANCE: f64 = 0.06;
/// Maximum number of trial moves of a pilot particle.
const TRIALS: usize = 12;

/// Sets `tuning.step_size` so that the mean acceptance of a few of `particles` (from the range `among`) is the kernel's target.
///
/// Every trial starts from the same particles with the same random numbers (streams of `key`), so that the acceptance is nearly monotone
/// in the step size. Doubling or halving brackets the target, and bisection of the logarithm finds it. The trial moves are discarded.
/// Like every adaptation to the particles, the result is frozen before the moves.
pub(super) fn tune_step_size(
    kernel: &dyn Kernel,
    tuning: &mut Tuning,
    target: Target<'_>,
    particles: &Particles,
    among: Range<usize>,
    key: Key,
) -> Counts {
    let mut counts = Counts::default();
    let Some(wanted) = kernel.target_acceptance() else {
        return counts;
    };
    let own = kernel.pilot();
    let kernel = own.as_deref().unwrap_or(kernel);
    let pilot = Pilot {
        kernel,
        target,
        particles: spread(particles, among),
        key,
    };
    // the tuned step size is the longest of the mixture
    let step_size_mixture = std::mem::take(&mut tuning.step_size_mixture);
    let (mut low, mut high) = (None, None);
    let mut best = (f64::INFINITY, tuning.step_size);
    for _ in 0..TRIALS {
        let acceptance = pilot.acceptance(tuning, &mut counts);
        let step = tuning.step_size;
        let miss = (acceptance - wanted).abs();
        if miss < best.0 {
            best = (miss, step);
        }
        if miss <= TOLERANCE {
            break;
        }
        if acceptance > wanted {
            low = Some(step)
        } else {
            high = Some(step)
        }
        let next = match (low, high) {
            (Some(low), Some(high)) => f64::sqrt(low * high),
            (Some(low), None) => 2.0 * low,
            (None, Some(high)) => 0.5 * high,
            (None, None) => break,
        };
        tuning.step_size = next.min(kernel.max_step_size(tuning));
        if tuning.step_size == step {
            break;
        }
    }
    tuning.step_size = best.1;
    tuning.step_size_mixture = step_size_mixture;
    counts
}

/// Maximum number of pilot particles.
const PILOTS: usize = 32;

/// At most [`PILOTS`] of the particles in `among`, at equal distances, because neighbours after resampling are copies of each other.
fn spread(particles: &Particles, among: Range<usize>) -> Particles {
    let size = among.len().min(PILOTS);
    let indices: Vec<u32> = (0..size)
        .map(|i| (among.start + i * among.len() / size) as u32)
        .collect();
    particles.select(&indices)
}

struct Pilot<'a> {
    kernel: &'a dyn Kernel,
    target: Target<'a>,
    particles: Particles,
    key: Key,
}

impl Pilot<'_> {
    fn acceptance(&self, tuning: &Tuning, counts: &mut Counts) -> f64 {
        let mut particles = self.particles.clone();
        let streams = (0..particles.len() as u64)
            .map(|item| self.key.item(item).stream())
            .collect();
        let mut mover = Mover::new(self.kernel, self.target, streams);
        mover.refresh(&mut particles);
        mover.step(&mut particles, [tuning, tuning], 1);
        counts.merge(&mover.counts().of_trials());
        mover.take_acceptance()
    }
}
