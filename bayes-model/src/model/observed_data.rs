//! A hash of the values that a model observes, whatever its predictors and priors are.

use super::fingerprint::Fingerprint;
use super::forward::{Forward, Start, Wanted};
use super::outline::Outline;
use super::{Compiled, Observed};
use crate::rng::{Key, Purpose};
use bayes_autodiff::fault;

/// A hash of exactly the observed values, in the order in which the model observes them, and of their weights and intervals of censoring.
/// Two models of one set of observations share it although their predictors, priors and names differ.
///
/// `None` if the model observes nothing, and if it has a `factor`, or random quantities with given values: such terms may be data too.
pub(crate) fn observed_data(model: &dyn Compiled) -> Option<u64> {
    let statements = model.statements();
    let mut stream = Key::new(0, Purpose::Validation).stream();
    let start = Start::Prior(&[]);
    let mut forward = Forward::new(statements, start, Wanted::default(), &mut stream);
    forward.outline = Some(Outline::new(statements));
    fault::catch(|| model.plain(&mut forward)).ok()?;
    let outline = forward.outline?;
    let has_factor = outline.has_factor;
    of_observed(&outline.observed_variables(statements), has_factor)
}

/// The same hash from the observed variables of a model.
#[must_use]
pub fn of_observed(observed: &[Observed], has_factor: bool) -> Option<u64> {
    if has_factor || observed.iter().all(|variable| variable.data.is_empty()) {
        return None;
    }
    let data = observed.iter().flat_map(|variable| &variable.data);
    let terms = observed.iter().enumerate().flat_map(|(variable, one)| {
        let of = move |(element, term): &(usize, crate::dist::Term)| {
            let ends = term.interval.into_iter().flatten().map(f64::to_bits);
            let words = [variable as u64, *element as u64, term.weight.to_bits()];
            words.into_iter().chain(ends)
        };
        one.terms.iter().flat_map(of)
    });
    Some(Fingerprint::of(data.map(|x| x.to_bits()).chain(terms)))
}
