//! Quantities that are summed out, drawn given the data: the terms of their sums come from a trace, if the model has one.

use super::Prediction;
use crate::density::SumTerms;
use crate::model::{Model, Observations, Start, Wanted};
use crate::parallel;
use crate::rng::Key;
use std::sync::Arc;

/// Number of draws whose terms are computed together.
const TOGETHER: usize = 32;

/// Calls a function with the terms of the sums of a model, recorded at some positions; with none if the model has no sums or no trace.
pub(super) type WithSumTerms<'a> =
    dyn Fn(&[&[f64]], &mut dyn FnMut(Option<&SumTerms<'_>>)) + Sync + 'a;

/// The terms of the sums of this model.
pub(super) fn of<'a, Mo: Model + 'a>(model: Arc<Mo>) -> Box<WithSumTerms<'a>> {
    Box::new(move |positions, with| with(SumTerms::of(&*model, positions).as_ref()))
}

impl Prediction<'_> {
    /// Calls a function with the terms of the sums, if draws given the data need nothing else at the positions of the run.
    pub(super) fn with_sum_terms(
        &self,
        tasks: &[(Key, Start<'_>)],
        wanted: Wanted,
        with: &mut dyn FnMut(Option<&SumTerms<'_>>),
    ) {
        let is_given_data = self.has_data && !self.is_of_prior() && !self.has_factor;
        let needs_more = wanted.log_likelihood || wanted.log_probabilities || wanted.supports;
        let needs_values = wanted.draws || wanted.value_probabilities;
        if !needs_values || needs_more || !is_given_data || self.matched.is_some() {
            return with(None);
        }
        let positions = tasks.iter().filter_map(|(_, start)| position(start));
        let positions: Vec<&[f64]> = positions.take(TOGETHER).collect();
        (self.sum_terms)(&positions, with);
    }

    /// The requested numbers of the observations of each task.
    pub(super) fn evaluated(
        &self,
        tasks: &[(Key, Start<'_>)],
        wanted: Wanted,
        sum_terms: Option<&SumTerms<'_>>,
    ) -> Vec<Vec<Observations>> {
        let Some(sum_terms) = sum_terms else {
            let one = |(key, start): &(Key, Start<'_>)| self.at(*start, wanted, &mut key.stream());
            return parallel::map(tasks, one);
        };
        let some = |tasks: &[(Key, Start<'_>)]| {
            // `with_sum_terms` has no terms for a run whose starts are no positions
            let positions: Vec<&[f64]> = tasks
                .iter()
                .map(|(_, start)| position(start).expect("a start at a position"))
                .collect();
            let terms = sum_terms.at(&positions.concat(), positions.len());
            let rows = terms.chunks_exact(sum_terms.count());
            let pairs = tasks.iter().zip(rows);
            let one = pairs
                .map(|((key, start), row)| self.by_terms(*start, wanted, row, &mut key.stream()));
            one.collect::<Vec<_>>()
        };
        let chunks: Vec<_> = tasks.chunks(TOGETHER).collect();
        let found: Vec<Vec<Vec<Observations>>> = parallel::map(chunks, some);
        found.into_iter().flatten().collect()
    }
}

/// The position at which the model runs, `[dim]`.
fn position<'a>(start: &Start<'a>) -> Option<&'a [f64]> {
    match start {
        Start::At(position) => Some(position),
        Start::Prior(_) | Start::Draw { .. } => None,
    }
}
