//! Ridges beside a mode: climbs with one coordinate held ever nearer to an edge of its support.
//!
//! A free climb ends at the mode of most of the data, although the density may have no bound elsewhere: at the mean of two equal values of
//! a group with a scale of its own, or of a component of a mixture. If the scale is held near 0, the others climb there.

use super::ridge;
use super::{Outwards, is_resolved};
use crate::engine::ascent::{Climb, Point, Points, tops};
use crate::model::VariableKind;
use crate::order;
use std::ops::Range;

/// Distances at which a quantity is compared with its value at a mode: at the second it has come to rest if it approaches an edge.
const DISTANCES: [f64; 2] = [10.0, 20.0];
/// A quantity has come to rest if it changes by less than this share of its change before.
const REST: f64 = 1e-2;
/// The distance of the last level from the highest mode, towards the edge: a scale of 1/3000 of that at the mode.
const DEPTH: f64 = 8.0;
/// Number of levels at which the coordinate is held, and the rounds of a climb at each.
const LEVELS: usize = 8;
const ROUNDS: usize = 12;
/// The climbs begin at different shares of the way to the edge, up to this one: a wide component of a mixture goes to the centre of all data,
/// and a narrow one to what is near.
const ENTRY: f64 = 0.6;
/// The most edges, and the number of edges up to which the starts and ends of all climbs are squeezed.
const EDGES: usize = 16;
const FEW: usize = 4;
/// The most gradients, of those of a whole search, after which no other edge is tried.
const GRADIENTS: usize = 15_000;
/// The number of tops that are examined for an edge, the highest first.
const LOOKED_AT: usize = 3;
/// Tops are the same place if no coordinate differs by more than this.
const APART: f64 = 1e-3;

/// A coordinate, and the side on which a quantity approaches an edge of its support.
type Edge = (usize, f64);

/// A ridge towards an edge on which the marginal density does not fall.
pub(super) fn find(points: &Points<'_>, climbs: &[Climb]) -> Option<Outwards> {
    let mode = &climbs.first()?.end;
    let all = edges(points, &mode.position);
    let count = all.len().min(EDGES);
    let some = (0..count).map(|i| all[i * all.len() / count]);
    let used = if all.len() > FEW { FEW } else { climbs.len() };
    let ends = climbs.iter().take(used);
    let starts: Vec<&[f64]> = ends
        .flat_map(|climb| [climb.start.as_slice(), &climb.end.position])
        .collect();
    some.take_while(|_| points.taken() < GRADIENTS)
        .find_map(|edge| {
            let last = mode.position[edge.0] + edge.1 * DEPTH;
            let tops = squeezed(points, &starts, edge.0, last);
            highest(tops, edge)
                .iter()
                .find_map(|top| ridge::from_top(points, top, edge.0, edge.1))
        })
}

/// The edges of the random quantities that depend on one coordinate each.
fn edges(points: &Points<'_>, at: &[f64]) -> Vec<Edge> {
    let layout = points.density.describe().layout;
    let random: Vec<Range<usize>> = layout
        .variables
        .iter()
        .filter(|variable| variable.kind != VariableKind::Deterministic)
        .map(|variable| variable.range())
        .collect();
    let sides = (0..at.len()).flat_map(|k| [(k, -1.0), (k, 1.0)]);
    sides
        .filter(|edge| is_edge(points, &random, at, *edge))
        .collect()
}

/// Whether the random quantities that move with a coordinate come to rest on this side.
fn is_edge(points: &Points<'_>, random: &[Range<usize>], at: &[f64], (k, side): Edge) -> bool {
    let moved = |distance: f64| {
        let mut position = at.to_vec();
        position[k] += side * distance;
        position
    };
    let rows = [at.to_vec(), moved(DISTANCES[0]), moved(DISTANCES[1])].concat();
    let values = points.density.quantities().outputs(&rows, at.len());
    let width = values.len() / 3;
    let (here, rest) = values.split_at(width);
    let (near, far) = rest.split_at(width);
    let elements = random.iter().cloned().flatten();
    let mut moving = elements.filter(|i| near[*i] != here[*i]).peekable();
    let rests = |i: usize| (far[i] - near[i]).abs() <= REST * (near[i] - here[i]).abs();
    moving.peek().is_some() && moving.all(rests)
}

/// The tops of climbs that hold the coordinate `k` at levels that go to `last`.
fn squeezed(points: &Points<'_>, starts: &[&[f64]], k: usize, last: f64) -> Vec<Point> {
    let mut positions: Vec<Vec<f64>> = starts.iter().map(|start| start.to_vec()).collect();
    let mut found = Vec::new();
    for level in 0..LEVELS {
        let share = level as f64 / (LEVELS - 1) as f64;
        for (i, position) in positions.iter_mut().enumerate() {
            let entry = ENTRY * i as f64 / starts.len() as f64;
            let way = entry + share * (1.0 - entry);
            position[k] = starts[i][k] + way * (last - starts[i][k]);
        }
        found = tops(points, &positions, Some(k), ROUNDS);
        for (position, top) in positions.iter_mut().zip(&found) {
            if let Some(top) = top {
                position.clone_from(&top.position);
            }
        }
    }
    found.into_iter().flatten().collect()
}

/// The highest tops at different places, of those whose density does not fall outwards.
fn highest(mut tops: Vec<Point>, (k, side): Edge) -> Vec<Point> {
    let goes_on = |top: &Point| side * top.gradient[k] > -ridge::FALL;
    tops.retain(|top| top.is_finite() && is_resolved(top) && goes_on(top));
    let mut places: Vec<Point> = Vec::new();
    for top in order::descending_by(tops, |top| top.value) {
        let is_new = places.iter().all(|place| {
            let pairs = place.position.iter().zip(&top.position);
            pairs.into_iter().any(|(a, b)| (a - b).abs() > APART)
        });
        if is_new && places.len() < LOOKED_AT {
            places.push(top);
        }
    }
    places
}
