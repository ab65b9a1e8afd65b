//! Normal densities whose standard deviation is the root of a variance: `(d / √v)²` is `d² / v`, so that no root is taken.

use super::graph::{Expression, Scaling, Term};
use super::node::Id;
use crate::function::{Function, Ln, Recip, Sqrt};
use std::collections::BTreeMap;

/// Where an inverse root serves only squares that it scales, it becomes the inverse of the variance, their weight.
///
/// Only if the logarithm of the variance is needed too, as in a normal density: it is NaN where the variance is negative, as the root
/// would be.
pub(super) fn divide(values: &mut [Expression], uses: &[u32], terms: &mut [(usize, Term)]) {
    let mut squares: BTreeMap<Id, u32> = BTreeMap::new();
    for (_, term) in terms.iter() {
        if let Term::Square {
            by: Scaling::Factor(id),
            ..
        } = term
        {
            *squares.entry(*id).or_default() += 1;
        }
    }
    squares.retain(|id, count| *count == uses[*id as usize]);
    let logarithms: Vec<Id> = logarithms(values, uses);
    squares.retain(|id, _| {
        let variance = radicand(*id, values, uses);
        let variance = variance.filter(|of| logarithms.binary_search(of).is_ok());
        if let Some(variance) = variance {
            let (function, of) = (Recip::operation(), [variance, 0, 0]);
            values[*id as usize] = Expression::Call { function, of };
        }
        variance.is_some()
    });
    for (_, term) in terms {
        if let Term::Square { by, .. } = term
            && let Scaling::Factor(id) = *by
            && squares.contains_key(&id)
        {
            *by = Scaling::Weight(id);
        }
    }
}

/// The arguments of all logarithms that are needed, in order.
fn logarithms(values: &[Expression], uses: &[u32]) -> Vec<Id> {
    let logarithm = |(value, uses): (&Expression, &u32)| match value {
        Expression::Call { function, of } if *function == Ln::operation() && *uses > 0 => {
            Some(of[0])
        }
        _ => None,
    };
    let mut found: Vec<Id> = values.iter().zip(uses).filter_map(logarithm).collect();
    found.sort_unstable();
    found
}

/// `v`, if a value is `1 / √v` and nothing else needs the root.
fn radicand(id: Id, values: &[Expression], uses: &[u32]) -> Option<Id> {
    let argument = |id: Id, wanted: &'static super::Operation| match &values[id as usize] {
        Expression::Call { function, of } if *function == wanted => Some(of[0]),
        _ => None,
    };
    let root = argument(id, Recip::operation())?;
    let alone = uses[root as usize] == 1;
    alone.then(|| argument(root, Sqrt::operation())).flatten()
}
