//! The density of a subset of the rows of a model.

use super::subset_trace::NoSubsetTrace;
use super::tracing::PANICS;
use super::{Posterior, SubsetTrace, caught};
use crate::model::rows::{Rows, Subset};
use std::sync::OnceLock;

/// Why a subset has no trace, although the whole has one.
const DIFFER: &str = "its numbers differ from subset to subset";

impl Posterior<'_> {
    /// The density of a subset of the rows of this model, with the validation, the gradient mode and the instruction set of the whole.
    /// Records the subset again, which takes as long as some tens of evaluations.
    #[must_use]
    pub fn on<'s, Mo: Rows>(&self, subset: &'s Subset<'_, Mo>) -> Posterior<'s> {
        self.on_next(subset, &mut SubsetTrace::default())
    }

    /// [`Posterior::on`] for one subset after another, such as minibatches. With the recordings of earlier subsets, a model of
    /// whole-vector statements is ready in less time than a gradient takes. `known` must only serve subsets of this model.
    #[must_use]
    pub fn on_next<'s, Mo: Rows>(
        &self,
        subset: &'s Subset<'_, Mo>,
        known: &mut SubsetTrace,
    ) -> Posterior<'s> {
        self.recorded_on(subset, known, self.sharing)
    }

    /// The density of a subset of the rows, as in [`Posterior::on`], and of its own subsets, for particles that share the params. The
    /// first layers of a network that depend only on params are evaluated once ([`LogDensity::sharing`](super::LogDensity::sharing)). Where there are such layers,
    /// particles with different params are evaluated one by one.
    pub fn on_sharing<'s, Mo: Rows>(&self, subset: &'s Subset<'_, Mo>) -> Posterior<'s> {
        self.recorded_on(subset, &mut SubsetTrace::default(), true)
    }

    fn recorded_on<'s, Mo: Rows>(
        &self,
        subset: &'s Subset<'_, Mo>,
        known: &mut SubsetTrace,
        sharing: bool,
    ) -> Posterior<'s> {
        let mut posterior = Posterior {
            kept: match self.kept.get() {
                Some(None) => OnceLock::from(None),
                _ => OnceLock::new(),
            },
            sharing,
            ..self.of_same_prior(subset)
        };
        if self.trace.is_some() {
            posterior.trace_subset(self, subset.indices().len(), known);
        }
        posterior
    }

    /// Chooses the evaluation of a subset of `rows` rows of `whole`, which has a trace.
    fn trace_subset(&mut self, whole: &Posterior<'_>, rows: usize, known: &mut SubsetTrace) {
        let recorded = (self.jacobian, self.shared());
        match known.trace(self.model, recorded, rows, || whole.drawn_for_trace(0)) {
            Ok(trace) => self.use_trace(trace),
            Err(NoSubsetTrace::NumbersDiffer) => {
                self.forget_trace(DIFFER);
                if self.model.forward().is_none() {
                    let model = self.model;
                    let recorded = || model.at_position(self.jacobian, known.position());
                    self.at_position = caught(recorded).ok();
                }
            }
            // a recording at another position may be wrong
            Err(NoSubsetTrace::Panics) => self.forget_trace(PANICS),
            Err(NoSubsetTrace::Untraceable(reason)) => {
                let reason = self.untraceable(reason);
                self.forget_trace(&reason);
                self.arithmetic.untraceable = Some(reason);
            }
        }
    }
}
