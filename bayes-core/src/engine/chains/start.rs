//! The starting points of chains.

use crate::density::{Counts, LogDensity, Particles, Target};
use crate::engine::mover;
use crate::error::{Error, ValuesError};
use crate::kernel::named;
use crate::model::fingerprint::Fingerprint;
use crate::model::{VariableKind, check_values};
use crate::order;
use crate::rng::{Key, Stream};
use crate::transform::NEAR_ZERO;
use rand::RngExt;

/// The distance from 0 beyond which a draw of a vague coordinate is out of reach. The draws of a vague coordinate spread over at least
/// twice this distance. On a logarithmic scale it is a factor of 5e8.
const FAR: f64 = 20.0;
/// Maximum number of prior draws, if none has a finite density.
const TRIES: usize = 100;
/// Number of prior draws per chain; the one of highest likelihood is the start. A single draw from a heavy-tailed
/// prior may be at a point where the density is finite but its slopes are so large that no trajectory is ever accepted.
pub(in crate::engine) const CANDIDATES: usize = 10;

/// How a chain finds its starting point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Starts {
    /// The likeliest of ten prior draws; near 0 where a prior is vague or [`Flat`](crate::dist::Flat).
    #[default]
    Prior,
    /// A draw of the Gaussian that a path of [`Inference::pathfinder`](crate::engine::Inference::pathfinder) with its defaults finds, one path
    /// for each chain (or superchain in each group of 16 chains), from the start that [`Starts::Prior`] would take. A chain whose path fails
    /// starts where its path did.
    ///
    /// Chains then begin where the posterior is, after some dozens of gradients each, which the run counts. But they begin closer together
    /// than the posterior is wide, so that R-hat sees less of a mode that all paths miss. Needs a gradient.
    Pathfinder,
}

/// All of them, by name.
const NAMED: [(&str, Starts); 2] = [("prior", Starts::Prior), ("pathfinder", Starts::Pathfinder)];

impl Starts {
    /// The names of all of them.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|(name, _)| *name)
    }

    /// The one with this name.
    ///
    /// # Errors
    /// [`Error::Setting`] with the valid names.
    pub fn by_name(name: &str) -> Result<Self, Error> {
        named("starts", &NAMED, name).copied()
    }
}

/// Values of some random quantities at which chains start: `[elements]` for each quantity, row-major.
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

    pub(in crate::engine) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names and a hash of the numbers, which the results depend on; `None` without values.
    pub(in crate::engine) fn describe(&self) -> Option<String> {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        let numbers = self
            .0
            .iter()
            .flat_map(|(_, x)| x.iter().map(|x| x.to_bits()));
        let hash = Fingerprint::of(numbers);
        (!names.is_empty()).then(|| format!("{} ({hash:016x})", names.join(", ")))
    }

    /// Checks names and numbers of elements, and that the values are possible together with some draw of the other quantities.
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
            // a support may depend on drawn values
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

/// Same as [`likeliest`], for draws with these values.
///
/// # Errors
/// [`Error::StartAt`] instead of [`Error::Start`].
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
    // the coordinates of a value may depend on the other values, so no coordinate is moved
    let kept = vec![true; density.dim()];
    likeliest_of(density, draw, key, (CANDIDATES, &kept), counts).map_err(|error| match error {
        Error::Start {
            model,
            tried,
            term,
            cause,
        } => Error::StartAt {
            model,
            tried,
            term,
            cause,
        },
        other => other,
    })
}

/// The draw of highest likelihood among this number of prior draws, if one has a finite density; otherwise among the next ones. The
/// stream of `key.stage(i)` makes draw `i`.
///
/// A draw from a vague prior, such as Gamma(0.001, 0.001) for a precision, may be hundreds of orders of magnitude away from every
/// plausible value and still have the highest likelihood. No chain returns from there. So where the draws of a coordinate are vague
/// ([`is_vague`]), the draws far from 0 give way to copies of all draws, with the vague coordinates uniform near 0, where Stan starts.
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
    let kept = density.describe().discrete;
    likeliest_of(density, draw, key, (candidates, &kept), counts)
}

