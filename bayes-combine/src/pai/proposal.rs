//! Draws of the combined surrogate by importance sampling.

use super::super::gaussian::{Gaussian, moments};
use super::super::parts::systematic;
use super::super::surrogate::fit::bounding_box;
use super::super::surrogate::gp::{GaussianProcess, columns};
use super::super::{Importance, Parts, Sample, Warning};
use super::Pai;
use super::cells::Cells;
use super::verify::CERTAIN;
use bayes_core::CombineError;
use bayes_core::internal::add_gains;
use bayes_core::internal::parallel;
use bayes_core::numeric::{log_mean_exp, log_sum_exp};
use bayes_core::rng::{Key, Purpose, RngExt, Stream};
use bayes_core::run::Weights;
use nalgebra::{DMatrix, DVector};
use rand_distr::{ChiSquared, Distribution, StandardNormal};
use std::ops::Range;

/// Proposals for each draw.
const PROPOSALS: usize = 4;
/// Kernels of the proposal in more than two dimensions, and after the cells where they are too coarse.
const KERNELS: usize = 300;
/// Times that the kernels are placed anew.
const PASSES: usize = 4;
/// Share of the proposals that are uniform in the box.
const UNIFORM: f64 = 0.1;
/// Degrees of freedom of the kernels.
const DEGREES: f64 = 5.0;
/// An ESS of this share of the proposals needs no further pass.
const GOOD: f64 = 0.5;
/// The share of mass at the border that is worth a warning.
const BORDER: f64 = 0.01;
/// The combination counts a position by its sum of means less so many standard deviations, where these are more than [`CERTAIN`].
const CAUTION: f64 = 2.0;
/// Positions that are evaluated together.
const CHUNK: usize = 512;
/// Chunks of positions at which the processes are asked together how certain they are.
const JUDGED: usize = 4;
/// A log density so far below the largest of its positions does not matter.
const NEGLIGIBLE: f64 = 40.0;

/// Draws of the combination inside the box of all points with a margin of 10%.
pub(super) fn sample(
    pai: &Pai,
    parts: &Parts<'_>,
    processes: &[&GaussianProcess],
) -> Result<Sample, CombineError> {
    let mut surrogate = Surrogate::new(parts, processes);
    surrogate.is_cautious = pai.verification_rounds > 0;
    // the streams of the parts have the groups from 0
    let mut stream = Key::new(pai.seed, Purpose::Combine).stage(1).stream();
    let draws = pai.draws;
    let count = PROPOSALS * draws;
    let dim = surrogate.sides.len();
    let mut best = match dim {
        1 | 2 => surrogate.on_cells(count, &mut stream),
        _ => Cloud::at_points(&surrogate, processes),
    };
    for _ in 0..PASSES {
        let proposal = Kernels::around(&best, &surrogate.sides, &mut stream);
        if best.ess() >= GOOD * best.len() as f64 && best.is_proposed {
            break;
        }
        let Some(proposal) = proposal else { break };
        let next = proposal.cloud(&surrogate, count, &mut stream);
        if next.ess() > best.ess() || !best.is_proposed {
            best = next;
        }
    }
    let log_evidence = log_mean_exp(&best.log_weights);
    let proposals = best.len();
    if !best.is_proposed || !log_evidence.is_finite() {
        return Err(CombineError::NoWeight { draws: count });
    }
    let weights = Weights::from_logs(&best.log_weights);
    let chosen = systematic(weights.as_slice(), draws, stream.random());
    let share = surrogate.border_share(&best, &weights);
    let mut gains = vec![0.0; proposals];
    let own: Vec<u32> = (0..proposals as u32).collect();
    let shares = weights.as_slice().iter();
    add_gains(
        &mut gains,
        &own,
        shares.map(|share| [1.0 / proposals as f64, *share]),
    );
    let rows = chosen.iter().flat_map(|i| best.row(*i));
    Ok(Sample {
        positions: rows.copied().collect(),
        log_density: chosen.iter().map(|i| best.log_density[*i]).collect(),
        importance: Some(Importance {
            log_weights: Vec::new(),
            log_evidence: Some(log_evidence),
            gains,
            ess: weights.effective(),
            weights: proposals,
            ancestors: chosen.iter().map(|i| *i as u32).collect(),
        }),
        warnings: (share > BORDER)
            .then_some(Warning::Border { share })
            .into_iter()
            .collect(),
        evaluations: Vec::new(),
    })
}

