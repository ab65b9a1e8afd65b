//! The log likelihood of a model row by row.

use super::{Model, Start, Wanted, observations};
use crate::rng::stream;

/// The log likelihood of each of the `rows` rows of `model` at a position, in one pass. The terms of every observed variable are dealt
/// to the rows in order, equally many to each. `None` if this is impossible, or if a term is not finite.
pub fn by_row<Mo: Model>(model: &Mo, rows: usize, position: &[f64]) -> Option<Vec<f64>> {
    let wanted = Wanted {
        log_likelihood: true,
        ..Wanted::default()
    };
    // no number is drawn from this stream
    let mut unused = stream(0);
    let found = observations(model, Start::At(position), wanted, &mut unused);
    let mut sums = vec![0.0; rows];
    for variable in found {
        let terms = variable.log_likelihood;
        if !terms.len().is_multiple_of(rows) {
            return None;
        }
        let each = (terms.len() / rows).max(1);
        for (sum, terms) in sums.iter_mut().zip(terms.chunks_exact(each)) {
            *sum += terms.iter().sum::<f64>();
        }
    }
    sums.iter().all(|sum| sum.is_finite()).then_some(sums)
}
