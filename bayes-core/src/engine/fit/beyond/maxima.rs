//! The maxima of the log density that climbs find, and how many draws of an approximation are near each.

use crate::density::{Counts, LogDensity};
use crate::engine::ascent::{Climb, Peak, Points, climbs, prior_draws};
use crate::numeric::log_mean_exp;
use crate::rng::{Key, Purpose};
use crate::run::{Climbs, Group, LocalMass, Maximum};

/// Maximum number of coordinates: the Hessian of a maximum takes two gradients for each.
const MAX_DIM: usize = 100;
/// Maximum number of gradients of all climbs.
const GRADIENTS: usize = 5_000;
/// Least number of climbs: those from known places, and for the rest from draws of the prior. They fill the SIMD lanes.
const CLIMBS: usize = 8;
/// Maximum number of known places from which there are climbs.
const MOST_STARTS: usize = 64;
/// Maximum number of places whose curvature is examined.
const PLACES: usize = 16;
/// A maximum with a smaller mass by Laplace's approximation, relative to the mass of the approximation, is not measured.
const LEAST: f64 = 0.002;
/// The number of the group of the random streams; no chain and no island has this number.
const GROUP: u64 = u64::MAX - 4;

/// The maxima where climbs from these places and from draws of the prior end; `None` in too many coordinates.
pub(super) fn found(
    density: &dyn LogDensity,
    group: &Group,
    (seed, known): (u64, &[Vec<f64>]),
    counts: &mut Counts,
) -> Option<Climbs> {
    let dim = density.dim();
    let log_mass = log_mean_exp(&super::log_ratios(group)?);
    if dim > MAX_DIM || !log_mass.is_finite() {
        return None;
    }
    let key = Key::new(seed, Purpose::Approximation).group(GROUP);
    let points = Points::of(density, GRADIENTS);
    let mut starts: Vec<Vec<f64>> = known.iter().take(MOST_STARTS).cloned().collect();
    let rest = CLIMBS.saturating_sub(starts.len());
    starts.extend(prior_draws(&points, key, rest));
    let number = starts.len() as u64;
    let mut search = Search {
        points,
        key,
        log_mass,
        places: 0,
        peaks: Vec::new(),
        densities: 0,
    };
    let ends = climbs(&search.points, starts);
    ends.iter().for_each(|climb| search.add(climb));
    counts.gradient_evaluations += search.points.taken() as u64;
    counts.density_evaluations += search.densities;
    let maxima = search.peaks.into_iter();
    let maxima = maxima.map(|(ellipsoid, mut maximum)| {
        let positions = group.positions.chunks_exact(dim);
        maximum.draws = positions.filter(|x| ellipsoid.contains(x)).count() as u64;
        maximum
    });
    Some(Climbs {
        number,
        maxima: maxima.collect(),
    })
}

struct Search<'a> {
    points: Points<'a>,
    key: Key,
    /// The log mass of the approximation.
    log_mass: f64,
    /// Number of examined places.
    places: usize,
    /// The highest first.
    peaks: Vec<(LocalMass, Maximum)>,
    /// Evaluations of the density alone.
    densities: u64,
}

impl Search<'_> {
    /// Adds the end of a climb to the maximum where it is, or as a maximum of its own.
    fn add(&mut self, climb: &Climb) {
        let end = &climb.end;
        let mut known = self.peaks.iter_mut();
        if let Some((_, maximum)) = known.find(|(peak, _)| peak.contains(&end.position)) {
            maximum.climbs += 1;
            return;
        }
        if self.places == PLACES {
            return;
        }
        self.places += 1;
        let Some(peak) = Peak::of(&self.points, end) else {
            return;
        };
        let key = self.key.item(u64::MAX - self.places as u64);
        let density = self.points.density;
        let ellipsoid = match peak.log_mass() > self.log_mass + LEAST.ln() {
            true => peak.measured(density, key, &mut self.densities),
            false => peak.unmeasured(density),
        };
        let Some(ellipsoid) = ellipsoid else { return };
        let maximum = Maximum {
            climbs: 1,
            log_density: end.value,
            values: ellipsoid.values.clone(),
            log_mass: Some(ellipsoid.log_mass - LocalMass::INSIDE.ln()),
            draws: 0,
        };
        self.peaks.push((ellipsoid, maximum));
    }
}
