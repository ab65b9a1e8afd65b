//! The observed elements whose likelihood is not simply their density.

use super::plain::PlainDistribution;
use crate::dist::Term;

/// The elements of `data` that are censored, or have a weight, numbered from `first`.
pub(super) fn other_than_densities<'a>(
    distribution: &'a dyn PlainDistribution,
    data: &'a [f64],
    first: usize,
) -> impl Iterator<Item = (usize, Term)> + 'a {
    let period = distribution.shape().elements().max(1);
    let terms = data.iter().enumerate();
    let terms = terms.map(move |(i, datum)| (first + i, distribution.term(i % period, *datum)));
    terms.filter(|(_, term)| *term != Term::PLAIN)
}
