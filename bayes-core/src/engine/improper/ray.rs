//! Lines along which the density becomes level.

use super::Outwards;
use crate::engine::ascent::{Climb, Point, Points};

/// Distances along a line, in lengths of the climb that found it.
const DISTANCES: [f64; 5] = [1.0, 1e2, 1e4, 1e6, 1e8];
/// Farther distances, at which a prior that is wider than the others falls; numbers that are not finite there say nothing, because squares and
/// exponentials overflow.
const FAR: [f64; 8] = [1e10, 1e12, 1e16, 1e24, 1e32, 1e48, 1e64, 1e100];
/// A density that falls by less is level; a Cauchy prior falls by 37 over the first distances.
const FALL: f64 = 1.0;
/// Lines beside the climb are shifted by these shares of it: a single line has no volume.
const BESIDE: [f64; 2] = [-0.05, 0.05];

/// The line of the climb, if the density is level on it and beside it.
pub(super) fn find(points: &Points<'_>, climb: &Climb) -> Option<Outwards> {
    let (start, end) = (&climb.start, &climb.end.position);
    let direction: Vec<f64> = end
        .iter()
        .zip(start)
        .map(|(end, start)| end - start)
        .collect();
    let coordinate =
        (0..direction.len()).max_by(|a, b| direction[*a].abs().total_cmp(&direction[*b].abs()))?;
    if direction[coordinate].abs() < 1.0 {
        return None;
    }
    let at = |distance: f64, shift: f64| -> Vec<f64> {
        let moved = end.iter().zip(&direction).enumerate();
        moved
            .map(|(k, (x, step))| {
                let side = if k % 2 == 0 { shift } else { -shift };
                x + distance * step * (1.0 + side)
            })
            .collect()
    };
    let top = climb.end.value;
    let shifts = [0.0, BESIDE[0], BESIDE[1]];
    let places = shifts
        .iter()
        .flat_map(|shift| DISTANCES.map(|distance| at(distance, *shift)));
    let is_level = |value: f64| value.is_finite() && value > top - FALL;
    let values = points.at(places.collect());
    let falls = |point: &Point| point.value.is_finite() && !is_level(point.value);
    let far = || points.at(FAR.map(|distance| at(distance, 0.0)).to_vec());
    let is_level_everywhere =
        values.iter().all(|point| is_level(point.value)) && !far().iter().any(falls);
    is_level_everywhere.then(|| Outwards {
        coordinate,
        near: end.clone(),
        far: at(DISTANCES[1], 0.0),
    })
}
