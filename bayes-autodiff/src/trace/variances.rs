//! Normal densities whose standard deviation is the root of a variance: `(d / √v)²` becomes `d² / v`, so that no root is taken.

use super::graph::{Expression, Scaling, Term};
use super::node::Id;
use super::operation::Operation;
use crate::function::{Function, Ln, Recip, Sqrt};
use std::collections::{BTreeMap, BTreeSet};

/// Where an inverse root only scales squares, it becomes the inverse of the variance, their weight.
///
/// The same log density must have the logarithm of the variance as a term, as a normal density does: it is NaN where the variance is
/// negative, like the root. The square of a difference must be representable, so a difference above 1e154 has no slope; the inverse of
/// the variance must be too.
pub(super) fn divide(values: &mut [Expression], terms: &mut [(usize, Term)]) {
    let mut squares: BTreeMap<Id, (u32, BTreeSet<usize>)> = BTreeMap::new();
    for (part, term) in terms.iter() {
        if let Term::Square {
            by: Scaling::Factor(id),
            ..
        } = term
        {
            let (count, parts) = squares.entry(*id).or_default();
            *count += 1;
            parts.insert(*part);
        }
    }
    if squares.is_empty() {
        return;
    }
    let uses = uses(values, terms);
    let logarithms = logarithms(values, terms);
    for (id, (count, parts)) in squares {
        let variance = (uses[id as usize] == count)
            .then(|| radicand(id, values, &uses))
            .flatten();
        let Some(variance) = variance else { continue };
        if parts
            .iter()
            .any(|part| !logarithms.contains(&(*part, variance)))
        {
            continue;
        }
        let (function, of) = (Recip::operation(), [variance, 0, 0]);
        values[id as usize] = Expression::Call { function, of };
        for (_, term) in terms.iter_mut() {
            if let Term::Square { by, .. } = term
                && *by == Scaling::Factor(id)
            {
                *by = Scaling::Weight(id);
            }
        }
    }
}

/// How often each value is an operand. Leftover values of the fusion count too, though they may be unneeded.
fn uses(values: &[Expression], terms: &[(usize, Term)]) -> Vec<u32> {
    let mut uses = vec![0; values.len()];
    let mut count = |id: Id| uses[id as usize] += 1;
    values.iter().for_each(|value| value.operands(&mut count));
    terms.iter().for_each(|(_, term)| term.operands(&mut count));
    uses
}

/// The parts with a logarithm as a term, and its argument.
fn logarithms(values: &[Expression], terms: &[(usize, Term)]) -> BTreeSet<(usize, Id)> {
    let mut found = BTreeSet::new();
    for (part, term) in terms {
        if let Term::Poly(poly) = term {
            let of = poly.linear.iter();
            let arguments = of.filter_map(|(_, id)| argument(*id, Ln::operation(), values));
            found.extend(arguments.map(|of| (*part, of)));
        }
    }
    found
}

/// The argument of a value that is this function.
fn argument(id: Id, wanted: &Operation, values: &[Expression]) -> Option<Id> {
    match &values[id as usize] {
        Expression::Call { function, of } if *function == wanted => Some(of[0]),
        _ => None,
    }
}

/// `v`, if a value is `1 / √v` and nothing else needs the root.
fn radicand(id: Id, values: &[Expression], uses: &[u32]) -> Option<Id> {
    let root = argument(id, Recip::operation(), values)?;
    let alone = uses[root as usize] == 1;
    alone
        .then(|| argument(root, Sqrt::operation(), values))
        .flatten()
}
