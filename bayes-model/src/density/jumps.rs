//! Search for jumps of a density, which gradients do not see.

use super::{Counts, LogDensity, Particles, Target};
use crate::model::StatementInfo;

/// Initial number of segments of a line.
const SEGMENTS: usize = 32;
/// Number of segments that are halved together, one per lane.
const HALVED: usize = 8;
/// Number of halvings: enough to locate a jump among about 500 merely steep segments.
const ROUNDS: usize = 100;
/// Length of the shortest segments: short enough that a density with slopes of a million hardly changes there, and long
/// enough that the rounding of a position is negligible.
const SHORTEST: f64 = 1e-10;
/// The smallest jump that matters: it changes an acceptance probability by a hundredth.
const SMALLEST: f64 = 0.01;
/// Distances from a jump, in shortest segments, where the density must follow its slope; steps caused by rounding do not.
const BESIDE: [f64; 5] = [1.0, 8.0, 64.0, 512.0, 4096.0];
/// The factor by which a jump must exceed the deviation of the density from its slope there.
const CLEAR: f64 = 10.0;

/// A point at which the log density is discontinuous.
#[derive(Clone, Debug, PartialEq)]
pub struct Jump {
    /// The statement that changes most.
    pub statement: StatementInfo,
    /// The change of the log density, above zero.
    pub size: f64,
}

/// The largest jump on the lines between the draws `some`: first to second, third to fourth, and so on. Also the number of lines. Lines
/// between prior draws cross the thresholds that matter.
pub fn largest(
    density: &dyn LogDensity,
    particles: &Particles,
    some: &[usize],
) -> (Option<Jump>, usize) {
    let pairs = some.chunks_exact(2);
    let lines: Vec<Line> = pairs
        .map(|pair| Line::between(density, particles, [pair[0], pair[1]]))
        .collect();
    let jumps = lines.iter().filter_map(Line::jump);
    (jumps.max_by(|a, b| a.size.total_cmp(&b.size)), lines.len())
}

/// The line from one position, at 0, to another, at 1.
struct Line<'a> {
    density: &'a dyn LogDensity,
    start: &'a [f64],
    direction: Vec<f64>,
}

/// A point of a line: the log density, and its slope along the line.
#[derive(Clone, Copy)]
struct Point {
    at: f64,
    value: f64,
    slope: f64,
}

impl<'a> Line<'a> {
    /// Whole-number coordinates keep their value from the first end.
    fn between(density: &'a dyn LogDensity, particles: &'a Particles, ends: [usize; 2]) -> Self {
        let [start, end] = ends.map(|i| particles.position(i));
        let discrete = density.describe().discrete;
        let step = |k: usize| match discrete[k] {
            true => 0.0,
            false => end[k] - start[k],
        };
        Self {
            density,
            start,
            direction: (0..start.len()).map(step).collect(),
        }
    }

    fn position(&self, at: f64) -> Vec<f64> {
        let moved = self.start.iter().zip(&self.direction);
        moved.map(|(x, step)| x + at * step).collect()
    }

    fn at(&self, places: &[f64]) -> Particles {
        let mut particles = Particles::new(places.len(), self.start.len());
        particles.positions = places.iter().flat_map(|at| self.position(*at)).collect();
        particles
    }

    fn points(&self, places: &[f64]) -> Vec<Point> {
        let mut particles = self.at(places);
        let (density, mut counts) = (self.density, Counts::default());
        Target::posterior(density).evaluate_gradient(&mut particles.block(), &mut counts);
        let dim = particles.dim;
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

    /// The first jump found.
    ///
    /// Over a segment, the change of a smooth density differs from its mean slope times the length only by the third power of the length.
    /// The segments that violate this most are halved first: the error of a smooth segment soon vanishes, but the error of a segment with
    /// a jump stays.
    fn jump(&self) -> Option<Jump> {
        let places: Vec<f64> = (0..=SEGMENTS).map(|i| i as f64 / SEGMENTS as f64).collect();
        let points = self.points(&places);
        let mut segments: Vec<[Point; 2]> = points.windows(2).map(|w| [w[0], w[1]]).collect();
        for _ in 0..ROUNDS {
            segments.retain(|segment| unexplained(segment) > SMALLEST + rounding(segment));
            segments.sort_by(|a, b| unexplained(b).total_cmp(&unexplained(a)));
            let worst: Vec<[Point; 2]> = segments.drain(..segments.len().min(HALVED)).collect();
            let (short, long): (Vec<_>, Vec<_>) =
                worst.into_iter().partition(|[a, b]| b.at - a.at < SHORTEST);
            if let Some(jump) = short.iter().find_map(|segment| self.jump_in(segment)) {
                return Some(jump);
            }
            if long.is_empty() && segments.is_empty() {
                return None;
            }
            let middles: Vec<f64> = long.iter().map(|[a, b]| 0.5 * (a.at + b.at)).collect();
            let halves = long.iter().zip(self.points(&middles));
            segments.extend(halves.flat_map(|([a, b], m)| [[*a, m], [m, *b]]));
        }
        None
    }

    /// The jump in a short segment, if the density follows its slopes on both sides but not across.
    fn jump_in(&self, [a, b]: &[Point; 2]) -> Option<Jump> {
        let steep = (b.at - a.at) * (a.slope.abs() + b.slope.abs());
        let size = (b.value - a.value).abs() - steep;
        let noise = self.noise(a, -1.0).max(self.noise(b, 1.0));
        if size < SMALLEST.max(CLEAR * noise) {
            return None;
        }
        let [before, after] =
            [a, b].map(|side| self.density.quantities().terms(&self.position(side.at)));
        let changes = before.iter().zip(&after).map(|(a, b)| (a - b).abs());
        let (statement, _) = changes.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(Jump {
            statement: self.density.describe().statements[statement].clone(),
            size,
        })
    }

    /// The deviation of the density from its slope on one side of a point.
    fn noise(&self, from: &Point, side: f64) -> f64 {
        let steps = BESIDE.map(|distance| side * distance * SHORTEST);
        let mut particles = self.at(&steps.map(|step| from.at + step));
        let (density, mut counts) = (self.density, Counts::default());
        Target::posterior(density).evaluate(&mut particles.block(), &mut counts);
        let off = steps.iter().enumerate().map(|(i, step)| {
            let value = particles.log_prior[i] + particles.log_likelihood[i];
            (value - from.value - from.slope * step).abs()
        });
        off.fold(0.0, f64::max)
    }
}

/// The part of the change that the slopes at the ends of a segment do not explain; 0 if the density is not finite.
fn unexplained([a, b]: &[Point; 2]) -> f64 {
    let change = 0.5 * (b.at - a.at) * (a.slope + b.slope);
    let left = (b.value - a.value - change).abs();
    if left.is_finite() { left } else { 0.0 }
}

/// The part of the change that rounding may cause.
fn rounding([a, b]: &[Point; 2]) -> f64 {
    1e-10 * (a.value.abs() + b.value.abs())
}
