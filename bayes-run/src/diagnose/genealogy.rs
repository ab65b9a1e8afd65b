//! Standard errors of a single island, from the ancestry of its particles.

use super::estimate::Estimate;
use crate::run::{Group, Weights};
use std::collections::BTreeMap;

/// Families of particles: a family is all particles that descend from the same particle of the prior.
///
/// Particles of different families are independent except for the normalisation of the weights, so the spread of the
/// families' contributions estimates the error of one run (Chan & Lai 2013; Lee & Whiteley 2018).
pub(crate) struct Families {
    /// The family of each particle, from 0.
    family: Vec<usize>,
    /// Number of families.
    pub(crate) count: usize,
    /// The probability that two particles drawn with replacement are in the same family.
    share: f64,
    /// Number of initial particles.
    initial: usize,
    /// Weight of each particle; `None` if the weights are equal.
    weights: Option<Weights>,
}

impl Families {
    /// The families of an island's draws; `None` if the ancestry was not recorded.
    pub(crate) fn of(group: &Group, draws: usize) -> Option<Self> {
        let ancestors = group.ancestors()?;
        if draws == 0 || ancestors.len() != draws {
            return None;
        }
        let weights = (!group.log_weights().is_empty()).then(|| group.weights(draws));
        let moved = group.history().last().map(|stage| stage.particles);
        let ancestors = ancestors.iter().copied();
        Some(Self::new(ancestors, weights, moved.unwrap_or(draws)))
    }

    /// The families of draws by their ancestors; `initial` is the number of initial particles.
    pub(crate) fn new(
        ancestors: impl Iterator<Item = u32>,
        weights: Option<Weights>,
        initial: usize,
    ) -> Self {
        let mut number = BTreeMap::new();
        let mut family = Vec::new();
        for ancestor in ancestors {
            let next = number.len();
            family.push(*number.entry(ancestor).or_insert(next));
        }
        let share = match &weights {
            Some(weights) => weighted_shares(&family, weights, number.len()),
            None => squared_shares(&family, number.len()),
        };
        Self {
            family,
            count: number.len(),
            initial,
            share,
            weights,
        }
    }

    /// The mean of `values`, one per particle, with its standard error.
    ///
    /// ```text
    /// se² = Σ_k ( (1/N) Σ_{i in family k} (φᵢ − φ̂) )² / (1 − Σ_k (n_k/N)²),    n_k particles in family k
    /// ```
    ///
    /// The divisor is not in the papers: deviations from the sample's own mean are too small if families are few (as in
    /// the sample variance, the special case of families of one particle). NaN error if all particles are of one family.
    pub(crate) fn estimate(&self, values: &[f64]) -> Estimate {
        let size = values.len() as f64;
        let mean = match &self.weights {
            Some(weights) => weights.mean(values),
            None => values.iter().sum::<f64>() / size,
        };
        let mut contributions = vec![0.0; self.count];
        for (i, (family, value)) in self.family.iter().zip(values).enumerate() {
            contributions[*family] += match &self.weights {
                // the value of a draw without weight does not count, even if it is not finite
                Some(weights) if weights.as_slice()[i] == 0.0 => 0.0,
                Some(weights) => (value - mean) * weights.as_slice()[i],
                None => (value - mean) / size,
            };
        }
        let squares: f64 = contributions.iter().map(|c| c * c).sum();
        let se = if self.count > 1 {
            (squares / (1.0 - self.share)).sqrt()
        } else {
            f64::NAN
        };
        Estimate {
            mean,
            se,
            degrees_of_freedom: self.degrees_of_freedom().max(1.0),
        }
    }

    /// The standard error of the island's log evidence.
    ///
    /// ```text
    /// relative variance of Z = (Σ_k (n_k/D)² − 1/N) / (1 − Σ_k (n_k/D)²),    N initial particles, D draws
    /// ```
    ///
    /// The numerator is Chan & Lai's (2013) form, which is never negative. The form of Lee & Whiteley (2018) is unbiased
    /// under multinomial resampling, but often negative under systematic resampling, our default, because it does not
    /// expect offspring this even.
    pub(crate) fn log_evidence_se(&self) -> f64 {
        if self.count < 2 {
            return f64::NAN;
        }
        let excess = (self.share - 1.0 / self.initial as f64).max(0.0);
        // On the log scale of a log-normal Z.
        (excess / (1.0 - self.share)).ln_1p().sqrt()
    }

    /// The sum of the squared distances `(φᵢ − φⱼ)²` of two particles of one family, over all such pairs, and their number.
    pub(crate) fn squared_distances(&self, values: &[f64]) -> (f64, usize) {
        // Σ_{i<j} (φᵢ − φⱼ)² = n Σ (φᵢ − φ̄)²
        let mut sums = vec![(0_usize, 0.0, 0.0); self.count];
        for (family, value) in self.family.iter().zip(values) {
            let (n, mean, squares) = &mut sums[*family];
            *n += 1;
            let step = value - *mean;
            *mean += step / *n as f64;
            *squares += step * (value - *mean);
        }
        let total = sums.iter().map(|(n, _, squares)| *n as f64 * squares);
        let pairs = sums.iter().map(|(n, ..)| n * n.saturating_sub(1) / 2);
        (total.sum(), pairs.sum())
    }

