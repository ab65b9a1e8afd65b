//! The mean slopes of the log density along a chain, with errors by batches.

use crate::number;
use crate::run::MeanSlopes;
use serde::{Deserialize, Serialize};

/// The number of complete batches at which neighbours are joined; there are at least half as many from then on.
const BATCHES: usize = 32;

/// The numbers in memory for each coordinate: the batches and the one that is not complete.
pub(in crate::engine) const NUMBERS: usize = BATCHES + 1;

/// Sums of the slopes of successive transitions, in batches of equal length. The length doubles while the chain goes on, because its end is
/// not known.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::engine) struct SlopeBatches {
    /// Transitions in a complete batch; 0 before the first transition.
    length: u64,
    /// Sums of the complete batches, `[batches, dim]`.
    #[serde(with = "number::many")]
    complete: Vec<f64>,
    /// The sum of the batch that is not complete, `[dim]`.
    #[serde(with = "number::many")]
    open: Vec<f64>,
    /// Transitions in it.
    in_open: u64,
}

impl SlopeBatches {
    /// Adds the slopes at the state after a transition, `[dim]`; nothing if they are unknown.
    pub(in crate::engine) fn learn(&mut self, slopes: &[f64]) {
        if slopes.is_empty() {
            return;
        }
        if self.open.is_empty() {
            self.open = vec![0.0; slopes.len()];
            self.length = 1;
        }
        self.open.iter_mut().zip(slopes).for_each(|(s, x)| *s += x);
        self.in_open += 1;
        if self.in_open < self.length {
            return;
        }
        self.complete.extend_from_slice(&self.open);
        self.open.fill(0.0);
        self.in_open = 0;
        let dim = slopes.len();
        if self.complete.len() == BATCHES * dim {
            self.complete = joined(&self.complete, dim);
            self.length *= 2;
        }
    }

    /// The means over the complete batches; `None` for less than half of the batches, or if a slope was not finite.
    pub(in crate::engine) fn means(&self) -> Option<MeanSlopes> {
        let dim = self.open.len();
        let batches = self.complete.len().checked_div(dim)?;
        if batches < BATCHES / 2 {
            return None;
        }
        let of_coordinate = |k: usize| {
            let sums = self.complete.iter().skip(k).step_by(dim);
            let means = sums.map(|sum| sum / self.length as f64);
            let mean = means.clone().sum::<f64>() / batches as f64;
            let squares: f64 = means.map(|x| (x - mean) * (x - mean)).sum();
            (mean, (squares / ((batches - 1) * batches) as f64).sqrt())
        };
        let (mean, se): (Vec<f64>, Vec<f64>) = (0..dim).map(of_coordinate).unzip();
        let is_known = mean.iter().all(|x| x.is_finite()) && se.iter().all(|x| *x >= 0.0);
        is_known.then_some(MeanSlopes { mean, se })
    }
}

/// The sums of pairs of neighbouring batches.
fn joined(sums: &[f64], dim: usize) -> Vec<f64> {
    let pairs = sums.chunks_exact(2 * dim);
    pairs
        .flat_map(|pair| (0..dim).map(|k| pair[k] + pair[dim + k]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(slopes: impl Iterator<Item = [f64; 2]>) -> Option<MeanSlopes> {
        let mut batches = SlopeBatches::default();
        slopes.for_each(|slopes| batches.learn(&slopes));
        batches.means()
    }

    /// Would detect batches of different lengths, and coordinates that are mixed up when batches are joined.
    #[test]
    fn batches_are_joined_while_a_chain_goes_on() {
        assert_eq!(of((0..15).map(|i| [f64::from(i), 1.0])), None);
        // 500 numbers: batches of 16, and 4 left
        let found = of((0..500).map(|i| [f64::from(i), 3.0])).unwrap();
        assert_eq!(found.mean, [247.5, 3.0]);
        // 31 numbers at distances of 16
        let se = 16.0 * f64::sqrt((31.0 * 31.0 - 1.0) / 12.0 / 30.0);
        assert!((found.se[0] / se - 1.0).abs() < 1e-12, "{}", found.se[0]);
        assert_eq!(found.se[1], 0.0);
    }

    /// Would detect a run that is written and refused when it is read.
    #[test]
    fn slopes_that_are_not_finite_have_no_mean() {
        let with = |bad: f64| of((0..100).map(|i| [1.0, if i == 40 { bad } else { 2.0 }]));
        assert!(with(3.0).is_some());
        assert_eq!(with(f64::NAN), None);
        assert_eq!(with(f64::INFINITY), None);
    }

    #[test]
    fn kernels_without_gradients_have_none() {
        let mut batches = SlopeBatches::default();
        (0..100).for_each(|_| batches.learn(&[]));
        assert_eq!(batches.means(), None);
    }
}
