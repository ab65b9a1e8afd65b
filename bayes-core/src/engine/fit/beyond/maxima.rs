//! The maxima of the log density that climbs find, and how many draws of an approximation are near each.

use crate::density::{Counts, LogDensity};
use crate::engine::ascent::{Climb, Peak, Points, climbs, prior_draws};
use crate::numeric::log_mean_exp;
use crate::rng::{Key, Purpose};
use crate::run::{Climbs, Group, LocalMass, Maximum};

/// Maximum number of coordinates: the Hessian of a maximum takes two gradients for each.
const MAX_DIM: usize = 100;
/// Climbs, and the curvatures of their ends, begin no more gradients than this.
const GRADIENTS: usize = 5_000;
/// Least number of climbs: those from known places, and for the rest from draws of the prior, at least half of this number. They fill the
/// SIMD lanes.
const CLIMBS: usize = 8;
/// Maximum number of known places from which there are climbs.
const MOST_STARTS: usize = 64;
/// Maximum number of places whose curvature is examined.
const PLACES: usize = 16;
/// A maximum with a smaller mass by Laplace's approximation, relative to the mass of the approximation, is not measured.
const LEAST: f64 = 0.002;
/// A mass with a larger relative standard error says nothing.
const IMPRECISE: f64 = 0.5;
/// The number of the group of the random streams; no chain and no island has this number.
const GROUP: u64 = u64::MAX - 4;

/// The maxima where climbs from the draw of the highest density, from these places, and from draws of the prior end; `None` in too many
/// coordinates, and if the user stops the run.
pub(super) fn found(
    density: &dyn LogDensity,
    group: &Group,
    (seed, known): (u64, &[Vec<f64>]),
    (counts, is_stopped): (&mut Counts, &dyn Fn() -> bool),
) -> Option<Climbs> {
    let dim = density.dim();
    let log_mass = log_mean_exp(&super::log_ratios(group)?);
    if dim > MAX_DIM || !log_mass.is_finite() {
        return None;
    }
    let key = Key::new(seed, Purpose::Approximation).group(GROUP);
    let points = Points::of(density, GRADIENTS).until(is_stopped);
    let mut starts = vec![highest(group, dim)];
    starts.extend(known.iter().take(MOST_STARTS).cloned());
    let rest = CLIMBS.saturating_sub(starts.len()).max(CLIMBS / 2);
    starts.extend(prior_draws(&points, key, rest));
    let number = starts.len() as u64;
    let mut search = Search {
        points,
        key,
        log_mass,
        places: 0,
        peaks: Vec::new(),
        imprecise: Vec::new(),
        densities: 0,
    };
    let ends = climbs(&search.points, starts);
    for climb in ends.iter().take_while(|_| !is_stopped()) {
        search.add(climb);
    }
    counts.gradient_evaluations += search.points.taken() as u64;
    counts.density_evaluations += search.densities;
    if is_stopped() {
        return None;
    }
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

/// The position of the draw with the highest density, so that the maximum of the draws is known.
fn highest(group: &Group, dim: usize) -> Vec<f64> {
    let densities = group.log_prior.iter().zip(&group.log_likelihood);
    let densities = densities.map(|(prior, likelihood)| prior + likelihood);
    let densities = densities.map(|value| {
        if value.is_nan() {
            f64::NEG_INFINITY
        } else {
            value
        }
    });
    let best = densities.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    let best = best.map_or(0, |(draw, _)| draw);
    group.positions[best * dim..][..dim].to_vec()
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
    /// Maxima whose mass is imprecise.
    imprecise: Vec<LocalMass>,
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
        let is_imprecise = |peak: &LocalMass| peak.contains(&end.position);
        if self.imprecise.iter().any(is_imprecise)
            || self.places == PLACES
            || self.points.is_spent()
        {
            return;
        }
        self.places += 1;
        let Some(peak) = Peak::of(&self.points, end) else {
            return;
        };
        let key = self.key.item(u64::MAX - self.places as u64);
        let density = self.points.density;
        // a place in two ellipsoids has its mass once
        let is_new = |x: &[f64]| !self.peaks.iter().any(|(peak, _)| peak.contains(x));
        let ellipsoid = match peak.log_mass() > self.log_mass + LEAST.ln() {
            true => peak.measured_where(density, key, &mut self.densities, &is_new),
            false => peak.unmeasured(density),
        };
        let Some(ellipsoid) = ellipsoid else { return };
        if ellipsoid.se > IMPRECISE {
            self.imprecise.push(ellipsoid);
            return;
        }
        let maximum = Maximum {
            climbs: 1,
            log_density: end.value,
            values: ellipsoid.values.clone(),
            log_mass: ellipsoid.log_mass - LocalMass::INSIDE.ln(),
            draws: 0,
        };
        self.peaks.push((ellipsoid, maximum));
    }
}
