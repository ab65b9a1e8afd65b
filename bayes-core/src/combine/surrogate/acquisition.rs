//! Which points to evaluate next: MAXIQR, in batches.

use super::gp::{GaussianProcess, column};
use super::noise::{NOISE, largest};
use crate::optimise::{Lbfgs, Optimiser, Seen, Step};
use crate::rng::{RngExt, Stream};
use nalgebra::{DMatrix, DVector};
use rand_distr::StandardNormal;

/// Least variance of a point given pending ones.
const FLOOR: f64 = 1e-6;
/// Random positions, of which the best are improved.
const RAW: usize = 256;
/// How many are improved.
const IMPROVED: usize = 15;
/// Greatest number of evaluations for each.
const EVALUATIONS: usize = 40;

/// The log of MAXIQR, the interquantile range of `exp f` (Järvenpää et al. 2021; de Souza et al. 2022, equation 5): `ln(e^m sinh(u s))`
/// but for `ln 2`, in the form that does not overflow.
pub fn log_maxiqr(mean: f64, sd: f64, exploration: f64) -> f64 {
    let wide = exploration * sd.max(1e-8);
    mean + wide + (-(-2.0 * wide).exp_m1()).ln()
}

/// Its slope along the sd.
fn slope(sd: f64, exploration: f64) -> f64 {
    exploration / (exploration * sd.max(1e-8)).tanh()
}

/// Numbers of `count` of the candidates `[dim, n]`, chosen one after another where MAXIQR is largest.
///
/// The variance of each candidate is conditioned on *all* that are chosen before it; the mean does not change. The authors' notebook
/// conditions on the last one only.
pub fn choose(
    gp: &GaussianProcess,
    candidates: &DMatrix<f64>,
    count: usize,
    exploration: f64,
) -> Vec<usize> {
    let (means, mut variances) = gp.predict(candidates);
    let whitened = gp.whiten(candidates);
    // what each pending point takes off: one more row of the whitened kernel for each
    let mut pending: Vec<DVector<f64>> = Vec::new();
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count.min(candidates.ncols()) {
        let value = |i: &usize| {
            let sd = variances[*i].max(FLOOR).sqrt();
            log_maxiqr(means[*i], sd, exploration)
        };
        let open = (0..candidates.ncols()).filter(|i| !chosen.contains(i));
        let Some(best) = open.max_by(|a, b| value(a).total_cmp(&value(b))) else {
            break;
        };
        let at = DMatrix::from_column_slice(gp.dim(), 1, column(candidates, best));
        let mut covariance = gp.hyper.kernel(candidates, &at).column(0).into_owned();
        covariance -= whitened.tr_mul(&whitened.column(best));
        for row in &pending {
            covariance.axpy(-row[best], row, 1.0);
        }
        let row = covariance / (variances[best] + NOISE).sqrt();
        for (variance, change) in variances.iter_mut().zip(row.iter()) {
            *variance = (*variance - change * change).max(0.0);
        }
        pending.push(row);
        chosen.push(best);
    }
    chosen
}

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
        let raw: Vec<Vec<f64>> = (0..RAW).map(|i| propose(gp, sides, i, stream)).collect();
        let mut ranked: Vec<(f64, Vec<f64>)> =
            raw.into_iter().map(|x| (known.evaluate(&x).0, x)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let improved = ranked.into_iter().take(IMPROVED);
        let ends = improved.map(|(_, x)| known.climb(sides, x));
        if let Some((_, x)) = ends.max_by(|a, b| a.0.total_cmp(&b.0)) {
            found.extend(x);
        }
    }
    super::gp::columns(&found, dim)
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

    /// Log MAXIQR at a position, and its gradient.
    fn evaluate(&self, x: &[f64]) -> (f64, Vec<f64>) {
        let (mean, mean_slopes) = self.gp.mean_with_slopes(x);
        let (variance, variance_slopes) = self.with_pending.variance_with_slopes(x);
        let sd = variance.max(FLOOR).sqrt();
        let along_sd = match variance > FLOOR {
            true => slope(sd, self.exploration) * 0.5 / sd,
            false => 0.0,
        };
        let slopes = mean_slopes.iter().zip(&variance_slopes);
        let gradient = slopes.map(|(m, v)| m + along_sd * v).collect();
        (log_maxiqr(mean, sd, self.exploration), gradient)
    }

    /// The end of an ascent within the box. Coordinates are the log odds of the place between the sides.
    fn climb(&self, sides: &[[f64; 2]], start: Vec<f64>) -> (f64, Vec<f64>) {
        let odds = |(x, [low, high]): (&f64, &[f64; 2])| {
            let share = ((x - low) / (high - low)).clamp(1e-3, 1.0 - 1e-3);
            (share / (1.0 - share)).ln()
        };
        let mut position: Vec<f64> = start.iter().zip(sides).map(odds).collect();
        let mut descent = Lbfgs::new().tolerance(1e-5).start(position.len());
        let mut best = (self.evaluate(&start).0, start);
        for i in 0..EVALUATIONS {
            let shares: Vec<f64> = position.iter().map(|v| 1.0 / (1.0 + (-v).exp())).collect();
            let places = shares.iter().zip(sides);
            let x: Vec<f64> = places
                .map(|(s, [low, high])| low + s * (high - low))
                .collect();
            let (value, slopes) = self.evaluate(&x);
            let inner = shares.iter().zip(sides).zip(&slopes);
            let slopes: Vec<f64> = inner
                .map(|((s, [low, high]), slope)| -slope * (high - low) * s * (1.0 - s))
                .collect();
            if value > best.0 {
                best = (value, x);
            }
            let seen = Seen {
                loss: -value,
                gradient: &slopes,
                epoch: i as f64,
                epochs: EVALUATIONS as f64,
            };
            if descent.step(seen, &mut position) != Step::Moved {
                break;
            }
        }
        best
    }
}
