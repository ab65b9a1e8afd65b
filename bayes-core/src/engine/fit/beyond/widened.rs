//! The mass of the posterior by draws that are moved apart.
//!
//! Draws of `q` whose distances from a point `m` are multiplied by `s` have the density `q(m + (x − m) / s) s⁻ᵈ`, which is known without
//! another evaluation of `q`. Their importance weights have the mean of the weights of the draws:
//!
//! ```text
//! Z = E p(x) / q(x) = E p(m + s (x − m)) sᵈ / q(x),    x from q
//! ```
//!
//! Tails that are heavier than those of `q` make the first estimate too low in most runs, with a small k-hat, and the second not.

use crate::density::{Counts, LogDensity, Particles, Target};
use crate::engine::mover;
use crate::numeric::log_mean_exp;
use crate::run::{Group, Widened};

/// The mass by the wider draws; `None` where one of the masses is not finite, or if the user stops the run.
pub(super) fn found(
    density: &dyn LogDensity,
    group: &Group,
    (counts, is_stopped): (&mut Counts, &dyn Fn() -> bool),
) -> Option<Widened> {
    let dim = density.dim();
    let ratios = super::log_ratios(group)?;
    let [own, own_variance] = log_mass(&ratios)?;
    if is_stopped() {
        return None;
    }
    // a Gaussian has weights of a variance below 6.4 in any number of coordinates
    let scale = 1.0 + 1.0 / (dim as f64).sqrt();
    let mut particles = Particles::new(ratios.len(), dim);
    particles.positions = moved_apart(&group.positions, dim, scale);
    let seen = mover::evaluate(&mut particles, Target::posterior(density));
    counts.density_evaluations += seen.density_evaluations;
    let log_volume = dim as f64 * scale.ln();
    let log_approximation = &group.independent()?.log_approximation;
    let terms = particles.log_prior.iter().zip(&particles.log_likelihood);
    let ratios: Vec<f64> = terms
        .zip(log_approximation)
        .map(|((prior, likelihood), own)| prior + likelihood - own + log_volume)
        .map(|ratio| {
            if ratio.is_nan() {
                f64::NEG_INFINITY
            } else {
                ratio
            }
        })
        .collect();
    let [wide, variance] = log_mass(&ratios)?;
    Some(Widened {
        scale,
        rise: wide - own,
        se: (own_variance + variance).sqrt(),
    })
}

/// The positions with their distances from their mean multiplied by `scale`, `[draws, dim]`.
fn moved_apart(positions: &[f64], dim: usize, scale: f64) -> Vec<f64> {
    let mut mean = vec![0.0; dim];
    let draws = positions.len() / dim;
    for row in positions.chunks_exact(dim) {
        let sums = mean.iter_mut().zip(row);
        sums.for_each(|(sum, x)| *sum += x / draws as f64);
    }
    let rows = positions.chunks_exact(dim);
    let moved = |row: &[f64]| -> Vec<f64> {
        let pairs = row.iter().zip(&mean);
        pairs.map(|(x, mean)| mean + scale * (x - mean)).collect()
    };
    rows.flat_map(moved).collect()
}

/// The logarithm of the mean weight, and the relative variance of this mean.
fn log_mass(log_ratios: &[f64]) -> Option<[f64; 2]> {
    let log_mean = log_mean_exp(log_ratios);
    let draws = log_ratios.len() as f64;
    let squares = log_ratios
        .iter()
        .map(|ratio| ((ratio - log_mean).exp() - 1.0).powi(2));
    let variance = squares.sum::<f64>() / (draws * draws);
    (log_mean.is_finite() && variance.is_finite()).then_some([log_mean, variance])
}
