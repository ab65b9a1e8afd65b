//! The groups of a table, and the columns whose coefficients vary by group.

use crate::coding;
use crate::columns::{Evaluator, groups};
use crate::design::{Group, INTERCEPT, place};
use crate::syntax::{Kind, Node, Operator};
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
    let (levels, of) = combined(&grouped.node, &grouped.by, evaluator)?;
    if evaluator.learns && levels.len() < 2 {
        let message = format!(
            "`{}` has one level, and a group needs at least two",
            grouped.name()
        );
        return Err(evaluator.wrong(&grouped.node, message));
    }
    let columns = columns.into_iter().map(|(name, x)| (place(&name), x));
    Ok(Group {
        term: term(grouped, evaluator),
        name: place(&grouped.name()),
        by: place(&grouped.name()),
        prefix: String::new(),
        id: grouped.id.clone(),
        has_intercept: grouped.terms.intercept,
        correlated: grouped.correlated,
        levels,
        of,
        columns: columns.collect(),
    })
}

/// The term of these groups as it could be written alone: `(1 | site:plot)` is the second one of `(1 | site/plot)`.
fn term(grouped: &Grouped, evaluator: &Evaluator<'_>) -> String {
    match &grouped.node.kind {
        Kind::Binary {
            operator,
            left,
            right,
        } if has_several(right) => {
            let (terms, bar) = (evaluator.written(left), operator.text());
            format!("({terms} {bar} {})", grouped.name())
        }
        _ => evaluator.written(&grouped.node).to_owned(),
    }
}

/// Whether the text behind the bar has several groupings: `a/b` and `a + b`.
fn has_several(node: &Node) -> bool {
    let Kind::Binary { operator, .. } = &node.kind else {
        return false;
    };
    matches!(operator, Operator::Divide | Operator::Plus)
}

/// The groups of a term in the order of their first rows, and the group of each row.
///
/// # Errors
/// For two groups with one name.
pub(crate) fn combined(
    term: &Node,
    by: &[Node],
    evaluator: &mut Evaluator<'_>,
) -> Result<(Vec<String>, Vec<usize>), Error> {
    let mut columns = Vec::new();
    for node in by {
        columns.push(codes_of(node, evaluator)?);
    }
    let (mut levels, mut of) = (Vec::new(), Vec::new());
    let mut numbers: BTreeMap<u128, usize> = BTreeMap::new();
    for row in 0..evaluator.table.rows() {
        // one number for each combination of labels; of six columns with a million labels each there are less than 2^128
        let mut key: u128 = 0;
        for (names, codes) in &columns {
            key = key * names.len() as u128 + codes[row] as u128;
        }
        let next = numbers.len();
        let number = *numbers.entry(key).or_insert_with(|| {
            let parts = columns
                .iter()
                .map(|(names, codes)| names[codes[row]].as_str());
            levels.push(place(&parts.collect::<Vec<_>>().join(":")));
            next
        });
        of.push(number);
    }
    let mut names = BTreeSet::new();
    if let Some(level) = levels.iter().find(|level| !names.insert(*level)) {
        let by: Vec<String> = by.iter().map(Node::to_string).collect();
        let message = format!(
            "two groups of `{}` would both be called `{level}`; change the labels",
            by.join(":")
        );
        return Err(evaluator.wrong(term, message));
    }
    Ok((levels, of))
}

/// The labels of a column of groups, and the number of the label of each row.
fn codes_of(
    node: &Node,
    evaluator: &mut Evaluator<'_>,
) -> Result<(Vec<String>, Vec<usize>), Error> {
    let Kind::Name(name) = &node.kind else {
        return Err(evaluator.wrong(node, "groups come from one column"));
    };
    let is_there = evaluator.table.columns().contains(name);
    if !is_there && evaluator.predicts && evaluator.close(name).is_none() {
        let message = format!(
            "the table to predict has no column `{name}` of groups; add it, with labels of their own for new groups (`NewGroups::Draw`, `--new-groups`), or ask \
             for the population (`Regression::of_run_to_population`, `fitted --no-groups`)"
        );
        return Err(evaluator.wrong(node, message));
    }
    evaluator.check_column(node, name)?;
    groups(evaluator.table, name)
}
