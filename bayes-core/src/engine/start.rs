//! The starting points of chains.

use super::mover;
use crate::density::{Block, Counts, LogDensity, Particles, Prior, Quantities, Target};
use crate::error::{Error, ValuesError};
use crate::model::fingerprint::Fingerprint;
use crate::model::{VariableKind, check_values};
use crate::rng::{Key, Stream};

/// Maximum number of prior draws, if none has a finite density.
const TRIES: usize = 100;
/// Number of prior draws per chain; the one of highest likelihood is the start. A single draw from a heavy-tailed
/// prior may be at a point where the density is finite but its slopes are so large that no trajectory is ever accepted.
pub(super) const CANDIDATES: usize = 10;

/// Values of some random quantities at which chains start, `[elements]` of each, row-major.
#[derive(Clone, Debug, Default)]
pub(super) struct StartValues(Vec<(String, Vec<f64>)>);

impl StartValues {
    pub(super) fn new(values: &[(&str, &[f64])]) -> Self {
        let owned = values.iter();
        Self(
            owned
                .map(|(name, x)| ((*name).to_owned(), x.to_vec()))
                .collect(),
        )
    }

    /// Names and a hash of the numbers, on which results depend; `None` without values.
    pub(super) fn describe(&self) -> Option<String> {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        let numbers = self
            .0
            .iter()
            .flat_map(|(_, x)| x.iter().map(|x| x.to_bits()));
        let hash = Fingerprint::of(numbers);
        (!names.is_empty()).then(|| format!("{} ({hash:016x})", names.join(", ")))
    }

    /// Checks names, numbers of elements, and at one draw of the other quantities that the values are possible.
    ///
    /// # Errors
    /// [`Error::Values`].
    pub(super) fn validate(&self, density: &dyn LogDensity, key: Key) -> Result<(), Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        let description = density.describe();
        let mut random = description.layout.variables;
        random.retain(|variable| variable.kind != VariableKind::Deterministic);
        let values: Vec<(&str, &[f64])> = (self.0.iter())
            .map(|(name, x)| (name.as_str(), x.as_slice()))
            .collect();
        let possible = || {
            check_values(&random, &values)?;
            let prior = density.prior().ok_or(ValuesError::NotByName)?;
            prior.draw_at(&mut key.stream(), &self.0, &mut vec![0.0; density.dim()])
        };
        possible().map_err(|source| Error::Values {
            model: description.name,
            source,
        })
    }
}

/// A density whose starting points have given values, to be asked for nothing else.
struct StartsAt<'a> {
    density: &'a dyn LogDensity,
    values: &'a StartValues,
}

impl LogDensity for StartsAt<'_> {
    fn dim(&self) -> usize {
        self.density.dim()
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        self.density.evaluate(block);
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
    fn quantities(&self) -> &dyn Quantities {
        self.density.quantities()
    }
    fn block_size(&self) -> usize {
        self.density.block_size()
    }
}

impl Prior for StartsAt<'_> {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        if let Some(prior) = self.density.prior() {
            // a value that is impossible beside these others has no finite density
            let _ = prior.draw_at(stream, &self.values.0, position);
        }
    }
}

/// As [`likeliest`], of draws that have these values.
///
/// # Errors
/// [`Error::StartAt`] in the place of [`Error::Start`].
pub(super) fn likeliest_at(
    density: &dyn LogDensity,
    values: &StartValues,
    key: Key,
    counts: &mut Counts,
) -> Result<Particles, Error> {
    if values.0.is_empty() {
        return likeliest(density, key, CANDIDATES, counts);
    }
    let found = likeliest(&StartsAt { density, values }, key, CANDIDATES, counts);
    found.map_err(|error| match error {
        Error::Start { model, tried, term } => Error::StartAt { model, tried, term },
        other => other,
    })
}

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
