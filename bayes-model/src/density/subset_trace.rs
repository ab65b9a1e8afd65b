//! Recordings of subsets of a model's rows, for the next subset.

use super::caught;
use crate::model::Compiled;
use bayes_autodiff::trace::{Recorded, Trace, Untraceable};

/// Recordings of subsets of the rows of one model. If the model's operations differ only in whole vectors of data, the trace of the next
/// subset with the same number of rows takes a fraction of the time.
#[derive(Debug, Default)]
pub struct SubsetTrace {
    /// Recordings by the number of rows. There are seldom more than two: for all minibatches, and for the last one.
    known: Vec<(usize, Known)>,
    /// The position of the recording.
    position: Vec<f64>,
}

/// The findings for subsets of some size.
#[derive(Debug)]
struct Known {
    /// Nothing if the numbers in the operations differ from subset to subset.
    recorded: Option<Recorded>,
    /// How many of the last subsets had other operations, or other numbers in them.
    failures: usize,
}

/// After this many consecutive failures no further subset is tried: a single one may be exceptional, for example if all its data are 0.
const FAILURES: usize = 3;

/// The maximum number of coordinates for which forward mode over the operations of a subset takes less time than a new trace of it.
const FEW: usize = 8;

/// Why a subset has no trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSubsetTrace {
    /// The numbers in its operations differ from subset to subset, and forward mode is faster than a recording of each.
    NumbersDiffer,
    /// It panics at the position of the recording.
    Panics,
    /// It is no program for a trace.
    Untraceable(Untraceable),
}

impl SubsetTrace {
    /// The position of the recordings, `[dim]`.
    pub(super) fn position(&self) -> &[f64] {
        &self.position
    }

    /// The trace of a subset of `rows` rows; `position` gives the position of the recording.
    ///
    /// # Errors
    /// The reason why there is none.
    pub(super) fn trace<'m>(
        &mut self,
        model: &'m dyn Compiled,
        (jacobian, shared): (bool, &[bool]),
        rows: usize,
        position: impl FnOnce() -> Vec<f64>,
    ) -> Result<Trace<'m>, NoSubsetTrace> {
        if self.known.is_empty() {
            self.position = position();
        }
        let place = self.known.iter().position(|(of, _)| *of == rows);
        let (recorded, mut failures) = match place.map(|place| self.known.swap_remove(place).1) {
            Some(known) => (known.recorded, known.failures + 1),
            None => (None, 0),
        };
        if failures > FAILURES && self.position.len() <= FEW {
            self.known.push((rows, Known { recorded, failures }));
            return Err(NoSubsetTrace::NumbersDiffer);
        }
        let again = recorded.and_then(|recorded| {
            let again = || model.record_again(jacobian, recorded, &self.position);
            caught(again).ok()?.ok()
        });
        let recorded = match again {
            Some(again) => {
                failures = 0;
                again
            }
            None => {
                let record = || model.record(jacobian, shared, &[&self.position]);
                let recorded = caught(record).map_err(|_| NoSubsetTrace::Panics)?;
                recorded.map_err(NoSubsetTrace::Untraceable)?
            }
        };
        let trace = model.trace(&recorded);
        let recorded = (failures < FAILURES).then_some(recorded);
        self.known.push((rows, Known { recorded, failures }));
        Ok(trace)
    }
}
