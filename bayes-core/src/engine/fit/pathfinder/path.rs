//! Paths of L-BFGS, side by side, and the best Gaussian along each.

use super::normal::{Curvature, Normal};
use crate::density::{Counts, LogDensity, Particles, Target};
use crate::engine::mover;
use crate::optimise::{Descent, Lbfgs, Optimiser, Seen, Step};
use crate::parallel;
use crate::rng::Key;
use crate::run::{PathFailure, PathfinderPath};
use nalgebra::DVector;

/// A path ends where Newton's step promises less than this for the log density: its Gaussians are the same from there on, and rounding
/// spoils shorter steps.
const PROMISED: f64 = 1e-8;

/// Maximum number of coordinates of draws for ELBOs in memory (32 MB); the draws of one Gaussian may be more.
const DRAWN: usize = 1 << 22;

/// The settings of a path.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct PathSettings {
    /// Number of the last steps that make an inverse Hessian.
    pub(super) memory: usize,
    /// Maximum number of iterates.
    pub(super) iterations: usize,
    /// Number of draws for the ELBO of each iterate.
    pub(super) elbo_draws: usize,
}

/// A path from its start to its best Gaussian.
struct Walker {
    descent: Box<dyn Descent>,
    position: Vec<f64>,
    /// The last iterate and its gradient of the log density.
    last: Option<[DVector<f64>; 2]>,
    curvature: Curvature,
    /// Whether any iterate had a Gaussian.
    has_normal: bool,
    best: Option<Best>,
    is_moving: bool,
    /// Evaluations, and iterates after the start.
    numbers: [u64; 2],
    key: Key,
}

/// What a path found.
pub(super) struct Walked {
    /// The best Gaussian.
    pub(super) normal: Option<Normal>,
    pub(super) path: PathfinderPath,
    /// The last iterate, if there is one.
    pub(super) end: Option<Vec<f64>>,
}

/// A Gaussian with its ELBO.
struct Best {
    normal: Normal,
    iterate: u64,
    /// How many of the draws have a finite density, and the mean of the log ratios over these.
    score: (usize, f64),
    elbo: f64,
}

/// Walks from these starts, `None` for a path without one; the item of the key counts the paths. Each round evaluates the positions of all
/// paths together, in SIMD lanes; a path does not depend on the others.
pub(super) fn walk(
    density: &dyn LogDensity,
    settings: PathSettings,
    starts: Vec<Option<(Key, Vec<f64>)>>,
    (counts, is_stopped): (&mut Counts, &dyn Fn() -> bool),
) -> Vec<Walked> {
    let walker = |(key, start)| Walker::new(start, settings.memory, key);
    let starts = starts.into_iter();
    let mut walkers: Vec<Option<Walker>> = starts.map(|start| start.map(walker)).collect();
    let (dim, target) = (density.dim(), Target::posterior(density));
    while !is_stopped() {
        let all = walkers.iter_mut().flatten();
        let moving: Vec<&mut Walker> = all.filter(|walker| walker.is_moving).collect();
        if moving.is_empty() {
            break;
        }
        let mut seen = Particles::new(moving.len(), dim);
        let rows = seen.positions.chunks_exact_mut(dim).zip(&moving);
        rows.for_each(|(row, walker)| row.copy_from_slice(&walker.position));
        counts.merge(&mover::evaluate_gradient(&mut seen, target));
        let found = parallel::map(moving.into_iter().enumerate(), |(i, walker)| {
            let value = seen.log_prior[i] + seen.log_likelihood[i];
            let normal = walker.step(value, &seen.gradient[i * dim..(i + 1) * dim], settings)?;
            Some((walker, normal))
        });
        let each = settings.elbo_draws.saturating_mul(dim).max(1);
        let mut found = found.into_iter().flatten().peekable();
        while found.peek().is_some() {
            let block = found.by_ref().take((DRAWN / each).max(1)).collect();
            judge(target, settings.elbo_draws, block, counts);
        }
    }
    walkers.into_iter().map(end).collect()
}

