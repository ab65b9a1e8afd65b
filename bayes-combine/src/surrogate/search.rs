//! Where in a box to evaluate next: MAXIQR is climbed from several positions.

use super::acquisition::{FLOOR, log_maxiqr, slope};
use super::gp::{GaussianProcess, column, columns};
use super::noise::largest;
use bayes_core::optimise::{Descent, Lbfgs, Optimiser, Seen, Step};
use bayes_core::rng::{RngExt, Stream};
use nalgebra::DMatrix;
use rand_distr::StandardNormal;

/// Random positions, of which the best are improved.
const RAW: usize = 256;
/// How many are improved.
const IMPROVED: usize = 15;
/// Greatest number of evaluations for each.
const EVALUATIONS: usize = 40;

/// `count` positions of a box, `[dim, count]`, chosen one after another where MAXIQR is largest, each given all before it.
pub fn search(
    gp: &GaussianProcess,
    sides: &[[f64; 2]],
    count: usize,
    exploration: f64,
    stream: &mut Stream,
) -> DMatrix<f64> {
    let dim = gp.dim();
    let mut found: Vec<f64> = Vec::with_capacity(count * dim);
    for _ in 0..count {
        let Some(known) = Known::new(gp, &found, exploration) else {
            break;
        };
        let raw: Vec<f64> = (0..RAW)
            .flat_map(|i| propose(gp, sides, i, stream))
            .collect();
        let raw = columns(&raw, dim);
        let values = known.values(&raw);
        let mut order: Vec<usize> = (0..RAW).collect();
        order.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
        let best = order.into_iter().take(IMPROVED);
        let climbs = best.map(|i| Climb::new(sides, values[i], column(&raw, i)));
        if let Some((_, x)) = climb(&known, sides, climbs.collect()) {
            found.extend(x);
        }
    }
    columns(&found, dim)
}

/// A position of the box: half of them uniform, half near a point of the process, where uniform ones rarely are in many dimensions.
fn propose(gp: &GaussianProcess, sides: &[[f64; 2]], i: usize, stream: &mut Stream) -> Vec<f64> {
    if i.is_multiple_of(2) {
        let within = |[low, high]: &[f64; 2]| low + (high - low) * stream.random::<f64>();
        return sides.iter().map(within).collect();
    }
    let near = stream.random_range(0..gp.values.len() as u64) as usize;
    let near = column(&gp.points, near)
        .iter()
        .zip(sides)
        .zip(gp.hyper.log_lengths());
    let jittered = near.map(|((x, [low, high]), log_length)| {
        let z: f64 = stream.sample(StandardNormal);
        let step = log_length.exp().min(0.2 * (high - low));
        (x + step * z).clamp(*low, *high)
    });
    jittered.collect()
}

/// A process that knows where pending points are, but not their values.
struct Known<'a> {
    gp: &'a GaussianProcess,
    /// The process with the pending points, whose values do not matter: for variances.
    with_pending: GaussianProcess,
    exploration: f64,
}

impl<'a> Known<'a> {
    fn new(gp: &'a GaussianProcess, pending: &[f64], exploration: f64) -> Option<Self> {
        let (dim, count) = (gp.dim(), gp.values.len());
        let mut positions = gp.points.as_slice().to_vec();
        positions.extend(pending);
        // as large as any, so that they have the least noise
        let mut values = gp.values.clone();
        values.resize(count + pending.len() / dim, largest(&gp.values));
        let points = super::gp::columns(&positions, dim);
        Some(Self {
            gp,
            with_pending: GaussianProcess::new(gp.hyper.clone(), points, values)?,
            exploration,
        })
    }

    /// Log MAXIQR at positions `[dim, n]`: `[n]`.
    fn values(&self, at: &DMatrix<f64>) -> Vec<f64> {
        let means = self.gp.means(at);
        let variances = self.with_pending.variances(&self.with_pending.whiten(at));
        let pairs = means.iter().zip(&variances);
        pairs
            .map(|(mean, variance)| log_maxiqr(*mean, variance.max(FLOOR).sqrt(), self.exploration))
            .collect()
    }

