//! The Gibbs sampler over the components of a product of kernel density estimates.

use super::{Combine, PartDraws, Parts, Sample};
use bayes_core::Error;
use bayes_core::rng::{Key, Purpose, RngExt, Stream};
use nalgebra::DVector;
use rand_distr::StandardNormal;

/// A product of kernel density estimates is a mixture with one component for each choice of one draw of every part. This walks over the
/// choices by independent Metropolis steps, one part after another (Neiswanger et al. 2014, algorithm 1).
///
/// Positions are in units of the parts' standard deviations, so that one bandwidth suits all coordinates; the paper leaves the units
/// to the user.
pub(super) struct IndexWalk {
    pub draws: Vec<PartDraws>,
    /// The unit of each coordinate, `[dim]`.
    units: Vec<f64>,
    chosen: Vec<usize>,
    /// The sum of the chosen positions, and of their squared lengths.
    sum: DVector<f64>,
    squares: f64,
}

/// What a method adds to the walk. Positions are in units.
pub(super) trait Component {
    /// Prepares for a bandwidth.
    fn begin(&mut self, bandwidth: f64);

    /// The part of the log weight of a component that depends on the mean of the chosen positions.
    fn log_weight(&self, mean: &DVector<f64>) -> f64;

    /// The part of the log weight that comes from one chosen draw.
    fn log_weight_of(&self, part: usize, draw: usize) -> f64;

    /// A draw of the component from standard normal numbers.
    fn draw(&self, mean: &DVector<f64>, z: DVector<f64>) -> DVector<f64>;
}

impl IndexWalk {
    pub fn new(parts: &Parts<'_>) -> Self {
        let dim = parts.dim();
        let count = parts.len() as f64;
        let variance = |k: usize| {
            let of = |draws: &PartDraws| {
                let n = draws.len() as f64;
                let mean = draws.rows().map(|row| row[k]).sum::<f64>() / n;
                draws.rows().map(|row| (row[k] - mean).powi(2)).sum::<f64>() / n
            };
            parts.draws().iter().map(of).sum::<f64>() / count
        };
        let unit = |k| {
            let sd = variance(k).sqrt();
            if sd > 0.0 { sd } else { 1.0 }
        };
        let units: Vec<f64> = (0..dim).map(unit).collect();
        let scaled = |draws: &PartDraws| {
            let mut scaled = draws.clone();
            for row in scaled.positions.chunks_exact_mut(dim) {
                row.iter_mut().zip(&units).for_each(|(x, unit)| *x /= unit);
            }
            scaled
        };
        Self {
            draws: parts.draws().iter().map(scaled).collect(),
            chosen: vec![0; parts.len()],
            sum: DVector::zeros(dim),
            squares: 0.0,
            units,
        }
    }

    /// Draws, one after each sweep over the parts, with the bandwidth `t^(-1/(4 + D))` at draw t.
    pub fn sample<M: Combine>(
        mut self,
        method: &M,
        draws: usize,
        component: &mut impl Component,
    ) -> Result<Sample, Error> {
        let dim = self.units.len();
        let mut stream = Key::new(method.seed(), Purpose::Combine).stream();
        for (chosen, draws) in self.chosen.iter_mut().zip(&self.draws) {
            *chosen = stream.random_range(0..draws.len() as u64) as usize;
        }
        let mut positions = Vec::with_capacity(draws * dim);
        for t in 1..=draws {
            let bandwidth = (t as f64).powf(-1.0 / (4 + dim) as f64);
            component.begin(bandwidth);
            self.sweep(bandwidth, component, &mut stream);
            let z = DVector::from_fn(dim, |_, _| stream.sample::<f64, _>(StandardNormal));
            let draw = component.draw(&self.mean(), z);
            positions.extend(draw.iter().zip(&self.units).map(|(x, unit)| x * unit));
        }
        Ok(Sample::equal(positions, Vec::new()))
    }

    fn mean(&self) -> DVector<f64> {
        &self.sum / self.chosen.len() as f64
    }

    /// Proposes another draw for each part once.
    fn sweep(&mut self, bandwidth: f64, component: &impl Component, stream: &mut Stream) {
        self.add_up();
        let count = self.chosen.len() as f64;
        // Σ |x - mean|² over the chosen positions
        let log_kernels = |sum: &DVector<f64>, squares: f64| {
            -0.5 * (squares - sum.norm_squared() / count) / (bandwidth * bandwidth)
        };
        for part in 0..self.chosen.len() {
            let draws = &self.draws[part];
            let (old, new) = (
                self.chosen[part],
                stream.random_range(0..draws.len() as u64) as usize,
            );
            let row = |i| DVector::from_column_slice(draws.row(i));
            let (before, after) = (row(old), row(new));
            let sum = &self.sum - &before + &after;
            let squares = self.squares - before.norm_squared() + after.norm_squared();
            let gain = log_kernels(&sum, squares) - log_kernels(&self.sum, self.squares)
                + component.log_weight(&(&sum / count))
                - component.log_weight(&self.mean())
                + component.log_weight_of(part, new)
                - component.log_weight_of(part, old);
            if stream.random::<f64>().ln() < gain {
                (self.chosen[part], self.sum, self.squares) = (new, sum, squares);
            }
        }
    }

    /// Computes the sums anew, so that rounding does not add up.
    fn add_up(&mut self) {
        (self.sum, self.squares) = (DVector::zeros(self.units.len()), 0.0);
        for (draws, chosen) in self.draws.iter().zip(&self.chosen) {
            let row = DVector::from_column_slice(draws.row(*chosen));
            self.squares += row.norm_squared();
            self.sum += row;
        }
    }
}
