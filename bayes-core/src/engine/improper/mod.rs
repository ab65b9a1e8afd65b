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
//! from draws of the prior find where f rises without end ([`climbs`]); from there m is followed outwards ([`ridge`]). Where f becomes
//! level, such as the likelihood of separable data in a regression, it is enough that f does not fall on a line ([`ray`]).

mod name;
mod ray;
mod ridge;

use super::ascent::{Climb, Points, climbs, prior_draws};
use super::common::Common;
use crate::density::LogDensity;
use crate::error::{Error, Improper};
use crate::rng::{Key, Purpose};
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of coordinates: a step along a ridge takes at least two gradients for each of them.
const MAX_DIM: usize = 200;
/// The maximum number of gradients of a search, less than a tenth of the gradients of a default run.
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
pub(crate) fn find(density: &dyn LogDensity, seed: u64) -> Option<Improper> {
    let description = density.describe();
    let is_continuous =
        !description.discrete.contains(&true) && !description.params.contains(&true);
    if density.dim() == 0 || density.dim() > MAX_DIM || !is_continuous {
        return None;
    }
    let points = Points::of(density, GRADIENTS);
    let key = Key::new(seed, Purpose::Validation).group(GROUP);
    let starts = prior_draws(&points, key, CLIMBS);
    climbs(&points, starts)
        .iter()
        .take(LOOKED_AT)
        .find_map(|climb| from(&points, climb))
}

/// The finding from the top of a climb, or from the place that it reached.
fn from(points: &Points<'_>, climb: &Climb) -> Option<Improper> {
    // where neighbouring doubles are far apart, rounding hides a proper prior
    let value = climb.end.value.abs();
    if value.next_up() - value > RESOLUTION {
        return None;
    }
    let ridge = || ridge::find(points, climb);
    let out = ray::find(points, climb).or_else(ridge)?;
    Some(name::named(points.density, &out))
}

/// A line outwards on which the posterior does not fall: a place on the line, and one further out.
struct Outwards {
    coordinate: usize,
    near: Vec<f64>,
    far: Vec<f64>,
}

/// The families of densities without a finding in this process.
static SEARCHED: Mutex<BTreeSet<(u64, usize)>> = Mutex::new(BTreeSet::new());

fn searched() -> MutexGuard<'static, BTreeSet<(u64, usize)>> {
    SEARCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The family of a density, with its number of coordinates.
fn family(density: &dyn LogDensity) -> Option<(u64, usize)> {
    Some((density.quantities().family()?, density.dim()))
}

/// Remembers that a check of this density was finished without a finding.
pub(super) fn remember(density: &dyn LogDensity, common: &Common) {
    if common.checks_propriety {
        searched().extend(family(density));
    }
}

/// Refuses a density whose posterior is seen to be improper, unless the user knows better. A run that goes on from a folder is searched
/// again: its files do not say whether it was searched when it began.
///
/// A model is searched once in a process: the folds of a cross-validation, the refits of observations and the parts of the data belong to
/// the family of their model.
///
/// # Errors
/// [`Error::Improper`].
pub(super) fn check(density: &dyn LogDensity, common: &Common) -> Result<(), Error> {
    let is_known = || family(density).is_some_and(|family| searched().contains(&family));
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

    /// A normal density of a family, which counts its evaluations.
    struct Counted {
        family: Option<u64>,
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
        fn family(&self) -> Option<u64> {
            self.family
        }
    }

    fn evaluations(family: Option<u64>, common: &Common) -> usize {
        let density = Counted {
            family,
            evaluations: AtomicUsize::new(0),
        };
        check(&density, common).expect("a normal density is proper");
        remember(&density, common);
        density.evaluations.into_inner()
    }

    /// Seen to detect a search in each fold, and one that is left out for other models.
    #[test]
    fn a_family_is_searched_once() {
        let common = Common::new("nuts");
        let unchecked = Common {
            checks_propriety: false,
            ..Common::new("nuts")
        };
        assert_eq!(evaluations(Some(71), &unchecked), 0);
        assert!(evaluations(Some(71), &common) > 0);
        assert_eq!(evaluations(Some(71), &common), 0);
        assert!(evaluations(Some(72), &common) > 0);
        assert!(evaluations(None, &common) > 0);
        assert!(evaluations(None, &common) > 0);
    }
}
