//! Climbs of a log density, side by side in SIMD lanes, and the maxima where they end.

mod climb;
mod peak;
mod points;

pub(super) use climb::{Climb, climbs, prior_draws, tops};
pub(super) use peak::{PEAK_DRAWS, Peak};
pub(super) use points::{Point, Points};
