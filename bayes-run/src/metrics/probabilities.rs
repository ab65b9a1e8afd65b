//! Class probabilities, member by member, and their weighted means.

use super::blocks::blocks;
use crate::dist::{Datum, Discrete};
use crate::error::MetricsError;

/// Allowed deviation from one, for sums of probabilities and of weights.
const TOLERANCE: f64 = 1e-6;

/// The probabilities that each member gives to each class of each observation.
///
/// Members are the draws of a posterior, or the networks of an ensemble.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassProbabilities {
    /// `[members, observations, classes]` row-major.
    values: Vec<f64>,
    classes: usize,
    /// `[members]`.
    weights: Vec<f64>,
    /// Numbers of consecutive members that may depend on each other: islands or chains.
    groups: Vec<usize>,
}

impl ClassProbabilities {
    /// The probabilities of a single member, `[observations, classes]` row-major.
    ///
    /// # Errors
    /// The errors of [`ClassProbabilities::weighted`].
    pub fn new(values: Vec<f64>, classes: usize) -> Result<Self, MetricsError> {
        Self::weighted(values, classes, vec![1.0])
    }

    /// The probabilities of several members, `[members, observations, classes]` row-major, and the members' weights,
    /// `[members]`, which sum to one. The members are independent; see [`ClassProbabilities::in_groups`].
    ///
    /// # Errors
    /// [`MetricsError`] if there are no observations or fewer than two classes, if the lengths do not fit, or if weights or
    /// probabilities are not in range or do not sum to one (to within 1e-6). The probabilities of members with weight zero
    /// are not checked.
    pub fn weighted(
        values: Vec<f64>,
        classes: usize,
        weights: Vec<f64>,
    ) -> Result<Self, MetricsError> {
        check_weights(&weights)?;
        if classes < 2 {
            return Err(MetricsError::Length {
                what: "classes",
                found: classes,
                wanted: "at least 2".to_owned(),
            });
        }
        if values.is_empty() {
            return Err(MetricsError::Empty {
                what: "observations",
            });
        }
        let row = classes * weights.len();
        if !values.len().is_multiple_of(row) {
            return Err(MetricsError::Length {
                what: "probabilities",
                found: values.len(),
                wanted: format!(
                    "a multiple of {row}, which is {} members times {classes} classes",
                    weights.len()
                ),
            });
        }
        let groups = vec![1; weights.len()];
        let probabilities = Self {
            values,
            classes,
            weights,
            groups,
        };
        probabilities.check()?;
        Ok(probabilities)
    }

    /// The same probabilities with consecutive members in groups of these sizes: the draws of one island or chain depend on
    /// each other, which the errors over draws take into account.
    ///
    /// # Errors
    /// [`MetricsError::Length`] if the sizes do not sum to the number of members.
    pub fn in_groups(mut self, sizes: &[usize]) -> Result<Self, MetricsError> {
        MetricsError::same_length("members in groups", sizes.iter().sum(), self.members())?;
        self.groups = sizes.to_vec();
        Ok(self)
    }

    /// Number of members.
    #[must_use]
    pub fn members(&self) -> usize {
        self.weights.len()
    }

    /// Number of observations.
    #[must_use]
    pub fn observations(&self) -> usize {
        self.values.len() / (self.members() * self.classes)
    }

    /// Number of classes.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The weights of the members, which sum to one.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The probabilities of one member, `[observations, classes]` row-major.
    ///
    /// # Panics
    /// If there are fewer members.
    #[must_use]
    pub fn member(&self, member: usize) -> &[f64] {
        let size = self.values.len() / self.members();
        &self.values[member * size..(member + 1) * size]
    }

    /// The predictive probabilities: the weighted means over members.
    #[must_use]
    pub fn mean(&self) -> MeanProbabilities {
        self.mean_of(0..self.members())
    }

    /// The weighted mean over some members.
    fn mean_of(&self, members: std::ops::Range<usize>) -> MeanProbabilities {
        let total: f64 = self.weights[members.clone()].iter().sum();
        let mut mean = MeanProbabilities {
            values: vec![0.0; self.values.len() / self.members()],
            member_entropies: vec![0.0; self.observations()],
            classes: self.classes,
        };
        for member in members {
            let weight = self.weights[member] / total;
            if weight > 0.0 {
                mean.add(weight, self.member(member));
            }
        }
        mean
    }

    /// The mean over all members, and the means with one block of members left out at a time.
    pub(super) fn jackknife(&self) -> (MeanProbabilities, Vec<MeanProbabilities>) {
        let blocks = blocks(&self.groups);
        let weight =
            |block: &std::ops::Range<usize>| self.weights[block.clone()].iter().sum::<f64>();
        let weighty: Vec<_> = blocks
            .into_iter()
            .filter(|block| weight(block) > 0.0)
            .collect();
        let parts: Vec<(f64, MeanProbabilities)> = weighty
            .into_iter()
            .map(|block| (weight(&block), self.mean_of(block)))
            .collect();
        let without = |left_out: usize| {
            let rest: f64 = (0..parts.len())
                .filter(|b| *b != left_out)
                .map(|b| parts[b].0)
                .sum();
            MeanProbabilities::combined(
                parts
                    .iter()
                    .enumerate()
                    .filter(|(b, _)| *b != left_out)
                    .map(|(_, (weight, mean))| (weight / rest, mean)),
                &parts[left_out].1,
            )
        };
        let without = match parts.len() {
            0 | 1 => Vec::new(),
            count => (0..count).map(without).collect(),
        };
        (self.mean(), without)
    }

