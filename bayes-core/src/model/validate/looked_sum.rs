//! A sum over the values of a discrete quantity while a model is checked: all of them must observe the same data.

use super::look::Complaint;
use crate::model::plain::PlainDistribution;
use crate::model::sum_out::OpenSum;
use bayes_autodiff::fault::Fault;
use std::collections::BTreeMap;

/// The number of elements that were observed, by name.
type Counts = BTreeMap<&'static str, usize>;

/// A sum over the values of a discrete quantity.
pub(super) struct LookedSum {
    pub(super) statement: usize,
    pub(super) sum: OpenSum<f64>,
    /// What was observed at each value so far, `[values]`.
    observed: Vec<Counts>,
    /// Data that cannot be at the present value, and those of the first value that has some. One value makes up for another.
    impossible: [Option<Complaint>; 2],
    /// Whether the data are possible at some value.
    is_possible: bool,
}

impl LookedSum {
    pub(super) fn new(statement: usize, distribution: &dyn PlainDistribution) -> Self {
        Self {
            statement,
            sum: OpenSum::over_plain(distribution),
            observed: Vec::new(),
            impossible: [None, None],
            is_possible: false,
        }
    }

    /// Whether the rest of the block runs for the first value, so that its executions count.
    pub(super) fn is_first(&self) -> bool {
        self.observed.len() <= 1
    }

    /// The next value.
    pub(super) fn next(&mut self) -> Option<usize> {
        let [present, kept] = &mut self.impossible;
        match present.take() {
            Some(complaint) => {
                kept.get_or_insert(complaint);
            }
            None => self.is_possible |= !self.observed.is_empty(),
        }
        let next = self.sum.next(0.0);
        if next.is_some() {
            self.observed.push(Counts::new());
        }
        next
    }

    /// Notes data that are observed at the present value.
    pub(super) fn observe(&mut self, name: &'static str, elements: usize) {
        if let Some(counts) = self.observed.last_mut() {
            *counts.entry(name).or_default() += elements;
        }
    }

    /// Notes data that cannot be at the present value.
    pub(super) fn refuse(&mut self, complaint: Complaint) {
        self.impossible[0].get_or_insert(complaint);
    }

    /// Data that cannot be at any value, after the last.
    pub(super) fn impossible(&mut self) -> Option<Complaint> {
        self.impossible[1].take().filter(|_| !self.is_possible)
    }

    /// What was observed at the first value.
    pub(super) fn observed(&self) -> Counts {
        self.observed.first().cloned().unwrap_or_default()
    }

    /// Why predictions would not know what to draw: data that some values observe and others do not.
    pub(super) fn uneven(&self) -> Option<Fault> {
        let first = self.observed.first()?;
        let (place, other) = self
            .observed
            .iter()
            .enumerate()
            .find(|(_, counts)| *counts != first)?;
        let count = |of: &Counts, name: &str| of.get(name).copied().unwrap_or(0);
        let mut names = first.keys().chain(other.keys());
        let name = names.find(|name| count(first, name) != count(other, name))?;
        let smallest = self.sum.first();
        Some(Fault::Sum {
            reason: format!(
                "the value {smallest} observes {} of the numbers `{name}`, and the value {} observes {}: observe the same data at every \
                 value, under a distribution that may be certain, such as `Bernoulli::new(0.0)`",
                count(first, name),
                smallest + place,
                count(other, name),
            ),
        })
    }
}
