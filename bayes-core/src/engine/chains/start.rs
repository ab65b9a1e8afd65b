//! The starting points of chains.

use crate::density::{Counts, LogDensity, Particles, Target};
use crate::engine::mover;
use crate::error::{Error, ValuesError};
use crate::model::fingerprint::Fingerprint;
use crate::model::{VariableKind, check_values};
use crate::rng::{Key, Stream};

/// Maximum number of prior draws, if none has a finite density.
const TRIES: usize = 100;
/// Number of prior draws per chain; the one of highest likelihood is the start. A single draw from a heavy-tailed
/// prior may be at a point where the density is finite but its slopes are so large that no trajectory is ever accepted.
pub(in crate::engine) const CANDIDATES: usize = 10;

/// Values of some random quantities at which chains start, `[elements]` of each, row-major.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct StartValues(Vec<(String, Vec<f64>)>);

impl StartValues {
    pub(in crate::engine) fn new(values: &[(&str, &[f64])]) -> Self {
        let owned = values.iter();
        Self(
            owned
                .map(|(name, x)| ((*name).to_owned(), x.to_vec()))
                .collect(),
        )
    }

    /// Names and a hash of the numbers, on which results depend; `None` without values.
    pub(in crate::engine) fn describe(&self) -> Option<String> {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        let numbers = self
            .0
            .iter()
            .flat_map(|(_, x)| x.iter().map(|x| x.to_bits()));
        let hash = Fingerprint::of(numbers);
        (!names.is_empty()).then(|| format!("{} ({hash:016x})", names.join(", ")))
    }

    /// Checks names, numbers of elements, and that the values are possible beside some draw of the other quantities.
    ///
    /// # Errors
    /// [`Error::Values`].
    pub(in crate::engine) fn validate(
        &self,
        density: &dyn LogDensity,
        key: Key,
    ) -> Result<(), Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        let description = density.describe();
        let mut random = description.layout.variables;
        random.retain(|variable| variable.kind != VariableKind::Deterministic);
        let values = self.0.iter();
        let values: Vec<(&str, &[f64])> = values
            .map(|(name, x)| (name.as_str(), x.as_slice()))
            .collect();
        let possible = || {
            check_values(&random, &values)?;
            let prior = density.prior().ok_or(ValuesError::NotByName)?;
            let mut position = vec![0.0; density.dim()];
            let mut draw = |item| {
                let mut stream = key.item(item).stream();
                prior.draw_at(&mut stream, &self.0, &mut position)
            };
            // a support may depend on what is drawn
            let first = draw(0);
            match first.is_err() && (1..TRIES as u64).any(|item| draw(item).is_ok()) {
                true => Ok(()),
                false => first,
            }
        };
        possible().map_err(|source| Error::Values {
            model: description.name,
            source,
        })
    }
}

/// As [`likeliest`], of draws that have these values.
///
/// # Errors
/// [`Error::StartAt`] in the place of [`Error::Start`].
pub(in crate::engine) fn likeliest_at(
    density: &dyn LogDensity,
    values: &StartValues,
    key: Key,
    counts: &mut Counts,
) -> Result<Particles, Error> {
    let Some(prior) = density.prior().filter(|_| !values.0.is_empty()) else {
        return likeliest(density, key, CANDIDATES, counts);
    };
    let draw = |stream: &mut Stream, position: &mut [f64], _: &mut Counts| {
        // a value that is impossible beside these others has no finite density
        let _ = prior.draw_at(stream, &values.0, position);
    };
    likeliest_of(density, draw, key, CANDIDATES, counts).map_err(|error| match error {
        Error::Start { model, tried, term } => Error::StartAt { model, tried, term },
        other => other,
    })
}

/// The draw of highest likelihood among this many prior draws, if one has a finite density; otherwise among the next ones. Draw
/// `i` is made by the stream of `key.stage(i)`.
///
/// # Errors
/// [`Error::Start`] if none of a hundred draws has a finite density.
pub(in crate::engine) fn likeliest(
    density: &dyn LogDensity,
    key: Key,
    candidates: usize,
    counts: &mut Counts,
) -> Result<Particles, Error> {
    let draw = |stream: &mut Stream, position: &mut [f64], counts: &mut Counts| {
        density.draw_start_counted(stream, position, counts);
    };
    likeliest_of(density, draw, key, candidates, counts)
}

/// As [`likeliest`], of what `draw` draws.
fn likeliest_of(
    density: &dyn LogDensity,
    draw: impl Fn(&mut Stream, &mut [f64], &mut Counts),
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
            draw(&mut key.stage(stage).stream(), position, counts);
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