    /// The effective number of families minus one: 0 for a single family.
    pub(crate) fn degrees_of_freedom(&self) -> f64 {
        1.0 / self.share - 1.0
    }
}

/// `Σ_k (Σ_{i in family k} wᵢ)²`.
fn weighted_shares(family: &[usize], weights: &Weights, count: usize) -> f64 {
    let mut shares = vec![0.0; count];
    for (family, weight) in family.iter().zip(weights.as_slice()) {
        shares[*family] += weight;
    }
    shares.iter().map(|share: &f64| share * share).sum()
}

/// `Σ_k (n_k/N)²`, the probability that two particles drawn with replacement are in the same family.
fn squared_shares(family: &[usize], count: usize) -> f64 {
    let mut sizes = vec![0.0; count];
    for family in family {
        sizes[*family] += 1.0;
    }
    let particles = family.len() as f64;
    sizes
        .iter()
        .map(|size: &f64| (size / particles).powi(2))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::islands::{ratio_estimate, with_families};
    use crate::diagnose::toy::{PARTICLES, Toy, calibration, log_evidence, tempered};
    use crate::run::example::of_island;

    const REPEATS: u64 = 400;

    fn smc(seed: u64) -> Group {
        Toy::default().smc(seed)
    }

    fn repeated(estimate: impl Fn(&Group, &Families) -> Estimate) -> Vec<Estimate> {
        let one = |seed| {
            let group = smc(seed);
            let families = Families::of(&group, PARTICLES).expect("ancestors are kept");
            estimate(&group, &families)
        };
        (0..REPEATS).map(one).collect()
    }

    #[test]
    fn one_island_knows_the_error_of_its_mean() {
        let estimates = repeated(|group, families| families.estimate(&group.draws));
        let (ratio, share) = calibration(&estimates, tempered(1.0).0);
        assert!((0.8..=1.6).contains(&ratio), "variance ratio {ratio}");
        assert!((0.93..=0.99).contains(&share), "coverage {share}");
    }

    #[test]
    fn one_island_knows_the_error_of_its_evidence() {
        let estimates = repeated(|group, families| Estimate {
            mean: group.log_evidence().expect("an island has evidence"),
            se: families.log_evidence_se(),
            degrees_of_freedom: families.degrees_of_freedom().max(1.0),
        });
        let (ratio, share) = calibration(&estimates, log_evidence());
        assert!((0.8..=1.6).contains(&ratio), "variance ratio {ratio}");
        assert!((0.93..=0.99).contains(&share), "coverage {share}");
    }

    /// The estimate from the islands `first..first + 8`.
    fn eight_islands(first: u64) -> Estimate {
        let groups: Vec<Group> = (first..first + 8).map(smc).collect();
        let log_evidence: Vec<f64> = groups.iter().filter_map(Group::log_evidence).collect();
        let weights = Weights::from_logs(&log_evidence);
        let within = |group: &Group| Some(Families::of(group, PARTICLES)?.estimate(&group.draws));
        let within: Vec<Option<Estimate>> = groups.iter().map(within).collect();
        let means: Vec<f64> = within.iter().flatten().map(|island| island.mean).collect();
        with_families(ratio_estimate(&weights, &means), &weights, &within)
    }

    // The deviations in units of the error are near normal. With only the 7 degrees between 8 islands, 1 in 200 would
    // exceed 4.
    #[test]
    fn eight_islands_know_the_error_of_their_mean() {
        let estimates: Vec<Estimate> = (0..200).map(|run| eight_islands(8 * run)).collect();
        let truth = tempered(1.0).0;
        let (ratio, share) = calibration(&estimates, truth);
        assert!((0.8..=1.3).contains(&ratio), "variance ratio {ratio}");
        assert!((0.92..=0.985).contains(&share), "coverage {share}");
        let furthest = estimates
            .iter()
            .map(|e| (e.mean - truth).abs() / e.se)
            .fold(0.0, f64::max);
        assert!(furthest < 4.0, "{furthest} errors off");
        assert!(estimates.iter().all(|e| e.degrees_of_freedom >= 5.0));
    }

    #[test]
    fn a_single_family_knows_nothing() {
        let mut group = smc(0);
        of_island(&mut group).ancestors = vec![5; PARTICLES];
        let families = Families::of(&group, PARTICLES).expect("ancestors are kept");
        assert!(families.estimate(&group.draws).se.is_nan());
        assert!(families.log_evidence_se().is_nan());
        of_island(&mut group).ancestors.clear();
        assert!(Families::of(&group, PARTICLES).is_none());
    }
}
