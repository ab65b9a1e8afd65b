//! The constrained values and deterministic quantities of a model, from its trace if it has one.
//!
//! The trace computes them for many particles at a time. It leaves out work that only the densities need, such as the sum over a discrete
//! quantity in a `factor`. The model itself would run as a whole.

use super::{Posterior, caught};
use crate::model::{Output, Validated};
use bayes_autodiff::trace::Trace;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Outputs of the trace and of the model are the same if they differ by less than this, relative to their size.
const ROUNDING: f64 = 1e-6;

/// The place in the trace of each element of the output, `[elements]`; `None` if the model has to compute them.
fn places(trace: &Trace<'_>, validated: &Validated) -> Option<Vec<usize>> {
    let kept = trace.kept()?;
    let order = validated.statements.iter().enumerate();
    let ranks: BTreeMap<usize, usize> = order.map(|(rank, statement)| (*statement, rank)).collect();
    let is_known = kept.iter().all(|statement| ranks.contains_key(statement));
    let mut places: Vec<usize> = (0..kept.len()).collect();
    // stable: the elements of a statement stay in the order of execution
    places.sort_by_key(|place| ranks.get(&kept[*place]));
    (is_known && places.len() == validated.layout.elements()).then_some(places)
}

impl Posterior<'_> {
    /// [`Quantities::outputs`](super::Quantities::outputs) from the trace; `None` without one.
    pub(super) fn traced_outputs(&self, positions: &[f64]) -> Option<Vec<f64>> {
        let trace = self.trace.as_ref()?;
        let places = self.kept.get_or_init(|| places(trace, &self.validated));
        let places = places.as_ref()?;
        let particles = positions.len().checked_div(self.validated.layout.dim)?;
        let mut kept = vec![0.0; particles * places.len()];
        trace.outputs(self.level, positions, &mut kept);
        if places.is_sorted() {
            return Some(kept);
        }
        let rows = kept.chunks_exact(places.len());
        let in_order = rows.flat_map(|row| places.iter().map(|place| row[*place]));
        Some(in_order.collect())
    }

    /// The output at a position, by the model itself; NaN if it panics.
    pub(super) fn untraced_output(&self, position: &[f64]) -> Vec<f64> {
        let mut output = Output::new(position);
        let elements = self.validated.layout.elements();
        if caught(|| self.model.plain(&mut output)).is_err() {
            return vec![f64::NAN; elements];
        }
        let mut values = Vec::with_capacity(elements);
        for statement in &self.validated.statements {
            if let Some(of) = output.values.get(statement) {
                values.extend_from_slice(of);
            }
        }
        values
    }

    /// Leaves the outputs to the model unless the trace has the same outputs at a prior draw.
    pub(super) fn check_outputs(&mut self) {
        let position = self.drawn_for_trace(0);
        let Some(traced) = self.traced_outputs(&position) else {
            return;
        };
        let untraced = self.untraced_output(&position);
        let is_same = |(a, b): (&f64, &f64)| {
            let size = a.abs().max(b.abs());
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= ROUNDING * size
        };
        if traced.len() != untraced.len() || !traced.iter().zip(&untraced).all(is_same) {
            self.kept = OnceLock::from(None);
        }
    }
}
