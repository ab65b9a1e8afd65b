//! The diagnostics of one column of draws: effective sample sizes and R-hat, for chains and for islands.

use super::estimator::{Estimator, constant};
use super::rank::normal_scores;
use super::{ess, rhat};
use crate::parallel;
use crate::run::Run;

/// Effective sample sizes and R-hat of one element; NaN if they cannot be estimated.
#[derive(Clone, Debug)]
pub(crate) struct ColumnDiagnostics {
    pub(crate) name: String,
    pub(crate) ess_bulk: f64,
    pub(crate) ess_tail: f64,
    pub(crate) r_hat: f64,
    /// The upper limit of R-hat by chance alone, for nested R-hat; otherwise NaN.
    pub(crate) nested_limit: f64,
    /// Numbers of draws that are NaN, minus infinity, and infinity.
    pub(crate) not_finite: [usize; 3],
}

impl ColumnDiagnostics {
    /// The diagnostics of all elements, in the order of a draw.
    pub(crate) fn of_run(run: &Run) -> Vec<Self> {
        let names = run.layout.element_names();
        let estimator = Estimator::of(run);
        let superchains = superchains(run);
        let rarity = rhat::rarity(names.len());
        let of = |(element, name)| {
            let values = run.column(element);
            let plain = Self::of(&estimator, name, &values);
            match &superchains {
                Some(superchains) => plain.nested(&values, superchains, rarity),
                None => plain,
            }
        };
        parallel::map(names.into_iter().enumerate(), of)
    }

    /// The diagnostics of `values`, one for each draw, group by group.
    fn of(estimator: &Estimator<'_>, name: String, values: &[Vec<f64>]) -> Self {
        let [low, high] = ess::tail_indicators(values);
        let r_hat =
            if constant(values.iter().flatten().copied()).is_some() || estimator.is_weighted() {
                // constants have no ranks, and draws of one group with different weights have no ranks
                // among each other
                f64::NAN
            } else if estimator.run().is_chains() {
                rhat::chains(values)
            } else {
                rhat::islands(values)
            };
        Self {
            name,
            ess_bulk: estimator.effective_size(&normal_scores(values)),
            ess_tail: ess::lesser(
                estimator.effective_size(&low),
                estimator.effective_size(&high),
            ),
            r_hat,
            nested_limit: f64::NAN,
            not_finite: not_finite(values),
        }
    }

    /// The same diagnostics with nested R-hat in place of R-hat.
    fn nested(self, values: &[Vec<f64>], superchains: &[usize], rarity: f64) -> Self {
        let [r_hat, nested_limit] = rhat::superchains_and_limit(values, superchains, rarity);
        Self {
            r_hat,
            nested_limit,
            ..self
        }
    }
}

/// The number of values that are NaN, minus infinity, and infinity.
fn not_finite(values: &[Vec<f64>]) -> [usize; 3] {
    let mut counts = [0; 3];
    for value in values.iter().flatten().filter(|value| !value.is_finite()) {
        let kind = match *value {
            f64::NEG_INFINITY => 1,
            f64::INFINITY => 2,
            _ => 0,
        };
        counts[kind] += 1;
    }
    counts
}

/// The superchain of each chain, if chains started together and there are at least two superchains.
pub(crate) fn superchains(run: &Run) -> Option<Vec<usize>> {
    let numbers = run
        .groups
        .iter()
        .map(|group| Some(group.chain()?.superchain? as usize));
    let numbers: Vec<usize> = numbers.collect::<Option<_>>()?;
    let is_nested = numbers.iter().any(|number| *number != numbers[0]);
    is_nested.then_some(numbers)
}
