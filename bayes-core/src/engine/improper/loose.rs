//! Coordinates on which an improper prior does not fall: the likelihood has to fall there, wherever climbs ended.
//!
//! A climb comes to rest on a likelihood that becomes level, such as that of separated data, or at a mode beside it. If other coordinates
//! have informative priors, no line from its start is level.

use super::ridge;
use super::{Outwards, is_resolved};
use crate::engine::ascent::{Climb, Point, Points, tops};

/// Distances at which the prior is compared with that at a mode. Numbers that are not finite far away say nothing, because squares and
/// exponentials overflow.
const DISTANCES: [f64; 3] = [10.0, 100.0, 300.0];
const FAR: [f64; 8] = [1e4, 1e8, 1e12, 1e16, 1e24, 1e32, 1e64, 1e100];
/// A prior that falls by less is level.
const ROUNDING: f64 = 1e-9;
/// Distances from the mode at which the coordinate is held while the others climb, and the rounds of the climbs.
const HELD: [f64; 2] = [10.0, 25.0];
const ROUNDS: usize = 24;
/// A top that falls by more from one of these distances to the other bounds the coordinate.
const FALL: f64 = 1.0;
/// Distances from the start of the climb at which a ridge is entered that is too narrow at these tops: with two groups and a flat prior of their
/// spread, the ridge of their means is as narrow as the spread is large.
const NEAR: [f64; 2] = [2.0, 4.0];
/// The maximum number of tops that are followed by each of the two rules.
const FOLLOWED: usize = 20;

/// A ridge on which neither the prior nor the likelihood falls, from beyond a mode. Only for densities with an improper prior.
pub(super) fn find(points: &Points<'_>, climb: &Climb) -> Option<Outwards> {
    let mode = &climb.end;
    if !is_resolved(mode) || points.density.proper_prior("the search").is_ok() {
        return None;
    }
    let all = 0..mode.position.len();
    let follow = |(top, k, side): (Point, usize, f64)| ridge::from_top(points, &top, k, side);
    let beyond = all.clone().flat_map(|k| level(points, mode, k));
    let found = beyond.take(FOLLOWED).find_map(follow);
    let before = || all.flat_map(|k| rising(points, climb, k)).take(FOLLOWED);
    found.or_else(|| before().find_map(follow))
}

/// The sides of a coordinate on which the prior does not fall, with tops over all other coordinates near the start of the climb whose density
/// does not fall there.
fn rising(points: &Points<'_>, climb: &Climb, k: usize) -> Vec<(Point, usize, f64)> {
    let held = |side: f64, distance: f64| {
        let mut position = climb.end.position.clone();
        position[k] = climb.start[k] + side * distance;
        position
    };
    let sides = [-1.0, 1.0].into_iter();
    let loose = sides.filter(|side| is_loose(points, &climb.end, k, *side));
    let found = loose.flat_map(|side| {
        let starts = NEAR.map(|distance| held(side, distance));
        let tops: Vec<Point> = tops(points, &starts, Some(k), ROUNDS)
            .into_iter()
            .flatten()
            .collect();
        let goes_on = |top: &Point| top.is_finite() && side * top.gradient[k] > -ridge::FALL;
        let rises = tops.iter().all(goes_on);
        tops.into_iter()
            .filter(move |_| rises)
            .map(move |top| (top, k, side))
    });
    found.collect()
}

/// The sides of a coordinate on which neither the prior nor the tops over all other coordinates fall, with a top on each.
fn level(points: &Points<'_>, mode: &Point, k: usize) -> Vec<(Point, usize, f64)> {
    let sides = [-1.0, 1.0];
    let loose: Vec<f64> = sides
        .into_iter()
        .filter(|side| is_loose(points, mode, k, *side))
        .collect();
    let held = |side: f64| HELD.map(|distance| moved(mode, k, side * distance));
    let starts: Vec<Vec<f64>> = loose.iter().flat_map(|side| held(*side)).collect();
    let tops = tops(points, &starts, Some(k), ROUNDS);
    let pairs = tops.chunks_exact(HELD.len()).zip(loose);
    let found = pairs.filter_map(|(tops, side)| match tops {
        [Some(near), Some(far)] if far.value >= near.value - FALL => Some((near.clone(), k, side)),
        _ => None,
    });
    found.collect()
}

/// Whether the prior does not fall on this side.
fn is_loose(points: &Points<'_>, mode: &Point, k: usize, side: f64) -> bool {
    let there = |distance: &f64| moved(mode, k, side * distance);
    let seen = points.at(DISTANCES.iter().chain(&FAR).map(there).collect());
    let (near, far) = seen.split_at(DISTANCES.len());
    let least = mode.log_prior - ROUNDING;
    let falls = |point: &Point| point.log_prior.is_finite() && point.log_prior < least;
    near.iter().all(|point| point.log_prior >= least) && !far.iter().any(falls)
}

fn moved(from: &Point, k: usize, distance: f64) -> Vec<f64> {
    let mut position = from.position.clone();
    position[k] += distance;
    position
}
