//! Climbs by L-BFGS.

use super::points::{Point, Points};
use crate::optimise::{Descent, Lbfgs, Optimiser, Seen, Step};
use crate::order;
use crate::rng::Key;
use crate::transform::NEAR_ZERO;
use rand::RngExt;

/// The maximum number of evaluations of a climb.
const ROUNDS: usize = 120;

/// A climb: its start and its end.
pub(in crate::engine) struct Climb {
    pub(in crate::engine) start: Vec<f64>,
    pub(in crate::engine) end: Point,
}

/// A draw of the prior with a coordinate beyond this bound is no starting point. A vague prior of a scale draws values of 1e100 and more.
/// No climb returns from there, and even a proper prior looks flat at any distance that is examined.
const REACH: f64 = 1e6;

/// Starting points drawn from the prior, one for each item of the key, and near 0 where a draw is out of reach.
pub(in crate::engine) fn prior_draws(points: &Points<'_>, key: Key, count: usize) -> Vec<Vec<f64>> {
    let start = |item: u64| {
        let mut position = vec![0.0; points.density.dim()];
        let mut stream = key.item(item).stream();
        points.density.draw_start(&mut stream, &mut position);
        if position.iter().any(|x| x.abs() > REACH) {
            position.fill_with(|| stream.random_range(NEAR_ZERO));
        }
        position
    };
    (0..count as u64).map(start).collect()
}

/// Climbs from these starting points, the highest first, without climbs that meet no finite density. 8 of them fill the lanes.
pub(in crate::engine) fn climbs(points: &Points<'_>, starts: Vec<Vec<f64>>) -> Vec<Climb> {
    let tops = tops(points, &starts, None, ROUNDS);
    let climbs: Vec<Climb> = starts
        .into_iter()
        .zip(tops)
        .filter_map(|(start, top)| Some(Climb { start, end: top? }))
        .collect();
    order::descending_by(climbs, |climb| climb.end.value)
}

/// The highest points of climbs from these starting points, in their order, in at most `rounds` evaluations each; `None` for a climb that
/// meets no finite density. The climbs do not move in the coordinate `held`.
pub(in crate::engine) fn tops(
    points: &Points<'_>,
    starts: &[Vec<f64>],
    held: Option<usize>,
    rounds: usize,
) -> Vec<Option<Point>> {
    let mut walkers: Vec<Walker> = starts
        .iter()
        .map(|start| Walker::new(start, held))
        .collect();
    for round in 0..rounds {
        let moving: Vec<&mut Walker> = walkers.iter_mut().filter(|walker| walker.moves).collect();
        if moving.is_empty() || points.is_spent() {
            break;
        }
        let positions = moving.iter().map(|walker| walker.position.clone());
        let seen = points.at(positions.collect());
        for (walker, point) in moving.into_iter().zip(seen) {
            walker.step(point, round);
        }
    }
    walkers.into_iter().map(|walker| walker.best).collect()
}

struct Walker {
    descent: Box<dyn Descent>,
    position: Vec<f64>,
    best: Option<Point>,
    moves: bool,
    /// A coordinate that does not move.
    held: Option<usize>,
}

impl Walker {
    fn new(start: &[f64], held: Option<usize>) -> Self {
        Self {
            descent: Lbfgs::new().start(start.len()),
            position: start.to_vec(),
            best: None,
            moves: true,
            held,
        }
    }

    fn step(&mut self, point: Point, round: usize) {
        let loss = if point.is_finite() {
            -point.value
        } else {
            f64::INFINITY
        };
        let mut gradient: Vec<f64> = point.gradient.iter().map(|slope| -slope).collect();
        if let Some(held) = self.held {
            gradient[held] = 0.0;
        }
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