/// The standard deviations of the sum of the log densities at positions `[dim, n]`: `[n]`.
pub(super) fn sum_sds<'a>(
    processes: impl Iterator<Item = &'a GaussianProcess>,
    at: &DMatrix<f64>,
) -> Vec<f64> {
    let mut total = vec![0.0; at.ncols()];
    for gp in processes {
        let variances = gp.variances(&gp.whiten(at));
        total.iter_mut().zip(variances).for_each(|(t, v)| *t += v);
    }
    total.iter().map(|variance| variance.sqrt()).collect()
}

/// The combination of the processes inside a box.
struct Surrogate<'a> {
    processes: &'a [&'a GaussianProcess],
    /// Sides of the box with its margin, within the bounds of the densities.
    sides: Vec<[f64; 2]>,
    /// The sides without the margin; bounds have none.
    inner: Vec<[f64; 2]>,
    /// Whether the log density, the sum of means, is lower where the processes are uncertain; not for combinations without verification.
    is_cautious: bool,
}

impl<'a> Surrogate<'a> {
    fn new(parts: &Parts<'_>, processes: &'a [&'a GaussianProcess]) -> Self {
        let dim = processes[0].dim();
        let all = processes.iter().flat_map(|gp| gp.points.as_slice());
        let all: Vec<f64> = all.copied().collect();
        let whole = bounding_box(&columns(&all, dim));
        let sides = parts.clip(&whole);
        let inner = |(whole, side): (&[f64; 2], &[f64; 2])| {
            // the margin on each side is 0.1 of 1.2
            let margin = (whole[1] - whole[0]) / 12.0;
            let end = |k: usize, inner: f64| if side[k] == whole[k] { inner } else { side[k] };
            [end(0, whole[0] + margin), end(1, whole[1] - margin)]
        };
        Self {
            processes,
            inner: whole.iter().zip(&sides).map(inner).collect(),
            sides,
            is_cautious: false,
        }
    }

    /// The log density at positions `[n, dim]`, `[n]`; the density is zero outside the box.
    fn log_density(&self, positions: &[f64]) -> Vec<f64> {
        let dim = self.sides.len();
        let evaluate = |chunk: &[f64]| {
            let at = columns(chunk, dim);
            let mut sums = vec![0.0; chunk.len() / dim];
            for gp in self.processes {
                sums.iter_mut()
                    .zip(gp.means(&at))
                    .for_each(|(sum, mean)| *sum += mean);
            }
            for (sum, row) in sums.iter_mut().zip(chunk.chunks_exact(dim)) {
                let mut sides = row.iter().zip(&self.sides);
                if !sides.all(|(x, [low, high])| (*low..=*high).contains(x)) {
                    *sum = f64::NEG_INFINITY;
                }
            }
            sums
        };
        let chunks: Vec<Vec<f64>> = parallel::map(positions.chunks(CHUNK * dim), evaluate);
        let mut sums = chunks.concat();
        if self.is_cautious {
            self.lower(positions, &mut sums);
        }
        sums
    }

    /// Lowers sums of means `[n]` at positions `[n, dim]` where the processes are uncertain, from the largest down until the others are
    /// negligible: the mean of an uncertain process is no evidence of mass.
    fn lower(&self, positions: &[f64], sums: &mut [f64]) {
        let dim = self.sides.len();
        let mut order: Vec<usize> = (0..sums.len()).collect();
        order.sort_by(|a, b| sums[*b].total_cmp(&sums[*a]));
        let mut largest = f64::NEG_INFINITY;
        for batch in order.chunks(JUDGED * CHUNK) {
            let matters = |i: &&usize| sums[**i] > largest - NEGLIGIBLE;
            let judged: Vec<usize> = batch.iter().take_while(matters).copied().collect();
            let evaluate = |chunk: &[usize]| {
                let rows = chunk
                    .iter()
                    .flat_map(|i| &positions[i * dim..(i + 1) * dim]);
                let at = columns(&rows.copied().collect::<Vec<f64>>(), dim);
                sum_sds(self.processes.iter().copied(), &at)
            };
            let sds: Vec<Vec<f64>> = parallel::map(judged.chunks(CHUNK), evaluate);
            for (i, sd) in judged.iter().zip(sds.concat()) {
                sums[*i] -= CAUTION * (sd - CERTAIN).max(0.0);
                largest = largest.max(sums[*i]);
            }
            if judged.len() < batch.len() {
                return;
            }
        }
    }

    fn log_volume(&self) -> f64 {
        self.sides.iter().map(|[low, high]| (high - low).ln()).sum()
    }

    /// Proposals from a histogram on cells on which the density is nearly constant, and some uniform ones.
    fn on_cells(&self, count: usize, stream: &mut Stream) -> Cloud {
        let points = self.processes.iter().flat_map(|gp| gp.points.as_slice());
        let points: Vec<f64> = points.copied().collect();
        let cells = Cells::new(&self.sides, &points, |at| self.log_density(at));
        let log_masses = cells.cells.iter();
        let log_masses: Vec<f64> = log_masses
            .map(|cell| cell.log_density + cells.log_share(cell))
            .collect();
        let weights = Weights::from_logs(&log_masses);
        let volumes = cells.cells.iter().map(|cell| cells.log_share(cell).exp());
        let pairs = weights.as_slice().iter().zip(volumes);
        let shares: Vec<f64> = pairs
            .map(|(share, volume)| (1.0 - UNIFORM) * share + UNIFORM * volume)
            .collect();
        let chosen = systematic(&shares, count, stream.random());
        let mut positions = Vec::with_capacity(count * self.sides.len());
        for i in &chosen {
            positions.extend(cells.within(&cells.cells[*i], |_| stream.random()));
        }
        let log_volume = self.log_volume();
        let proposed = chosen
            .iter()
            .map(|i| shares[*i].ln() - cells.log_share(&cells.cells[*i]) - log_volume);
        Cloud::weighted(self, positions, proposed)
    }

    /// The share of the mass outside of the box of the points, which is in the margin.
    fn border_share(&self, cloud: &Cloud, weights: &Weights) -> f64 {
        let is_outside = |row: &[f64]| {
            let mut sides = row.iter().zip(&self.inner);
            sides.any(|(x, [low, high])| x < low || x > high)
        };
        let rows = (0..cloud.len()).zip(weights.as_slice());
        let outside = rows.filter(|(i, _)| is_outside(cloud.row(*i)));
        outside.map(|(_, weight)| weight).sum()
    }
}

/// Positions with importance weights.
struct Cloud {
    dim: usize,
    positions: Vec<f64>,
    /// Log density of the surrogate.
    log_density: Vec<f64>,
    log_weights: Vec<f64>,
    /// Whether they are draws of a proposal, so that the weights are importance weights.
    is_proposed: bool,
}

impl Cloud {
    fn weighted(
        surrogate: &Surrogate<'_>,
        positions: Vec<f64>,
        proposed: impl Iterator<Item = f64>,
    ) -> Self {
        let log_density = surrogate.log_density(&positions);
        let pairs = log_density.iter().zip(proposed);
        Self {
            dim: surrogate.sides.len(),
            log_weights: pairs
                .map(|(density, proposed)| density - proposed)
                .collect(),
            positions,
            log_density,
            is_proposed: true,
        }
    }