    /// Log MAXIQR at positions `[dim, n]`, `[n]`, and its gradients, `[dim, n]`.
    fn values_with_slopes(&self, at: &DMatrix<f64>) -> (Vec<f64>, DMatrix<f64>) {
        let (mut values, mut slopes) = self.gp.means_with_slopes(at);
        let (variances, along_variance) = self.with_pending.variances_with_slopes(at);
        for (i, variance) in variances.into_iter().enumerate() {
            let sd = variance.max(FLOOR).sqrt();
            values[i] = log_maxiqr(values[i], sd, self.exploration);
            if variance > FLOOR {
                let by = slope(sd, self.exploration) * 0.5 / sd;
                slopes
                    .column_mut(i)
                    .axpy(by, &along_variance.column(i), 1.0);
            }
        }
        (values, slopes)
    }
}

/// An ascent within the box. Coordinates are the log odds of the place between the sides.
struct Climb {
    log_odds: Vec<f64>,
    descent: Box<dyn Descent>,
    /// The largest value so far, and where it is.
    best: (f64, Vec<f64>),
    has_ended: bool,
}

impl Climb {
    fn new(sides: &[[f64; 2]], value: f64, start: &[f64]) -> Self {
        let odds = |(x, [low, high]): (&f64, &[f64; 2])| {
            let share = ((x - low) / (high - low)).clamp(1e-3, 1.0 - 1e-3);
            (share / (1.0 - share)).ln()
        };
        Self {
            log_odds: start.iter().zip(sides).map(odds).collect(),
            descent: Lbfgs::new().tolerance(1e-5).start(start.len()),
            best: (value, start.to_vec()),
            has_ended: false,
        }
    }

    /// How far it is from one side to the other.
    fn shares(&self) -> impl Iterator<Item = f64> {
        self.log_odds.iter().map(|v| 1.0 / (1.0 + (-v).exp()))
    }

    fn position(&self, sides: &[[f64; 2]]) -> Vec<f64> {
        let places = self.shares().zip(sides);
        places
            .map(|(share, [low, high])| low + share * (high - low))
            .collect()
    }

    /// Learns the value and the slopes at its position, evaluation `i`, and moves on.
    fn step(&mut self, sides: &[[f64; 2]], i: usize, value: f64, slopes: &[f64]) {
        if value > self.best.0 {
            self.best = (value, self.position(sides));
        }
        let inner = self.shares().zip(sides).zip(slopes);
        let slopes: Vec<f64> = inner
            .map(|((s, [low, high]), slope)| -slope * (high - low) * s * (1.0 - s))
            .collect();
        let seen = Seen {
            loss: -value,
            gradient: &slopes,
            epoch: i as f64,
            epochs: EVALUATIONS as f64,
        };
        self.has_ended = self.descent.step(seen, &mut self.log_odds) != Step::Moved;
    }
}

/// The best end of some ascents, with its value. They go up together, because many positions are evaluated in hardly more time than one.
fn climb(known: &Known<'_>, sides: &[[f64; 2]], mut climbs: Vec<Climb>) -> Option<(f64, Vec<f64>)> {
    for i in 0..EVALUATIONS {
        let mut open: Vec<&mut Climb> = climbs.iter_mut().filter(|c| !c.has_ended).collect();
        if open.is_empty() {
            break;
        }
        let positions: Vec<f64> = open.iter().flat_map(|c| c.position(sides)).collect();
        let (values, slopes) = known.values_with_slopes(&columns(&positions, sides.len()));
        for (k, climb) in open.iter_mut().enumerate() {
            climb.step(sides, i, values[k], column(&slopes, k));
        }
    }
    let ends = climbs.into_iter().map(|climb| climb.best);
    ends.max_by(|a, b| a.0.total_cmp(&b.0))
}
