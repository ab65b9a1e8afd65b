//! The most probable hyperparameters, from several starting points.

use super::gp::{GaussianProcess, Hyper};
use super::objective::Training;
pub use super::objective::bounding_box;
use bayes_core::optimise::{Lbfgs, Optimiser, Seen, Step};
use bayes_core::rng::{RngExt, Stream};
use nalgebra::DMatrix;
use rand_distr::StandardNormal;

/// Evaluations of each start before the best is chosen.
const SHORT: usize = 25;

/// Where a fit starts.
#[derive(Clone, Copy, Debug)]
pub struct Starts {
    /// Number of random starts.
    pub random: usize,
    /// Each is the best of this many draws.
    pub draws: usize,
    /// Greatest number of evaluations from each start.
    pub evaluations: usize,
}

impl Starts {
    /// Of a first fit: 5 starts, each the best of 50 draws.
    pub const FIRST: Self = Self {
        random: 5,
        draws: 50,
        evaluations: 200,
    };
    /// After a stage: the result of the last fit, and one start.
    pub const AGAIN: Self = Self {
        random: 1,
        draws: 20,
        evaluations: 60,
    };
    /// Within a stage: the result of the last fit.
    pub const WARM: Self = Self {
        random: 0,
        draws: 0,
        evaluations: 20,
    };
}

/// The process with the most probable hyperparameters; `None` if none of the starts leads to one.
pub fn fit(
    points: DMatrix<f64>,
    values: Vec<f64>,
    starts: Starts,
    last: Option<&Hyper>,
    stream: &mut Stream,
) -> Option<GaussianProcess> {
    let training = Training::new(&points, &values);
    let random = (0..starts.random).filter_map(|_| best_draw(&training, starts.draws, stream));
    let mut from: Vec<Hyper> = random.collect();
    from.extend(last.cloned());
    // only the best after a short ascent goes on, because an evaluation costs n³
    let ends = from
        .into_iter()
        .filter_map(|start| climb(&training, start, SHORT.min(starts.evaluations)));
    let (best, _) = ends.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (best, _) = climb(
        &training,
        best,
        starts.evaluations.saturating_sub(SHORT).max(1),
    )?;
    GaussianProcess::new(best, points, values)
}

/// The best of some draws from the distribution of starting points.
fn best_draw(training: &Training<'_>, draws: usize, stream: &mut Stream) -> Option<Hyper> {
    let drawn: Vec<Hyper> = (0..draws).map(|_| draw(training, stream)).collect();
    let evaluated = drawn.into_iter().filter_map(|hyper| {
        let value = training.value(&hyper)?;
        Some((hyper, value))
    });
    let best = evaluated.max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(best.0)
}

fn draw(training: &Training<'_>, stream: &mut Stream) -> Hyper {
    let n = training.values.len() as f64;
    let mean = training.values.iter().sum::<f64>() / n;
    let square = training.values.iter().map(|y| (y - mean).powi(2));
    // all values may be the same
    let sd = (square.sum::<f64>() / n).sqrt().max(1e-3);
    let mut normal = || -> f64 { stream.sample(StandardNormal) };
    let scales = training.log_scales();
    let log_variance = sd.ln() - 1.0 + normal();
    let lengths: Vec<f64> = scales.iter().map(|scale| scale + normal()).collect();
    let widths: Vec<f64> = scales.iter().map(|scale| scale + normal()).collect();
    let mut within = |[low, high]: &[f64; 2]| low + (high - low) * stream.random::<f64>();
    let level = within(&training.range);
    let centre: Vec<f64> = training.sides.iter().map(&mut within).collect();
    Hyper([vec![log_variance, level], lengths, widths, centre].concat())
}

/// The end of an ascent by L-BFGS, with its value.
fn climb(training: &Training<'_>, start: Hyper, evaluations: usize) -> Option<(Hyper, f64)> {
    let mut descent = Lbfgs::new().tolerance(1e-6).start(start.0.len());
    let mut hyper = start;
    let mut best: Option<(Hyper, f64)> = None;
    for i in 0..evaluations {
        let found = training.evaluate(&hyper);
        let (value, gradient) = found.unwrap_or((f64::NEG_INFINITY, vec![0.0; hyper.0.len()]));
        if best.as_ref().is_none_or(|best| value > best.1) {
            best = Some((hyper.clone(), value));
        }
        let slopes: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
        let seen = Seen {
            loss: -value,
            gradient: &slopes,
            epoch: i as f64,
            epochs: evaluations as f64,
        };
        if descent.step(seen, &mut hyper.0) != Step::Moved {
            break;
        }
    }
    best.filter(|best| best.1.is_finite())
}