/// Same as [`likeliest`], for the points of `draw`; coordinates that are `kept` are never replaced.
fn likeliest_of(
    density: &dyn LogDensity,
    draw: impl Fn(&mut Stream, &mut [f64], &mut Counts),
    key: Key,
    (candidates, kept): (usize, &[bool]),
    counts: &mut Counts,
) -> Result<Particles, Error> {
    let dim = density.dim();
    let target = Target::posterior(density);
    let mut positions = vec![0.0; candidates * dim];
    for attempt in 0..TRIES / candidates {
        let stream = |k: usize| key.stage((attempt * candidates + k) as u32).stream();
        for (k, position) in positions.chunks_exact_mut(dim).enumerate() {
            draw(&mut stream(k), position, counts);
        }
        let is_vague = |k: usize| !kept[k] && is_vague(&positions, dim, k);
        let is_vague: Vec<bool> = (0..dim).map(is_vague).collect();
        let all = match is_vague.contains(&true) {
            true => with_near_zero(&positions, &is_vague, |k| stream(TRIES + k)),
            false => positions.clone(),
        };
        let mut drawn = Particles::new(all.len() / dim, dim);
        drawn.positions = all;
        counts.merge(&mover::evaluate(&mut drawn, target));
        let block = drawn.block();
        let best = (0..block.len() as u32)
            .filter(|i| target.log_density(&block, *i as usize).is_finite())
            .max_by(|i, j| {
                let likelihood = |i: &u32| block.log_likelihood[*i as usize];
                likelihood(i).total_cmp(&likelihood(j))
            });
        if let Some(best) = best {
            return Ok(drawn.select(&[best]));
        }
    }
    Err(density.start_error(&positions[(candidates - 1) * dim..], TRIES))
}

/// Whether the prior draws of a coordinate, in `[draws, dim]`, are vague: spread so widely that a draw may be anywhere, and centred
/// around 0.
fn is_vague(positions: &[f64], dim: usize, coordinate: usize) -> bool {
    let values = positions.iter().skip(coordinate).step_by(dim);
    let mut values: Vec<f64> = values.copied().collect();
    order::sort(&mut values);
    // without the two extremes, which a heavy tail produces
    let middle = match values.len() {
        ..5 => &values[..],
        many => &values[1..many - 1],
    };
    let (Some(low), Some(high)) = (middle.first(), middle.last()) else {
        return false;
    };
    let spread = high - low;
    let holds_zero = low - spread <= 0.0 && high + spread >= 0.0;
    spread.is_nan() || (spread > 2.0 * FAR && holds_zero)
}

/// From prior draws, `[draws, dim]`: the draws that are not far from 0 in a vague coordinate, then all draws with their vague coordinates
/// replaced by numbers near 0.
fn with_near_zero(
    positions: &[f64],
    is_vague: &[bool],
    stream: impl Fn(usize) -> Stream,
) -> Vec<f64> {
    let draws = || positions.chunks_exact(is_vague.len());
    let is_within = |draw: &&[f64]| {
        let mut pairs = draw.iter().zip(is_vague);
        pairs.all(|(x, is_vague)| !is_vague || x.abs() <= FAR)
    };
    let mut all: Vec<f64> = draws().filter(is_within).flatten().copied().collect();
    for (k, draw) in draws().enumerate() {
        let mut stream = stream(k);
        let near = draw
            .iter()
            .zip(is_vague)
            .map(|(x, is_vague)| match is_vague {
                true => stream.random_range(NEAR_ZERO),
                false => *x,
            });
        all.extend(near);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{is_vague, with_near_zero};
    use crate::rng::{Key, Purpose};

    #[test]
    fn a_coordinate_is_vague_if_its_draws_are_anywhere_around_0() {
        let vague = |draws: [f64; 10]| is_vague(&draws, 1, 0);
        let gamma = [
            -700.0, -3.0, -2000.0, -90.0, 12.0, -400.0, -5.0, -1100.0, -60.0, -250.0,
        ];
        assert!(vague(gamma));
        assert!(vague(gamma.map(|x| 3.0 * x.abs() - 500.0)));
        assert!(vague([f64::NAN; 10]));
        // normal with sd 1 and 10, and with sd 50 far from 0; a heavy tail
        let normal = [-1.2, 0.3, 0.8, -0.4, 1.9, 0.1, -0.9, 1.1, -2.0, 0.5];
        assert!(!vague(normal) && !vague(normal.map(|x| 10.0 * x)));
        assert!(!vague(normal.map(|x| 1500.0 + 50.0 * x)));
        assert!(!vague([
            -1.2, 0.3, 0.8, -0.4, 1e9, 0.1, -0.9, 1.1, -1e9, 0.5
        ]));
    }

    #[test]
    fn only_vague_coordinates_come_near_0() {
        let positions = [-700.0, 1000.0, -3.0, 1001.0, 15.0, 999.0];
        let stream = |k: usize| Key::new(1, Purpose::Initial).stage(k as u32).stream();
        let all = with_near_zero(&positions, &[true, false], stream);
        assert_eq!(all[..4], [-3.0, 1001.0, 15.0, 999.0]);
        let near: Vec<&[f64]> = all[4..].chunks(2).collect();
        assert!(near.iter().all(|point| point[0].abs() < 2.0), "{near:?}");
        let others: Vec<f64> = near.iter().map(|point| point[1]).collect();
        assert_eq!(others, [1000.0, 1001.0, 999.0]);
    }
}