    /// The points of the processes, weighted by the density: only to place kernels.
    fn at_points(surrogate: &Surrogate<'_>, processes: &[&GaussianProcess]) -> Self {
        let all = processes.iter().flat_map(|gp| gp.points.as_slice());
        let positions: Vec<f64> = all.copied().collect();
        let zeros = std::iter::repeat(0.0);
        Self {
            is_proposed: false,
            ..Self::weighted(surrogate, positions, zeros)
        }
    }

    fn len(&self) -> usize {
        self.log_density.len()
    }

    fn row(&self, i: usize) -> &[f64] {
        let range: Range<usize> = i * self.dim..(i + 1) * self.dim;
        &self.positions[range]
    }

    fn ess(&self) -> f64 {
        Weights::from_logs(&self.log_weights).effective()
    }

    /// The largest power of the weights, at most 1, at which their ESS is enough to estimate a covariance matrix.
    fn tempered(&self) -> Weights {
        let needed = (20.0 * (self.dim as f64 + 1.0)).min(0.5 * self.len() as f64);
        let at = |power: f64| {
            let logs: Vec<f64> = self.log_weights.iter().map(|l| l * power).collect();
            Weights::from_logs(&logs)
        };
        let mut power = 1.0;
        while at(power).effective() < needed && power > 1e-6 {
            power *= 0.7;
        }
        at(power)
    }
}

/// A mixture of Student t kernels with one covariance, and a uniform part.
struct Kernels {
    centres: Vec<Vec<f64>>,
    /// Mean zero.
    shape: Gaussian,
    sides: Vec<[f64; 2]>,
}

impl Kernels {
    /// Kernels at some points of a cloud; `None` if it does not fill its dimensions.
    fn around(cloud: &Cloud, sides: &[[f64; 2]], stream: &mut Stream) -> Option<Self> {
        let weights = cloud.tempered();
        let (dim, size) = (cloud.dim as f64, weights.effective());
        let rows = cloud.positions.chunks_exact(cloud.dim);
        let (_, covariance) = moments(rows, weights.as_slice(), cloud.dim);
        // Silverman's rule
        let bandwidth = (4.0 / ((dim + 2.0) * size))
            .powf(1.0 / (dim + 4.0))
            .min(1.0);
        let zero = DVector::zeros(cloud.dim);
        let chosen = systematic(weights.as_slice(), KERNELS, stream.random());
        Some(Self {
            centres: chosen.iter().map(|i| cloud.row(*i).to_vec()).collect(),
            shape: Gaussian::new(zero, covariance * (bandwidth * bandwidth))?,
            sides: sides.to_vec(),
        })
    }

