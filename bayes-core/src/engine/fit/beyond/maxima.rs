//! The maxima of the log density that climbs find, and how many draws of an approximation or of chains are near each.

use crate::density::{Counts, LogDensity};
use crate::engine::ascent::{Climb, Peak, Point, Points, climbs, prior_draws};
use crate::rng::{Key, Purpose};
use crate::run::{Climbs, Group, LocalMass, Maximum};

/// Maximum number of coordinates: the Hessian of a maximum takes two gradients for each.
pub(in crate::engine) const MAX_DIM: usize = 100;
/// Climbs, and the curvatures of their ends, begin no more gradients than this.
pub(in crate::engine) const GRADIENTS: usize = 5_000;
/// Least number of climbs: those from known places, and for the rest from draws of the prior, at least half of this number. They fill the
/// SIMD lanes.
pub(in crate::engine) const CLIMBS: usize = 8;
/// Maximum number of known places from which there are climbs.
const MOST_STARTS: usize = 64;
/// Maximum number of places whose curvature is examined.
pub(super) const PLACES: usize = 16;
/// A maximum with a smaller mass by Laplace's approximation, relative to the mass of the approximation, is not measured.
const LEAST: f64 = 0.002;
/// A climb that ends lower than the highest draw by more does not count as high.
const LOWER: f64 = 3.0;
/// The number of the group of the random streams; no chain and no island has this number.
const GROUP: u64 = u64::MAX - 4;

/// What a search begins with.
pub(in crate::engine) struct Begin<'a> {
    /// The draws.
    pub(in crate::engine) groups: &'a [Group],
    /// The log mass of the approximation that made them; minus infinity if it is unknown, and then every maximum is measured.
    pub(in crate::engine) log_mass: f64,
    /// Places near maxima that are known.
    pub(in crate::engine) known: &'a [Vec<f64>],
    pub(in crate::engine) seed: u64,
    /// The number of climbs, unless more places are known.
    pub(in crate::engine) climbs: usize,
    /// The number of gradients at which the search ends.
    pub(in crate::engine) gradients: usize,
    /// Gradients of these that climbs leave for the curvatures of their ends.
    pub(in crate::engine) reserve: usize,
    /// Maximum number of places whose curvature is examined.
    pub(in crate::engine) places: usize,
}

/// The maxima where climbs from the draw of the highest density, from these places, and from draws of the prior end; `None` in too many
/// coordinates, and if the user stops the run.
pub(in crate::engine) fn found(
    density: &dyn LogDensity,
    begin: &Begin<'_>,
    (counts, is_stopped): (&mut Counts, &dyn Fn() -> bool),
) -> Option<Climbs> {
    let dim = density.dim();
    if dim > MAX_DIM {
        return None;
    }
    let key = Key::new(begin.seed, Purpose::Approximation).group(GROUP);
    let points = Points::of(density, begin.gradients - begin.reserve).until(is_stopped);
    let (height, start) = highest(begin.groups, dim)?;
    let mut starts = vec![start];
    starts.extend(begin.known.iter().take(MOST_STARTS).cloned());
    let rest = begin.climbs.saturating_sub(starts.len()).max(CLIMBS / 2);
    starts.extend(prior_draws(&points, key, rest));
    let number = starts.len() as u64;
    let ends = climbs(&points, starts);
    let of_climbs = points.taken();
    let mut search = Search {
        points: Points::of(density, begin.gradients.saturating_sub(of_climbs)).until(is_stopped),
        key,
        log_mass: begin.log_mass,
        places: begin.places,
        peaks: Vec::new(),
        densities: 0,
        unsettled: 0,
        height,
    };
    for climb in ends.iter().take_while(|_| !is_stopped()) {
        search.add(climb);
    }
    counts.gradient_evaluations += (of_climbs + search.points.taken()) as u64;
    counts.density_evaluations += search.densities;
    if is_stopped() {
        return None;
    }
    let peaks = search.peaks;
    // as the masses: what lies in two ellipsoids counts for the first
    let is_of = |k: usize, x: &[f64]| peaks[k].0.contains(x) && !is_within(&peaks[..k], x);
    let maxima = (0..peaks.len()).map(|k| {
        let groups = begin.groups.iter();
        let positions = groups.flat_map(|group| group.positions.chunks_exact(dim));
        let draws = positions.filter(|x| is_of(k, x)).count() as u64;
        Maximum {
            draws,
            ..peaks[k].1.clone()
        }
    });
    Some(Climbs {
        number,
        maxima: maxima.collect(),
        unsettled: search.unsettled,
    })
}

/// Whether a position is in the ellipsoid of a maximum whose mass is known.
fn is_within(peaks: &[(LocalMass, Maximum)], x: &[f64]) -> bool {
    let is_in = |(peak, maximum): &(LocalMass, Maximum)| maximum.is_measured() && peak.contains(x);
    peaks.iter().any(is_in)
}

/// The density and the position of the draw with the highest density, so that the maximum of the draws is known; `None` without draws.
fn highest(groups: &[Group], dim: usize) -> Option<(f64, Vec<f64>)> {
    let mut best: Option<(f64, &[f64])> = None;
    for group in groups {
        let densities = group.log_prior.iter().zip(&group.log_likelihood);
        let densities = densities.map(|(prior, likelihood)| prior + likelihood);
        for (value, position) in densities.zip(group.positions.chunks_exact(dim)) {
            let is_higher = best.is_none_or(|(highest, _)| value > highest || highest.is_nan());
            best = if is_higher {
                Some((value, position))
            } else {
                best
            };
        }
    }
    best.map(|(value, position)| (value, position.to_vec()))
}

struct Search<'a> {
    points: Points<'a>,
    key: Key,
    /// The log mass of the approximation, or minus infinity.
    log_mass: f64,
    /// Number of places that may still be examined.
    places: usize,
    /// The highest first.
    peaks: Vec<(LocalMass, Maximum)>,
    /// Evaluations of the density alone.
    densities: u64,
    /// Number of climbs that ended about as high as the draws, or higher, at no maximum that could be examined.
    unsettled: u64,
    /// The highest log density of the draws.
    height: f64,
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
        let added = self.examined(end);
        if added.is_none() && end.value >= self.height - LOWER {
            self.unsettled += 1;
        }
        self.peaks.extend(added);
    }

    /// The maximum at the end of a climb; `None` where there is none, or where it cannot be examined.
    fn examined(&mut self, end: &Point) -> Option<(LocalMass, Maximum)> {
        if self.places == 0 || self.points.is_spent() {
            return None;
        }
        self.places -= 1;
        let peak = Peak::of(&self.points, end)?;
        let key = self.key.item(u64::MAX - self.places as u64);
        let density = self.points.density;
        // a place in two ellipsoids whose masses are known has its mass once
        let is_new = |x: &[f64]| !is_within(&self.peaks, x);
        let ellipsoid = match peak.log_mass() > self.log_mass + LEAST.ln() {
            true => peak.measured_where(density, key, &mut self.densities, &is_new),
            false => peak.unmeasured(density),
        };
        let ellipsoid = ellipsoid?;
        let maximum = Maximum {
            climbs: 1,
            log_density: end.value,
            values: ellipsoid.values.clone(),
            log_mass: ellipsoid.log_mass - LocalMass::INSIDE.ln(),
            se: ellipsoid.se,
            draws: 0,
        };
        Some((ellipsoid, maximum))
    }
}