/// Estimates the ELBO of new Gaussians, and keeps the best of each path (Zhang et al. 2022, algorithm 1).
///
/// ```text
/// ELBO ≈ (1/K) Σ ln p(φₖ, y) − ln q(φₖ),    φₖ ~ q
/// ```
fn judge(
    target: Target<'_>,
    draws: usize,
    mut found: Vec<(&mut Walker, Normal)>,
    counts: &mut Counts,
) {
    let dim = target.density.dim();
    let mut drawn = Particles::new(found.len() * draws, dim);
    let own = drawn
        .positions
        .chunks_exact_mut(draws * dim)
        .zip(&mut found);
    let log_normal = parallel::map(own, |(positions, (walker, normal))| {
        let mut stream = walker.key.stage(walker.numbers[1] as u32).stream();
        let density = |position: &mut [f64]| {
            normal.draw(&mut stream, position);
            normal.log_density(position)
        };
        let densities: Vec<f64> = positions.chunks_exact_mut(dim).map(density).collect();
        densities
    });
    counts.merge(&mover::evaluate(&mut drawn, target));
    let values = drawn.log_prior.iter().zip(&drawn.log_likelihood);
    let values: Vec<f64> = values.map(|(prior, own)| prior + own).collect();
    let rows = values.chunks_exact(draws).zip(&log_normal);
    for ((walker, normal), (values, own)) in found.into_iter().zip(rows) {
        let ratios = values.iter().zip(own).map(|(value, own)| value - own);
        walker.keep(normal, &ratios.collect::<Vec<f64>>());
    }
}

impl Walker {
    fn new(position: Vec<f64>, memory: usize, key: Key) -> Self {
        Self {
            descent: Lbfgs::new().start(position.len()),
            last: None,
            curvature: Curvature::new(position.len(), memory),
            has_normal: false,
            best: None,
            is_moving: true,
            numbers: [0, 0],
            position,
            key,
        }
    }

    /// Learns the log density, never NaN, and its gradient at the position, and moves on. If the optimiser took this position as its next
    /// iterate, returns the Gaussian there.
    fn step(&mut self, value: f64, gradient: &[f64], settings: PathSettings) -> Option<Normal> {
        let slopes: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
        let [evaluations, iterates] = &mut self.numbers;
        *evaluations += 1;
        let seen = Seen {
            loss: -value,
            gradient: &slopes,
            epoch: *iterates as f64,
            epochs: settings.iterations as f64,
        };
        let here = self.position.clone();
        self.is_moving = self.descent.step(seen, &mut self.position) == Step::Moved;
        let mut accepted = self.position.clone();
        self.descent.settle(&mut accepted);
        let is_new = |last: &[DVector<f64>; 2]| last[0].as_slice() != here;
        if !seen.is_finite() || accepted != here || !self.last.as_ref().is_none_or(is_new) {
            return None;
        }
        let next = [here.into(), DVector::from_column_slice(gradient)];
        let [position, slope] = &next;
        let normal = self.last.take().and_then(|[before, old]| {
            *iterates += 1;
            self.curvature.learn(position - before, old - slope);
            self.curvature.normal(position, slope)
        });
        self.has_normal |= normal.is_some();
        let promised = normal
            .as_ref()
            .map(|normal| normal.promised(position, slope));
        let is_left = promised.is_none_or(|promised| promised > PROMISED);
        self.is_moving &= is_left && *iterates < settings.iterations as u64;
        self.last = Some(next);
        normal
    }

    /// Keeps a Gaussian if it is the best so far: one with fewer draws of density zero, and among these of higher ELBO.
    fn keep(&mut self, normal: Normal, ratios: &[f64]) {
        let finite = ratios.iter().filter(|ratio| ratio.is_finite());
        let number = finite.clone().count();
        if number == 0 {
            return;
        }
        let score = (number, finite.sum::<f64>() / number as f64);
        if self.best.as_ref().is_none_or(|best| score > best.score) {
            self.best = Some(Best {
                normal,
                iterate: self.numbers[1],
                score,
                elbo: ratios.iter().sum::<f64>() / ratios.len() as f64,
            });
        }
    }
}

/// The best Gaussian, and what is known of the path; `None` for a path without a start.
fn end(walker: Option<Walker>) -> Walked {
    let failure = match &walker {
        None => Some(PathFailure::NoStart),
        Some(walker) if walker.best.is_some() => None,
        Some(walker) if walker.curvature.is_empty() => Some(PathFailure::NoStep),
        Some(walker) if !walker.has_normal => Some(PathFailure::NoGaussian),
        Some(_) => Some(PathFailure::NoDraw),
    };
    let [gradients, iterates] = walker.as_ref().map_or([0, 0], |walker| walker.numbers);
    let last = walker.as_ref().and_then(|walker| walker.last.as_ref());
    let end = last.map(|[position, _]| position.as_slice().to_vec());
    let best = walker.and_then(|walker| walker.best);
    let path = PathfinderPath {
        iterates,
        gradients,
        best: best.as_ref().map_or(0, |best| best.iterate),
        elbo: best.as_ref().map_or(f64::NEG_INFINITY, |best| best.elbo),
        failure,
    };
    Walked {
        normal: best.map(|best| best.normal),
        path,
        end,
    }
}

#[cfg(test)]
mod tests;
