//! The starting points of chains.

use super::mover;
use crate::density::{Counts, LogDensity, Particles, Target};
use crate::error::Error;
use crate::rng::Key;

/// Maximum number of attempts with new draws, if none has a finite density.
const TRIES: usize = 10;
/// Number of prior draws per chain; the one of highest likelihood is the start. A single draw from a heavy-tailed
/// prior may be at a point where the density is finite but its slopes are so large that no trajectory is ever accepted.
const CANDIDATES: usize = 10;

/// The draw of highest likelihood among ten prior draws with finite density; if there is none, among the next ten. Draw
/// `i` is made by the stream of `key.stage(i)`.
///
/// # Errors
/// [`Error::Start`] if none of a hundred draws has a finite density.
pub(super) fn likeliest(
    density: &dyn LogDensity,
    key: Key,
    counts: &mut Counts,
) -> Result<Particles, Error> {
    let dim = density.dim();
    let target = Target::posterior(density);
    let mut candidates = Particles::new(CANDIDATES, dim);
    for attempt in 0..TRIES {
        for (k, position) in candidates.positions.chunks_exact_mut(dim).enumerate() {
            let stage = (attempt * CANDIDATES + k) as u32;
            density.draw_start(&mut key.stage(stage).stream(), position);
        }
        counts.merge(&mover::evaluate(&mut candidates, target));
        let block = candidates.block();
        let best = (0..CANDIDATES as u32)
            .filter(|i| target.log_density(&block, *i as usize).is_finite())
            .max_by(|i, j| {
                let likelihood = |i: &u32| block.log_likelihood[*i as usize];
                likelihood(i).total_cmp(&likelihood(j))
            });
        if let Some(best) = best {
            return Ok(candidates.select(&[best]));
        }
    }
    Err(density.start_error(candidates.position(CANDIDATES - 1), TRIES * CANDIDATES))
}
