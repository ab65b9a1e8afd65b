//! What was recorded of subsets of a model's rows, for the next subset.

use super::caught;
use crate::model::Compiled;
use bayes_autodiff::trace::{Recorded, Trace};

/// Recordings of subsets of a model's rows: the trace of the next subset of as many rows takes a fraction of the time, if the
/// model's operations differ in whole vectors of data only.
#[derive(Debug, Default)]
pub struct SubsetTrace {
    /// By the number of rows. There are seldom more than two: of all minibatches, and of the last one.
    known: Vec<(usize, Known)>,
    /// Where the model is recorded.
    position: Vec<f64>,
}

#[derive(Debug)]
enum Known {
    Recorded(Box<Recorded>),
    /// Its numbers differ from subset to subset.
    Changing,
}

impl SubsetTrace {
    /// The trace of a subset of `rows` rows; `position` gives where to record it. `None` if there is no trace.
    pub(super) fn trace<'m>(
        &mut self,
        model: &'m dyn Compiled,
        jacobian: bool,
        rows: usize,
        position: impl FnOnce() -> Vec<f64>,
    ) -> Option<Trace<'m>> {
        if self.known.is_empty() {
            self.position = position();
        }
        let place = self.known.iter().position(|(of, _)| *of == rows);
        let known = place.map(|place| self.known.swap_remove(place).1);
        let is_new = known.is_none();
        let again = match known {
            Some(Known::Recorded(recorded)) => {
                let again = || model.record_again(jacobian, *recorded, &self.position);
                caught(again).ok().and_then(Result::ok)
            }
            _ => None,
        };
        let changes = again.is_none() && !is_new;
        let recorded = match again {
            Some(again) => again,
            None => {
                let record = || model.record(jacobian, &[&self.position]);
                caught(record).ok().and_then(Result::ok)?
            }
        };
        let trace = model.trace(&recorded);
        let known = if changes {
            Known::Changing
        } else {
            Known::Recorded(Box::new(recorded))
        };
        self.known.push((rows, known));
        Some(trace)
    }
}
