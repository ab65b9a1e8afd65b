//! The diagnostics and warnings of a run.

use super::Warning;
use super::columns::ColumnDiagnostics;
use super::estimator::Estimator;
use crate::run::Run;
use rayon::prelude::*;

impl Run {
    /// Everything that is wrong with this run, worst first; empty for a healthy one.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        Warning::all_of(self, &diagnose(self))
    }
}

/// The diagnostics of all elements, in the order of a draw.
fn diagnose(run: &Run) -> Vec<ColumnDiagnostics> {
    let names = run.layout.element_names();
    let estimator = Estimator::of(run);
    let of = |(element, name): (usize, String)| {
        ColumnDiagnostics::of(&estimator, name, &run.column(element))
    };
    names.into_par_iter().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests;
