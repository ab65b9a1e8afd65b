//! Resampling: from normalised weights to ancestor indices.

use crate::rng::Stream;
use rand::RngExt;

/// The scheme to draw N ancestors. Except for [`Resampling::Never`], particle k is chosen N W_k times in expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Resampling {
    /// N independent draws (the papers' Algorithm 1).
    Multinomial,
    /// ⌊N W_k⌋ copies of each, the remainder by independent draws (Liu and Chen 1998).
    Residual,
    /// One draw in each of N equal strata (Kitagawa 1996).
    Stratified,
    /// One uniform number shared by all strata (Carpenter, Clifford and Fearnhead 1999).
    #[default]
    Systematic,
    /// Every particle is its own ancestor and keeps its weight: annealed importance sampling (Neal 2001). Needs
    /// [`Smc::pilot`](crate::engine::Smc::pilot) and one kept state of each particle.
    Never,
}

impl Resampling {
    /// `n` ancestor indices, in increasing order except for `Residual`'s rest.
    ///
    /// `weights` are normalised and at least one is positive. A particle with weight zero is never chosen, except by `Never`, which
    /// ignores the weights.
    #[must_use]
    pub fn ancestors(self, weights: &[f64], n: usize, stream: &mut Stream) -> Vec<u32> {
        match self {
            Self::Never => (0..n as u32).collect(),
            Self::Multinomial => inverse_cdf(weights, &sorted_uniforms(n, stream)),
            Self::Residual => residual(weights, n, stream),
            Self::Stratified => {
                let points: Vec<f64> = (0..n)
                    .map(|i| (i as f64 + stream.random::<f64>()) / n as f64)
                    .collect();
                inverse_cdf(weights, &points)
            }
            Self::Systematic => {
                let shared: f64 = stream.random();
                let points: Vec<f64> = (0..n).map(|i| (i as f64 + shared) / n as f64).collect();
                inverse_cdf(weights, &points)
            }
        }
    }
}

/// `n` uniform numbers in increasing order, by exponential spacings.
fn sorted_uniforms(n: usize, stream: &mut Stream) -> Vec<f64> {
    // 1 - U lies in (0, 1], so that the logarithm is finite.
    let mut spacing = || -(1.0 - stream.random::<f64>()).ln();
    let mut total = 0.0;
    let mut points: Vec<f64> = (0..n)
        .map(|_| {
            total += spacing();
            total
        })
        .collect();
    total += spacing();
    points.iter_mut().for_each(|u| *u /= total);
    points
}

/// For each of the sorted `points` the first index whose cumulative weight exceeds it.
fn inverse_cdf(weights: &[f64], points: &[f64]) -> Vec<u32> {
    // By rounding, the total may be just below a point; such a point takes the last particle with positive weight.
    let last = weights
        .iter()
        .rposition(|w| *w > 0.0)
        .expect("at least one weight is positive");
    let mut index = 0;
    let mut cumulative = weights[0];
    points
        .iter()
        .map(|u| {
            while cumulative <= *u && index < last {
                index += 1;
                cumulative += weights[index];
            }
            index as u32
        })
        .collect()
}

fn residual(weights: &[f64], n: usize, stream: &mut Stream) -> Vec<u32> {
    let mut ancestors = Vec::with_capacity(n);
    let mut rest = vec![0.0; weights.len()];
    for (k, w) in weights.iter().enumerate() {
        let expected = n as f64 * w;
        ancestors.extend(std::iter::repeat_n(k as u32, expected.floor() as usize));
        rest[k] = expected - expected.floor();
    }
    // Rounding could give a copy too many when all expected counts are whole.
    ancestors.truncate(n);
    let missing = n - ancestors.len();
    let total: f64 = rest.iter().sum();
    if missing > 0 && total > 0.0 {
        rest.iter_mut().for_each(|w| *w /= total);
        ancestors.extend(inverse_cdf(&rest, &sorted_uniforms(missing, stream)));
    } else if missing > 0 {
        ancestors.extend(inverse_cdf(weights, &sorted_uniforms(missing, stream)));
    }
    ancestors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Key, Purpose};

    const SCHEMES: [Resampling; 4] = [
        Resampling::Multinomial,
        Resampling::Residual,
        Resampling::Stratified,
        Resampling::Systematic,
    ];

    fn stream(item: u64) -> Stream {
        Key::new(7, Purpose::Resample).item(item).stream()
    }

    #[test]
    fn every_scheme_is_unbiased() {
        let weights = [0.05, 0.3, 0.0, 0.15, 0.5];
        let repeats = 20_000;
        for scheme in SCHEMES {
            let mut counts = [0.0; 5];
            for r in 0..repeats {
                for a in scheme.ancestors(&weights, 5, &mut stream(r)) {
                    counts[a as usize] += 1.0;
                }
            }
            for (k, w) in weights.iter().enumerate() {
                // Multinomial counts have the largest variance, N W (1 - W); 5 standard errors.
                let mean: f64 = counts[k] / repeats as f64;
                let error = 5.0 * (5.0 * w * (1.0 - w) / repeats as f64).sqrt();
                assert!(
                    (mean - 5.0 * w).abs() <= error,
                    "{scheme:?}: count {mean} of particle {k}, want {}",
                    5.0 * w
                );
            }
        }
    }

    #[test]
    fn fewer_are_chosen_than_there_are_without_bias() {
        let weights = [0.05, 0.3, 0.0, 0.15, 0.1, 0.4];
        let repeats = 20_000;
        for scheme in SCHEMES {
            let mut counts = [0.0; 6];
            for r in 0..repeats {
                let chosen = scheme.ancestors(&weights, 2, &mut stream(r));
                assert_eq!(chosen.len(), 2);
                chosen.iter().for_each(|a| counts[*a as usize] += 1.0);
            }
            for (k, w) in weights.iter().enumerate() {
                let mean: f64 = counts[k] / repeats as f64;
                let error = 5.0 * (2.0 * w * (1.0 - w) / repeats as f64).sqrt();
                assert!((mean - 2.0 * w).abs() <= error, "{scheme:?}: {mean} of {k}");
            }
        }
    }

    #[test]
    fn one_heavy_particle_takes_all() {
        let mut weights = vec![0.0; 1000];
        weights[617] = 1.0;
        for scheme in SCHEMES {
            assert!(
                scheme
                    .ancestors(&weights, 1000, &mut stream(1))
                    .iter()
                    .all(|a| *a == 617),
                "{scheme:?}"
            );
        }
    }

    #[test]
    fn equal_weights_keep_every_particle_where_the_scheme_is_stratified() {
        let weights = vec![0.001; 1000];
        for scheme in [
            Resampling::Residual,
            Resampling::Stratified,
            Resampling::Systematic,
        ] {
            let mut ancestors = scheme.ancestors(&weights, 1000, &mut stream(2));
            ancestors.dedup();
            // Rounding in the cumulative sum may lose one particle at most.
            assert!(
                ancestors.len() >= 998,
                "{scheme:?} kept {}",
                ancestors.len()
            );
        }
    }

    #[test]
    fn a_single_particle_is_its_own_ancestor() {
        for scheme in SCHEMES {
            assert_eq!(scheme.ancestors(&[1.0], 1, &mut stream(3)), [0]);
        }
    }
}
