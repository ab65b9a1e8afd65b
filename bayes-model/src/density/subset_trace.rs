//! What was recorded of subsets of a model's rows, for the next subset.

use super::caught;
use crate::model::Compiled;
use bayes_autodiff::trace::{Recorded, Trace};

/// Recordings of subsets of the rows of one model: the trace of the next subset of as many rows takes a fraction of the time, if the
/// model's operations differ in whole vectors of data only.
#[derive(Debug, Default)]
pub struct SubsetTrace {
    /// By the number of rows. There are seldom more than two: of all minibatches, and of the last one.
    known: Vec<(usize, Known)>,
    /// Where the model is recorded.
    position: Vec<f64>,
}

/// What is known of subsets of some size.
#[derive(Debug)]
struct Known {
    /// Nothing if the numbers of the operations differ from subset to subset.
    recorded: Option<Recorded>,
    /// How many of the last subsets had other operations, or other numbers in them.
    failures: usize,
}

/// After this many failures one after the other no further subset is tried: a single one may be exceptional, as if all its data are 0.
const FAILURES: usize = 3;

/// The most coordinates with which forward mode takes less time than a new recording for each subset: for 8 particles and 64 rows, a loop
/// with 3 coordinates took a fifth of the time, a Poisson regression with 16 one and a half times as long.
const FEW: usize = 8;

impl SubsetTrace {
    /// The trace of a subset of `rows` rows; `position` gives where to record it. `None` if there is none, or if forward mode is faster
    /// than to record each subset anew.
    pub(super) fn trace<'m>(
        &mut self,
        model: &'m dyn Compiled,
        (jacobian, shared): (bool, &[bool]),
        rows: usize,
        position: impl FnOnce() -> Vec<f64>,
    ) -> Option<Trace<'m>> {
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
            return None;
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
                caught(record).ok()?.ok()?
            }
        };
        let trace = model.trace(&recorded);
        let recorded = (failures < FAILURES).then_some(recorded);
        self.known.push((rows, Known { recorded, failures }));
        Some(trace)
    }
}
