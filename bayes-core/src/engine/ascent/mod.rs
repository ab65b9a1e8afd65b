//! Climbs of a log density, side by side in SIMD lanes.

mod climb;
mod points;

pub(super) use climb::{Climb, climbs, prior_draws};
pub(super) use points::{Point, Points};