    fn cloud(&self, surrogate: &Surrogate<'_>, count: usize, stream: &mut Stream) -> Cloud {
        let drawn: Vec<Vec<f64>> = (0..count).map(|i| self.draw(i, stream)).collect();
        let logs: Vec<f64> = parallel::map(&drawn, |x| self.log_density(x));
        Cloud::weighted(surrogate, drawn.concat(), logs.into_iter())
    }

    fn draw(&self, i: usize, stream: &mut Stream) -> Vec<f64> {
        if stream.random::<f64>() < UNIFORM {
            let within = |[low, high]: &[f64; 2]| low + (high - low) * stream.random::<f64>();
            return self.sides.iter().map(within).collect();
        }
        let z = DVector::from_fn(self.sides.len(), |_, _| {
            stream.sample::<f64, _>(StandardNormal)
        });
        let step = self.shape.covariance.l() * z;
        let chi = ChiSquared::new(DEGREES).map_or(DEGREES, |chi| chi.sample(stream));
        let scale = (DEGREES / chi).sqrt();
        let centre = &self.centres[i % self.centres.len()];
        centre
            .iter()
            .zip(step.iter())
            .map(|(c, s)| c + scale * s)
            .collect()
    }

    fn log_density(&self, x: &[f64]) -> f64 {
        let dim = x.len() as f64;
        let l = self.shape.covariance.l_dirty();
        let log_scale: f64 = l.diagonal().iter().map(|pivot| pivot.ln()).sum();
        let log_norm = ln_gamma(0.5 * (DEGREES + dim))
            - ln_gamma(0.5 * DEGREES)
            - 0.5 * dim * (DEGREES * std::f64::consts::PI).ln()
            - log_scale;
        let kernel = |centre: &Vec<f64>| {
            let mut z = DVector::from_fn(x.len(), |k, _| x[k] - centre[k]);
            l.solve_lower_triangular_mut(&mut z);
            -0.5 * (DEGREES + dim) * (z.norm_squared() / DEGREES).ln_1p()
        };
        let kernels: Vec<f64> = self.centres.iter().map(kernel).collect();
        let log_mean = log_mean_exp(&kernels) + log_norm + (1.0 - UNIFORM).ln();
        let mut sides = x.iter().zip(&self.sides);
        if !sides.all(|(x, [low, high])| (*low..=*high).contains(x)) {
            return log_mean;
        }
        let log_volume: f64 = self.sides.iter().map(|[low, high]| (high - low).ln()).sum();
        log_sum_exp(&[log_mean, UNIFORM.ln() - log_volume])
    }
}

fn ln_gamma(x: f64) -> f64 {
    bayes_autodiff::special::ln_gamma(x)
}
