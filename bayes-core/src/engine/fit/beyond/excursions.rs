//! Short trajectories from the draws of an approximation: whether the posterior goes on beyond them.
//!
//! A trajectory of Hamiltonian Monte Carlo leaves the posterior invariant. If the importance weights turn the draws into the posterior,
//! starts that are chosen by the weights are of the posterior, ends too, and so is the mean of `ln w` at both:
//!
//! ```text
//! rise = (1/M) Σ ln w(xₘ′) − ln w(xₘ),    w = p(x, y) / q(x),    E rise = 0
//! ```
//!
//! In the neck of a funnel, or where a tail is too light, trajectories lead out to places that q hardly has, and the mean rises. Where
//! several starts are copies of one draw, their differences count as one.

use crate::density::Particles;
use crate::density::{Counts, LogDensity, Target};
use crate::diagnose::{Psis, psis};
use crate::engine::fit::approximation::Approximation;
use crate::engine::mover::Mover;
use crate::engine::smc::resample::Resampling;
use crate::kernel::{Hmc, Kernel, Population};
use crate::rng::{Key, Purpose};
use crate::run::{Excursions, Group};

/// Number of trajectories.
const NUMBER: usize = 128;
/// Number of moves of each in a round: momenta are redrawn between them.
const MOVES: usize = 4;
/// Maximum number of rounds. Another follows while the rise is more than its error explains, but not surely.
const ROUNDS: usize = 4;
/// No further move follows after this many gradients.
const GRADIENTS: u64 = 20_000;
/// A rise within this many of its errors is nothing; beyond the second number it is sure.
const DOUBT: f64 = 1.0;
const SURE: f64 = 5.0;
/// Number of draws to which the trajectories are fitted.
const FITTED: usize = 512;
/// Log ratios that differ by less are equal: the approximation is exact where it is.
const EQUAL: f64 = 1e-6;
/// The number of the group of the random streams; no chain and no island has this number.
const GROUP: u64 = u64::MAX - 5;

/// Trajectories from the draws; `None` where k-hat is too high already, or where the weights are equal, so that the approximation is exact
/// wherever a short trajectory leads.
pub(super) fn made(
    approximation: &dyn Approximation,
    density: &dyn LogDensity,
    (group, seed): (&Group, u64),
    (counts, is_stopped): (&mut Counts, &dyn Fn() -> bool),
) -> Option<Excursions> {
    if is_stopped() {
        return None;
    }
    let ratios = super::log_ratios(group)?;
    let weights = usable(&ratios)?;
    let key = Key::new(seed, Purpose::Approximation).group(GROUP);
    let mut stream = key.item(u64::MAX).stream();
    let starts = Resampling::Systematic.ancestors(&weights, NUMBER, &mut stream);
    let fitted = Resampling::Systematic.ancestors(&weights, FITTED, &mut stream);
    let kernel = Hmc::new();
    let mut tuning = kernel.init(density).ok()?;
    let positions = rows(group, density.dim(), &fitted);
    kernel.fit(&mut tuning, Population::of_positions(&positions));
    let mut particles = Particles::new(NUMBER, density.dim());
    particles.positions = rows(group, density.dim(), &starts);
    let streams = (0..NUMBER as u64).map(|i| key.item(i).stream());
    let mut mover = Mover::new(&kernel, Target::posterior(density), streams.collect());
    let mut found = None;
    let is_over =
        |mover: &Mover<'_>| is_stopped() || mover.counts().gradient_evaluations >= GRADIENTS;
    for _ in 0..ROUNDS {
        // fewer moves leave the posterior invariant as well
        for _ in 0..MOVES {
            mover.step(&mut particles, [&tuning, &tuning], 1);
            if is_over(&mover) {
                break;
            }
        }
        let ends = log_weights(approximation, &particles);
        let rises = starts.iter().zip(&ends);
        let rises: Vec<f64> = rises
            .map(|(start, end)| end - ratios[*start as usize])
            .collect();
        let (rise, se) = mean_of_clusters(&rises, &starts);
        if !(rise.is_finite() && se.is_finite()) {
            break;
        }
        let [_, largest] = ends_of(&ratios);
        let beyond = ends.iter().filter(|end| **end > largest).count() as u64;
        let number = NUMBER as u64;
        found = Some(Excursions {
            number,
            rise,
            se,
            beyond,
        });
        if rise < DOUBT * se || rise > SURE * se || is_over(&mover) {
            break;
        }
    }
    // trial steps that meet no density are no failures of the draws
    let of_moves = mover.counts();
    counts.gradient_evaluations += of_moves.gradient_evaluations;
    counts.density_evaluations += of_moves.density_evaluations;
    found
}

/// The least and the largest number.
fn ends_of(numbers: &[f64]) -> [f64; 2] {
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    [
        least,
        numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    ]
}

/// The weights, `[draws]`; `None` if k-hat is too high, or if they are equal.
fn usable(ratios: &[f64]) -> Option<Vec<f64>> {
    let [least, largest] = ends_of(ratios);
    if !largest.is_finite() || largest - least <= EQUAL {
        return None;
    }
    let found = psis(ratios, 1.0);
    let is_close = found.pareto_k <= Psis::finite_k(ratios.len());
    is_close.then(|| found.log_weights.iter().map(|log| log.exp()).collect())
}

/// The log ratio of the densities of the posterior and of the approximation at each particle.
fn log_weights(approximation: &dyn Approximation, particles: &Particles) -> Vec<f64> {
    let log_weight = |i: usize| {
        let value = particles.log_prior[i] + particles.log_likelihood[i];
        value - approximation.log_density(particles.position(i))
    };
    (0..particles.len()).map(log_weight).collect()
}

/// The positions of some draws, `[chosen, dim]`.
fn rows(group: &Group, dim: usize, chosen: &[u32]) -> Vec<f64> {
    let row = |i: &u32| &group.positions[*i as usize * dim..][..dim];
    chosen.iter().flat_map(row).copied().collect()
}

/// The mean, and its standard error where numbers with the same label, which are neighbours, belong together.
fn mean_of_clusters(numbers: &[f64], labels: &[u32]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let mut square = 0.0;
    let mut place = 0;
    for cluster in labels.chunk_by(|a, b| a == b) {
        let own = &numbers[place..place + cluster.len()];
        square += own.iter().map(|x| x - mean).sum::<f64>().powi(2);
        place += cluster.len();
    }
    (mean, square.sqrt() / count)
}

#[cfg(test)]
mod tests {
    use super::mean_of_clusters;

    /// Four copies of two numbers have the error of two: the deviations of each pair are added before they are squared.
    #[test]
    fn copies_of_a_draw_count_as_one() {
        let (mean, se) = mean_of_clusters(&[1.0, 1.0, 3.0, 3.0], &[4, 4, 9, 9]);
        assert_eq!((mean, se), (2.0, 8f64.sqrt() / 4.0));
        let (_, apart) = mean_of_clusters(&[1.0, 1.0, 3.0, 3.0], &[1, 2, 3, 4]);
        assert_eq!(apart, 0.5);
    }
}
