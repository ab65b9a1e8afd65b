//! Weights across islands or chains.

use super::{Group, GroupKind, Run, Weighting};

/// Normalised weights of the groups of a run; the draws of a group share its weight equally.
///
/// ```text
/// Evidence:        ωₚ = Zᵖ / Σ_q Z^q,   formed from log Zᵖ − max_q log Z^q
/// Equal:           ωₚ = 1/P
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Weights(pub(super) Vec<f64>);

impl Weights {
    /// The same weight for each of `groups`.
    #[must_use]
    pub fn equal(groups: usize) -> Self {
        Self(vec![1.0 / groups as f64; groups])
    }

    /// Weights proportional to `exp(log_weights)`; equal weights if none of them is above minus infinity.
    #[must_use]
    pub fn from_logs(log_weights: &[f64]) -> Self {
        let largest = log_weights
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::NEG_INFINITY {
            return Self::equal(log_weights.len());
        }
        // A NaN cannot be compared, so it has weight zero.
        let relative = |log: &f64| {
            if log.is_nan() {
                0.0
            } else {
                (log - largest).exp()
            }
        };
        let scaled: Vec<f64> = log_weights.iter().map(relative).collect();
        let total: f64 = scaled.iter().sum();
        Self(scaled.into_iter().map(|weight| weight / total).collect())
    }

    /// The weights, in the order of the groups; they sum to 1.
    #[must_use]
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }

    /// The weighted mean of `values`; values with weight zero are ignored.
    #[must_use]
    pub fn mean(&self, values: &[f64]) -> f64 {
        let pairs = self.0.iter().zip(values).filter(|pair| *pair.0 > 0.0);
        pairs.map(|(weight, value)| weight * value).sum()
    }

    /// The effective number of groups, `1 / Σ ωₚ²`: from 1 (one group has all the weight) to P.
    #[must_use]
    pub fn effective(&self) -> f64 {
        1.0 / self.0.iter().map(|weight| weight * weight).sum::<f64>()
    }

    /// The index and weight of the heaviest group; `None` without groups.
    #[must_use]
    pub fn heaviest(&self) -> Option<(usize, f64)> {
        self.0
            .iter()
            .copied()
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

impl Run {
    /// Weights of the islands or chains, according to [`Run::weighting`].
    #[must_use]
    pub fn weights(&self) -> Weights {
        match (self.kind, self.weighting) {
            (GroupKind::Islands, Weighting::Evidence) => {
                Weights::from_logs(&self.group_log_evidence())
            }
            (GroupKind::Islands, Weighting::Equal) => Weights::from_logs(&self.alive()),
            (GroupKind::Chains | GroupKind::Independent, _) => Weights::equal(self.groups.len()),
        }
    }

    /// The same draws with another weighting of the islands; chains do not change.
    ///
    /// `run.clone().reweighted(Weighting::Equal)` is the plain average over islands. It keeps a bias
    /// of order 1/N for any number of islands, and is provided as a baseline for comparison.
    #[must_use]
    pub fn reweighted(mut self, weighting: Weighting) -> Self {
        if self.kind == GroupKind::Islands {
            self.weighting = weighting;
        }
        self
    }

    /// The effective number of islands, `P_eff = 1 / Σ ωₚ²`.
    #[must_use]
    pub fn effective_groups(&self) -> f64 {
        self.weights().effective()
    }

    /// 0 for each island that reached the posterior, minus infinity for one whose particles all had likelihood
    /// zero: the draws of that island are not draws from the posterior.
    fn alive(&self) -> Vec<f64> {
        let alive = |l: f64| if l == f64::NEG_INFINITY { l } else { 0.0 };
        self.group_log_evidence().into_iter().map(alive).collect()
    }

    /// Log evidence of each group; minus infinity for a group without one.
    pub(crate) fn group_log_evidence(&self) -> Vec<f64> {
        self.groups
            .iter()
            .map(|group| group.log_evidence().unwrap_or(f64::NEG_INFINITY))
            .collect()
    }
}

impl Group {
    /// Weights of the group's `draws` draws; they sum to 1.
    #[must_use]
    pub fn weights(&self, draws: usize) -> Weights {
        match self.log_weights() {
            [] => Weights::equal(draws),
            log_weights => Weights::from_logs(log_weights),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_follow_the_evidence_on_the_log_scale() {
        // Both weights are far below the smallest positive double before the maximum is subtracted.
        let weights = Weights::from_logs(&[-5000.0, -5000.0 + 3f64.ln(), f64::NEG_INFINITY]);
        assert!((weights.as_slice()[0] - 0.25).abs() < 1e-12);
        assert!((weights.as_slice()[1] - 0.75).abs() < 1e-12);
        assert_eq!(weights.as_slice()[2], 0.0);
        assert!((weights.effective() - 1.0 / (0.0625 + 0.5625)).abs() < 1e-12);
        assert_eq!(weights.heaviest().map(|h| h.0), Some(1));
    }

    #[test]
    fn islands_without_any_evidence_weigh_the_same() {
        assert_eq!(
            Weights::from_logs(&[f64::NEG_INFINITY; 4]),
            Weights::equal(4)
        );
        assert_eq!(Weights::from_logs(&[f64::NAN, 0.0]).as_slice(), [0.0, 1.0]);
    }
}
