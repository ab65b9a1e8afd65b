//! A sum over the values of a discrete quantity while a model is checked: all of them must observe the same data.

use super::look::Complaint;
use crate::model::plain::{PlainData, PlainDistribution};
use crate::model::sum_out::OpenSum;
use bayes_autodiff::fault::Fault;

/// Observed data: their name, and the bits of the numbers.
type Observed = (&'static str, Vec<u64>);

/// A sum over the values of a discrete quantity.
pub(super) struct LookedSum {
    pub(super) statement: usize,
    pub(super) sum: OpenSum<f64>,
    /// The number of values that have begun.
    begun: usize,
    /// The data that the first value observes, in order.
    first: Vec<Observed>,
    /// The data that the present value observes, in order; empty for the first.
    present: Vec<Observed>,
    /// A later value that observes other data, and the name of the first data that differ.
    other: Option<(usize, &'static str)>,
    /// Data that the present value does not allow, and such data of the first value that has some. A value that allows the
    /// data makes up for another.
    impossible: [Option<Complaint>; 2],
    /// Whether some value allows the data.
    is_possible: bool,
}

impl LookedSum {
    pub(super) fn new(statement: usize, distribution: &dyn PlainDistribution) -> Self {
        Self {
            statement,
            sum: OpenSum::over_plain(distribution),
            begun: 0,
            first: Vec::new(),
            present: Vec::new(),
            other: None,
            impossible: [None, None],
            is_possible: false,
        }
    }

    /// Whether the rest of the block runs for the first value, so that its executions count.
    pub(super) fn is_first(&self) -> bool {
        self.begun <= 1
    }

    /// The next value.
    pub(super) fn next(&mut self) -> Option<usize> {
        self.end_value();
        let next = self.sum.next(0.0);
        self.begun += usize::from(next.is_some());
        next
    }

    /// Ends the present value.
    fn end_value(&mut self) {
        let [present, kept] = &mut self.impossible;
        match present.take() {
            Some(complaint) => {
                kept.get_or_insert(complaint);
            }
            None => self.is_possible |= self.begun > 0,
        }
        if self.begun > 1 && self.other.is_none() && self.present != self.first {
            let pairs = self.first.iter().zip(&self.present);
            let place = pairs
                .take_while(|(first, present)| first == present)
                .count();
            let differing = self.first.get(place).or_else(|| self.present.get(place));
            self.other = differing.map(|(name, _)| (self.begun - 1, *name));
        }
        self.present.clear();
    }

    /// Records data that are observed at the present value.
    pub(super) fn observe(&mut self, name: &'static str, data: &dyn PlainData) {
        let bits = (0..data.shape().elements()).map(|i| data.at(i).to_bits());
        self.note((name, bits.collect()));
    }

    fn note(&mut self, observed: Observed) {
        match self.is_first() {
            true => self.first.push(observed),
            false => self.present.push(observed),
        }
    }

    /// Records the data that a sum within this one observes at each of its values.
    pub(super) fn observe_all(&mut self, within: Self) {
        within
            .first
            .into_iter()
            .for_each(|observed| self.note(observed));
    }

    /// Records data that the present value does not allow.
    pub(super) fn refuse(&mut self, complaint: Complaint) {
        self.impossible[0].get_or_insert(complaint);
    }

    /// Data that no value allows, after the last value.
    pub(super) fn impossible(&mut self) -> Option<Complaint> {
        self.impossible[1].take().filter(|_| !self.is_possible)
    }

    /// The fault of values that observe other data than the first: predictions would not know what to draw.
    pub(super) fn uneven(&self) -> Option<Fault> {
        let (place, name) = self.other?;
        let smallest = self.sum.first();
        Some(Fault::Sum {
            reason: format!(
                "the values {smallest} and {} do not observe the same data in the same order (`{name}`): write one `observe` for all values, with \
                 parameters that depend on the value; `Bernoulli::new(0.0)` and the like are certain",
                smallest + place,
            ),
        })
    }
}
