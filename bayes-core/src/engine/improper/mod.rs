//! Detects an improper posterior before a run: a density that does not fall enough towards an edge of the space.
//!
//! An unbounded density may still have a finite integral. For example, the density of a hierarchical model in its centred form rises
//! without end as its scale `tau` goes to 0, but the volume around the ridge shrinks faster. So the integral over all other coordinates
//! decides, as a function of the outgoing coordinate:
//!
//! ```text
//! m(t) = ln ∫ exp f(t, x) dx ≈ max_x f(t, x) − ½ ln |−∂²f/∂x²|,      f the log density with Jacobians, t and x unconstrained
//! ```
//!
//! (the Laplace approximation of a marginal: Tierney and Kadane 1986, equation 4.1). The posterior is improper if m does not fall. Climbs
//! from draws of the prior find where f rises without end (`climbs`); from there m is followed outwards (`ridge`). Where f becomes
//! level, such as the likelihood of separable data in a regression, it is enough that f does not fall on a line (`ray`). Climbs may all end
//! at a mode, so coordinates are also held near the edges of their supports (`squeeze`), and followed where the prior does not fall (`loose`).

mod loose;
mod name;
mod ray;
mod ridge;
mod squeeze;

use super::ascent::{Point, Points, climbs, prior_draws};
use super::common::Common;
use crate::density::LogDensity;
use crate::error::{Error, Improper};
use crate::rng::{Key, Purpose};
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of coordinates: a step along a ridge takes at least two gradients for each of them.
const MAX_DIM: usize = 200;
/// The maximum number of gradients of a search: less than a tenth of what a default run that samples takes, and more than an approximation may
/// take. A search takes some hundred to some thousand: each edge of a support takes up to 1,536.
const GRADIENTS: usize = 30_000;
/// Number of climbs; they fill the SIMD lanes.
const CLIMBS: usize = 8;
/// The number of the group of the random streams; no chain and no island has this number.
const GROUP: u64 = u64::MAX - 3;
/// The number of climbs that are examined, the highest first.
const LOOKED_AT: usize = 3;

/// A climb can be judged only if neighbouring doubles at its log density are at most this far apart.
const RESOLUTION: f64 = 1e-6;

/// The edge towards which a posterior is improper, if one is found from draws of the prior by this seed. `None` does not prove the
/// contrary. Densities of more than 200 coordinates, of whole numbers, or with params are not searched.
#[must_use]
pub fn find(density: &dyn LogDensity, seed: u64) -> Option<Improper> {
    let description = density.describe();
    let is_continuous =
        !description.discrete.contains(&true) && !description.params.contains(&true);
    if density.dim() == 0 || density.dim() > MAX_DIM || !is_continuous {
        return None;
    }
    let points = Points::of(density, GRADIENTS);
    let key = Key::new(seed, Purpose::Validation).group(GROUP);
    let starts = prior_draws(&points, key, CLIMBS);
    let climbs = climbs(&points, starts);
    let highest = climbs.first()?;
    let at_ends = climbs.iter().take(LOOKED_AT);
    at_ends
        .filter(|climb| is_resolved(&climb.end))
        .find_map(|climb| ray::find(&points, climb).or_else(|| ridge::find(&points, climb)))
        .or_else(|| loose::find(&points, highest))
        .or_else(|| squeeze::find(&points, &climbs))
        .map(|out| name::named(density, &out))
}

/// Whether neighbouring doubles are close enough at this log density. Otherwise rounding hides a proper prior.
fn is_resolved(point: &Point) -> bool {
    let value = point.value.abs();
    value.next_up() - value <= RESOLUTION
}

/// A line outwards on which the posterior does not fall: a place on the line, and one further out.
struct Outwards {
    coordinate: usize,
    near: Vec<f64>,
    far: Vec<f64>,
}

/// What determines a search: the model with exactly its data, the number of coordinates, and the seed. So what is found does not depend
/// on what ran before.
type Search = (u64, usize, u64);

/// The searches without a finding in this process.
static SEARCHED: Mutex<BTreeSet<Search>> = Mutex::new(BTreeSet::new());

fn searched() -> MutexGuard<'static, BTreeSet<Search>> {
    SEARCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The search of a density; `None` if its model or its data are unknown.
fn search_of(density: &dyn LogDensity, seed: u64) -> Option<Search> {
    Some((density.quantities().identity()?, density.dim(), seed))
}

/// Remembers that a check of this density was finished without a finding.
pub(super) fn remember(density: &dyn LogDensity, common: &Common) {
    if common.checks_propriety {
        searched().extend(search_of(density, common.seed));
    }
}

/// Refuses a density whose posterior is seen to be improper, unless the user knows better. A run that goes on from a folder is searched
/// again: its files do not say whether it was searched when it began.
///
/// A model with the same data and seed is searched once in a process. A fold of a cross-validation, the refit of an observation and a part
/// of the data are searched themselves: fewer rows may not determine all coordinates.
///
/// # Errors
/// [`Error::Improper`].
pub(super) fn check(density: &dyn LogDensity, common: &Common) -> Result<(), Error> {
    let is_known =
        || search_of(density, common.seed).is_some_and(|search| searched().contains(&search));
    if !common.checks_propriety || is_known() {
        return Ok(());
    }
    match find(density, common.seed) {
        Some(found) => Err(Error::Improper {
            model: density.describe().name,
            found,
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::{Block, Quantities};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A normal density with an identity, which counts its evaluations.
    struct Counted {
        identity: Option<u64>,
        evaluations: AtomicUsize,
    }

    impl LogDensity for Counted {
        fn dim(&self) -> usize {
            1
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            self.evaluations.fetch_add(1, Ordering::Relaxed);
            block.fill(|x| [0.0, -0.5 * x[0] * x[0]]);
        }
        fn quantities(&self) -> &dyn Quantities {
            self
        }
    }

    impl Quantities for Counted {
        fn identity(&self) -> Option<u64> {
            self.identity
        }
    }

    fn evaluations(identity: Option<u64>, common: &Common) -> usize {
        let density = Counted {
            identity,
            evaluations: AtomicUsize::new(0),
        };
        check(&density, common).expect("a normal density is proper");
        remember(&density, common);
        density.evaluations.into_inner()
    }

    /// Would detect a second search of the same data, and one that is left out for other data or another seed.
    #[test]
    fn the_same_data_are_searched_once() {
        let common = Common::new("nuts");
        let unchecked = Common {
            checks_propriety: false,
            ..Common::new("nuts")
        };
        assert_eq!(evaluations(Some(71), &unchecked), 0);
        assert!(evaluations(Some(71), &common) > 0);
        assert_eq!(evaluations(Some(71), &common), 0);
        assert!(evaluations(Some(72), &common) > 0);
        let other = Common {
            seed: 9,
            ..common.clone()
        };
        assert!(evaluations(Some(71), &other) > 0);
        assert!(evaluations(None, &common) > 0);
        assert!(evaluations(None, &common) > 0);
    }
}