    /// The labels as classes.
    pub(super) fn labels<L: Datum<Discrete>>(
        &self,
        labels: &[L],
    ) -> Result<Vec<usize>, MetricsError> {
        MetricsError::same_length("labels", labels.len(), self.observations())?;
        let class = |(observation, label): (usize, &L)| {
            let value = label.value();
            if value >= 0.0 && value < self.classes as f64 {
                return Ok(value as usize);
            }
            Err(MetricsError::Label {
                observation,
                value,
                classes: self.classes,
            })
        };
        labels.iter().enumerate().map(class).collect()
    }

    fn check(&self) -> Result<(), MetricsError> {
        let weights = self.weights.iter().enumerate();
        for (member, _) in weights.filter(|(_, weight)| **weight > 0.0) {
            for (observation, row) in self.member(member).chunks_exact(self.classes).enumerate() {
                let outside = |p: &f64| !(0.0..=1.0 + TOLERANCE).contains(p);
                if let Some(class) = row.iter().position(outside) {
                    return Err(MetricsError::Probability {
                        member,
                        observation,
                        class,
                        value: row[class],
                    });
                }
                let sum: f64 = row.iter().sum();
                if (sum - 1.0).abs() > TOLERANCE {
                    return Err(MetricsError::Sum {
                        member,
                        observation,
                        sum,
                    });
                }
            }
        }
        Ok(())
    }
}

/// Checks that there are weights, none is negative, and they sum to one.
pub(super) fn check_weights(weights: &[f64]) -> Result<(), MetricsError> {
    if weights.is_empty() {
        return Err(MetricsError::Empty { what: "members" });
    }
    if let Some(i) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        return Err(MetricsError::Weight {
            what: format!("weight {i}"),
            value: weights[i],
            allowed: "a finite number, at least 0",
        });
    }
    let sum: f64 = weights.iter().sum();
    if (sum - 1.0).abs() > TOLERANCE {
        return Err(MetricsError::Weight {
            what: "their sum".to_owned(),
            value: sum,
            allowed: "1",
        });
    }
    Ok(())
}

/// Predictive probabilities, averaged over members.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanProbabilities {
    /// `[observations, classes]` row-major.
    values: Vec<f64>,
    /// Mean of the members' entropies, `[observations]`, in nats.
    member_entropies: Vec<f64>,
    classes: usize,
}

impl MeanProbabilities {
    /// The observations one by one, each with the probabilities of its classes.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.classes)
    }

    /// The probability of one class, `[observations]`.
    ///
    /// # Panics
    /// If there are fewer classes.
    #[must_use]
    pub fn class(&self, class: usize) -> Vec<f64> {
        assert!(class < self.classes, "class {class} of {}", self.classes);
        self.rows().map(|row| row[class]).collect()
    }

    /// The most probable class of each observation, the first class if several tie; `[observations]`.
    #[must_use]
    pub fn most_probable(&self) -> Vec<usize> {
        self.rows().map(|row| most_probable(row).0).collect()
    }

    /// Mean over members of the entropy of each observation, `[observations]`, in nats.
    pub(super) fn member_entropies(&self) -> &[f64] {
        &self.member_entropies
    }

    pub(super) fn classes(&self) -> usize {
        self.classes
    }

    /// The probabilities without the observations for which `is_left_out` holds.
    pub(super) fn without(&self, is_left_out: impl Fn(usize) -> bool) -> Self {
        let kept = || (0..self.member_entropies.len()).filter(|i| !is_left_out(*i));
        let row = |i: usize| &self.values[i * self.classes..(i + 1) * self.classes];
        Self {
            values: kept().flat_map(row).copied().collect(),
            member_entropies: kept().map(|i| self.member_entropies[i]).collect(),
            classes: self.classes,
        }
    }

    fn add(&mut self, weight: f64, member: &[f64]) {
        for (mean, value) in self.values.iter_mut().zip(member) {
            *mean += weight * value;
        }
        let rows = member.chunks_exact(self.classes);
        for (mean, row) in self.member_entropies.iter_mut().zip(rows) {
            *mean += weight * entropy(row);
        }
    }

    /// A weighted sum of means with the shape of `like`.
    fn combined<'a>(parts: impl Iterator<Item = (f64, &'a Self)>, like: &Self) -> Self {
        let mut sum = Self {
            values: vec![0.0; like.values.len()],
            member_entropies: vec![0.0; like.member_entropies.len()],
            classes: like.classes,
        };
        for (weight, part) in parts {
            let values = sum.values.iter_mut().zip(&part.values);
            let entropies = sum.member_entropies.iter_mut().zip(&part.member_entropies);
            for (total, value) in values.chain(entropies) {
                *total += weight * value;
            }
        }
        sum
    }
}

/// The most probable class, the first class if several tie, and its probability.
pub(super) fn most_probable(row: &[f64]) -> (usize, f64) {
    let mut best = (0, row[0]);
    for (class, p) in row.iter().enumerate() {
        if *p > best.1 {
            best = (class, *p);
        }
    }
    best
}

/// Shannon entropy of some probabilities, in nats.
pub(super) fn entropy(row: &[f64]) -> f64 {
    let terms = row.iter().filter(|p| **p > 0.0).map(|p| -p * p.ln());
    terms.sum::<f64>().max(0.0)
}

/// The observations one by one, as [`rows`](MeanProbabilities::rows): `for row in &probabilities.mean() { .. }`.
impl<'a> IntoIterator for &'a MeanProbabilities {
    type Item = &'a [f64];
    type IntoIter = std::slice::ChunksExact<'a, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.chunks_exact(self.classes)
    }
}
