//! The groups of a table, and the columns whose coefficients vary by group.

use crate::coding;
use crate::columns::{Evaluator, groups};
use crate::design::{Group, INTERCEPT, place};
use crate::syntax::{Kind, Node};
use crate::terms::Grouped;
use bayes::Error;
use std::collections::{BTreeMap, BTreeSet};

/// The groups of a term `(x | g)`.
pub(crate) fn group(grouped: &Grouped, evaluator: &mut Evaluator<'_>) -> Result<Group, Error> {
    let mut columns = coding::columns(&grouped.terms, evaluator)?;
    if grouped.terms.intercept {
        let ones = vec![1.0; evaluator.table.rows()];
        columns.insert(0, (INTERCEPT.to_owned(), ones));
    }
    let mut labels: Vec<Vec<String>> = vec![Vec::new(); evaluator.table.rows()];
    for node in &grouped.by {
        for (label, part) in labels.iter_mut().zip(labels_of(node, evaluator)?) {
            label.push(part);
        }
    }
    let (mut levels, mut of) = (Vec::new(), Vec::new());
    let mut numbers: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for label in labels {
        let next = numbers.len();
        let number = *numbers.entry(label).or_insert_with_key(|label| {
            levels.push(place(&label.join(":")));
            next
        });
        of.push(number);
    }
    let mut names = BTreeSet::new();
    if let Some(level) = levels.iter().find(|level| !names.insert(*level)) {
        let message = format!(
            "two groups of `{}` would both be called `{level}`; change the labels",
            grouped.name()
        );
        return Err(evaluator.wrong(&grouped.node, message));
    }
    if evaluator.learns && levels.len() < 2 {
        let message = format!(
            "`{}` has one level, and a group needs at least two",
            grouped.name()
        );
        return Err(evaluator.wrong(&grouped.node, message));
    }
    let columns = columns.into_iter().map(|(name, x)| (place(&name), x));
    Ok(Group {
        name: place(&grouped.name()),
        has_intercept: grouped.terms.intercept,
        correlated: grouped.correlated,
        levels,
        of,
        columns: columns.collect(),
    })
}

/// The label of each row in a column of groups.
fn labels_of(node: &Node, evaluator: &mut Evaluator<'_>) -> Result<Vec<String>, Error> {
    let Kind::Name(name) = &node.kind else {
        return Err(evaluator.wrong(node, "groups come from one column"));
    };
    evaluator.check_column(node, name)?;
    let (levels, codes) = groups(evaluator.table, name)?;
    Ok(codes.iter().map(|code| levels[*code].clone()).collect())
}
