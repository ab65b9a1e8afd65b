//! Jumps of a density, which no gradient shows.

use crate::density::{Density, Particles};
use crate::run::{Counts, StatementInfo};

/// Segments into which a line is cut at first.
const SEGMENTS: usize = 32;
/// Segments that are halved further: those that their slopes explain least.
const FOLLOWED: usize = 16;
/// Halvings of a segment; the last is some 1e-10 of the line.
const HALVINGS: usize = 28;
/// Points on each side of a jump, whose densities it must exceed by [`CLEAR`] times what they differ by.
const BESIDE: usize = 4;
const CLEAR: f64 = 10.0;

/// A place where the log density changes at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Jump {
    /// The statement that changes most.
    pub statement: StatementInfo,
    /// The change of the log density, above zero.
    pub size: f64,
}

/// The two sides of a jump, and its size.
pub(super) struct Sides {
    pub(super) before: Vec<f64>,
    pub(super) after: Vec<f64>,
    pub(super) size: f64,
}

/// The largest jump on the lines between pairs of the draws `some`.
///
/// Over a short segment a smooth density changes by its mean slope times the length, up to the third power of the
/// length. What is left after that is halved again and again: it vanishes, or is a jump.
pub(super) fn largest(
    density: &dyn Density,
    particles: &Particles,
    some: &[usize],
) -> Option<Sides> {
    let pairs = some.chunks_exact(2);
    let lines = pairs.map(|pair| Line::between(density, particles, [pair[0], pair[1]]));
    let jumps = lines.filter_map(|line| line.jump());
    jumps.max_by(|a, b| a.size.total_cmp(&b.size))
}

/// The line from one position, at 0, to another, at 1.
struct Line<'a> {
    density: &'a dyn Density,
    start: &'a [f64],
    direction: Vec<f64>,
}

/// A point of a line: the log density there, and its slope along the line.
#[derive(Clone, Copy)]
struct Point {
    at: f64,
    value: f64,
    slope: f64,
}

impl<'a> Line<'a> {
    /// Coordinates of whole numbers stay as they are at the first end.
    fn between(density: &'a dyn Density, particles: &'a Particles, ends: [usize; 2]) -> Self {
        let [start, end] = ends.map(|i| particles.position(i));
        let discrete = density.discrete();
        let direction = (0..start.len()).map(|k| if discrete[k] { 0.0 } else { end[k] - start[k] });
        Self {
            density,
            start,
            direction: direction.collect(),
        }
    }

    fn position(&self, at: f64) -> Vec<f64> {
        let moved = self.start.iter().zip(&self.direction);
        moved.map(|(x, step)| x + at * step).collect()
    }

    fn points(&self, places: &[f64]) -> Vec<Point> {
        let dim = self.start.len();
        let mut particles = Particles::new(places.len(), dim);
        particles.positions = places.iter().flat_map(|at| self.position(*at)).collect();
        let mut counts = Counts::default();
        self.density
            .evaluate_gradient(1.0, &mut particles.block(), &mut counts);
        let point = |(i, at): (usize, &f64)| {
            let gradient = &particles.gradient[i * dim..(i + 1) * dim];
            let parts = gradient.iter().zip(&self.direction);
            Point {
                at: *at,
                value: particles.log_prior[i] + particles.log_likelihood[i],
                slope: parts.map(|(slope, step)| slope * step).sum(),
            }
        };
        places.iter().enumerate().map(point).collect()
    }

    fn jump(&self) -> Option<Sides> {
        let places: Vec<f64> = (0..=SEGMENTS).map(|i| i as f64 / SEGMENTS as f64).collect();
        let points = self.points(&places);
        let mut segments: Vec<[Point; 2]> = points.windows(2).map(|w| [w[0], w[1]]).collect();
        keep_unexplained(&mut segments);
        for _ in 0..HALVINGS {
            let middles: Vec<f64> = segments.iter().map(|[a, b]| 0.5 * (a.at + b.at)).collect();
            let middles = self.points(&middles);
            let halves = segments.iter().zip(middles);
            segments = halves.flat_map(|([a, b], m)| [[*a, m], [m, *b]]).collect();
            keep_unexplained(&mut segments);
        }
        let jumps = segments.iter().filter_map(|segment| self.sides(segment));
        jumps.max_by(|a, b| a.size.total_cmp(&b.size))
    }

    /// The sides of a short segment, if the density is about constant on each of them and not across.
    fn sides(&self, [a, b]: &[Point; 2]) -> Option<Sides> {
        let step = b.at - a.at;
        let beside = |from: f64, step: f64| {
            let places: Vec<f64> = (0..=BESIDE).map(|i| from + i as f64 * step).collect();
            let values = self.points(&places).into_iter().map(|point| point.value);
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let (before, after) = (beside(a.at, -step), beside(b.at, step));
        let noise = (before.1 - before.0).max(after.1 - after.0);
        let size = (b.value - a.value).abs();
        (size > CLEAR * noise).then(|| Sides {
            before: self.position(a.at),
            after: self.position(b.at),
            size,
        })
    }
}

/// What the slopes at the ends of a segment do not explain; 0 where the density is not finite.
fn unexplained([a, b]: &[Point; 2]) -> f64 {
    let change = 0.5 * (b.at - a.at) * (a.slope + b.slope);
    let left = (b.value - a.value - change).abs();
    if left.is_finite() { left } else { 0.0 }
}

/// What rounding may leave of a segment.
fn rounding([a, b]: &[Point; 2]) -> f64 {
    1e-6 + 1e-10 * (a.value.abs() + b.value.abs())
}

/// Keeps the segments that are explained least, if by more than rounding.
fn keep_unexplained(segments: &mut Vec<[Point; 2]>) {
    segments.retain(|segment| unexplained(segment) > rounding(segment));
    segments.sort_by(|a, b| unexplained(b).total_cmp(&unexplained(a)));
    segments.truncate(FOLLOWED);
}
