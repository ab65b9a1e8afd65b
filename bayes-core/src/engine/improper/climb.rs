//! Climbs from draws of the prior, by L-BFGS, side by side.

use super::points::{Point, Points};
use crate::optimise::{Descent, Lbfgs, Optimiser, Seen, Step};
use crate::rng::{Key, Purpose};

/// Number of climbs; they fill the SIMD lanes.
const CLIMBS: usize = 8;
/// The most evaluations of a climb.
const ROUNDS: usize = 120;
/// The number of the item of the random streams, which no chain and no particle has.
const ITEM: u64 = u64::MAX - 3;

/// A climb: where it began, and where it ended.
pub(super) struct Climb {
    pub(super) start: Vec<f64>,
    pub(super) end: Point,
}

/// The climbs, the highest first.
pub(super) fn highest(points: &Points<'_>, seed: u64) -> Vec<Climb> {
    let dim = points.density.dim();
    let start = |climb: u64| {
        let mut position = vec![0.0; dim];
        let key = Key::new(seed, Purpose::Validation).group(ITEM).item(climb);
        points.density.draw_start(&mut key.stream(), &mut position);
        position
    };
    let starts: Vec<Vec<f64>> = (0..CLIMBS as u64).map(start).collect();
    let mut walkers: Vec<Walker> = starts.iter().map(|start| Walker::new(start)).collect();
    for round in 0..ROUNDS {
        let moving: Vec<&mut Walker> = walkers.iter_mut().filter(|walker| walker.moves).collect();
        if moving.is_empty() {
            break;
        }
        let positions = moving.iter().map(|walker| walker.position.clone());
        let seen = points.at(positions.collect());
        for (walker, point) in moving.into_iter().zip(seen) {
            walker.step(point, round);
        }
    }
    let pairs = starts.into_iter().zip(walkers);
    let mut climbs: Vec<Climb> = pairs
        .filter_map(|(start, walker)| {
            Some(Climb {
                start,
                end: walker.best?,
            })
        })
        .collect();
    climbs.sort_by(|a, b| b.end.value.total_cmp(&a.end.value));
    climbs
}

struct Walker {
    descent: Box<dyn Descent>,
    position: Vec<f64>,
    best: Option<Point>,
    moves: bool,
}

impl Walker {
    fn new(start: &[f64]) -> Self {
        Self {
            descent: Lbfgs::new().start(start.len()),
            position: start.to_vec(),
            best: None,
            moves: true,
        }
    }

    fn step(&mut self, point: Point, round: usize) {
        let loss = if point.is_finite() {
            -point.value
        } else {
            f64::INFINITY
        };
        let gradient: Vec<f64> = point.gradient.iter().map(|slope| -slope).collect();
        let seen = Seen {
            loss,
            gradient: &gradient,
            epoch: round as f64,
            epochs: ROUNDS as f64,
        };
        self.moves = self.descent.step(seen, &mut self.position) == Step::Moved;
        let is_better = self
            .best
            .as_ref()
            .is_none_or(|best| point.value > best.value);
        if point.is_finite() && is_better {
            self.best = Some(point);
        }
    }
}
