//! The terms of the sums over discrete quantities of a model, at many positions by a trace.

use super::caught;
use crate::model::{Compiled, Model, StatementKind};
use bayes_autodiff::simd::InstructionSet;
use bayes_autodiff::trace::Trace;

/// The most positions at which the model is recorded.
const RECORDED: usize = 10;

/// The terms `ln p(k) + t_k` of the sums of a model over discrete quantities, those in no other sum, where `t_k` is the log likelihood of
/// the rest of the block at the value `k`.
///
/// A trace computes them for many positions at a time, and operations that many values share once. The model itself would run its block
/// once for each value.
#[derive(Debug)]
pub struct SumTerms<'m> {
    trace: Trace<'m>,
    terms: usize,
}

impl<'m> SumTerms<'m> {
    /// The terms of a model, recorded at some of these positions, `[dim]` each. `None` if the model sums nothing out, or has no trace.
    pub fn of<Mo: Model>(model: &'m Mo, positions: &[&[f64]]) -> Option<Self> {
        let mut statements = model.statements().iter();
        if !statements.any(|statement| statement.kind == StatementKind::SumOut) {
            return None;
        }
        let model: &'m dyn Compiled = model;
        let positions = &positions[..positions.len().min(RECORDED)];
        if positions.first()?.is_empty() {
            return None;
        }
        let trace = caught(|| model.trace_of_sum_terms(positions)).ok()?.ok()?;
        let terms = trace.kept()?.len();
        (terms > 0).then_some(Self { trace, terms })
    }

    /// Number of terms at a position.
    #[must_use]
    pub fn count(&self) -> usize {
        self.terms
    }

    /// The terms at `positions`, `[positions, dim]`: `[positions, terms]`, row-major, in the order in which the model sums.
    ///
    /// # Panics
    /// If the lengths do not match.
    #[must_use]
    pub fn at(&self, positions: &[f64], count: usize) -> Vec<f64> {
        let mut terms = vec![0.0; count * self.terms];
        self.trace
            .outputs(InstructionSet::detect(), positions, &mut terms);
        terms
    }
}
