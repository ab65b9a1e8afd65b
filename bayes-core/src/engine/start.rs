//! The starting points of chains.

use super::mover;
use crate::density::{Counts, LogDensity, Particles, Target};
use crate::error::Error;
use crate::rng::Key;

/// Maximum number of prior draws, if none has a finite density.
const TRIES: usize = 100;
/// Number of prior draws per chain; the one of highest likelihood is the start. A single draw from a heavy-tailed
/// prior may be at a point where the density is finite but its slopes are so large that no trajectory is ever accepted.
pub(super) const CANDIDATES: usize = 10;

/// The draw of highest likelihood among this many prior draws, if one has a finite density; otherwise among the next ones. Draw
/// `i` is made by the stream of `key.stage(i)`.
///
/// # Errors
/// [`Error::Start`] if none of a hundred draws has a finite density.
pub(super) fn likeliest(
    density: &dyn LogDensity,
    key: Key,
    candidates: usize,
    counts: &mut Counts,
) -> Result<Particles, Error> {
    let dim = density.dim();
    let target = Target::posterior(density);
    let mut drawn = Particles::new(candidates, dim);
    for attempt in 0..TRIES / candidates {
        for (k, position) in drawn.positions.chunks_exact_mut(dim).enumerate() {
            let stage = (attempt * candidates + k) as u32;
            density.draw_start_counted(&mut key.stage(stage).stream(), position, counts);
        }
        counts.merge(&mover::evaluate(&mut drawn, target));
        let block = drawn.block();
        let best = (0..candidates as u32)
            .filter(|i| target.log_density(&block, *i as usize).is_finite())
            .max_by(|i, j| {
                let likelihood = |i: &u32| block.log_likelihood[*i as usize];
                likelihood(i).total_cmp(&likelihood(j))
            });
        if let Some(best) = best {
            return Ok(drawn.select(&[best]));
        }
    }
    Err(density.start_error(drawn.position(candidates - 1), TRIES))
}
