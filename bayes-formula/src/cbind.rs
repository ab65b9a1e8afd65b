//! Responses of several columns: `cbind(a, b, c)`.

use crate::columns::Evaluator;
use crate::family::{Family, Response};
use crate::syntax::{Kind, Node};
use bayes::Error;
use nalgebra::DMatrix;

/// The largest distance of a sum of shares from 1 (brms).
const ROUNDING: f64 = 1e-8;

/// The columns of `cbind(a, b, c)`; `None` for another response.
pub(crate) fn parts(node: &Node) -> Option<Vec<&Node>> {
    match &node.kind {
        Kind::Call {
            function,
            arguments,
        } if function == "cbind" => Some(arguments.iter().map(|part| &part.value).collect()),
        _ => None,
    }
}

/// The first name of an argument of a call.
fn named(node: &Node) -> Option<&str> {
    match &node.kind {
        Kind::Call { arguments, .. } => arguments.iter().find_map(|part| part.name.as_deref()),
        _ => None,
    }
}

/// Refuses several columns for families of one, and one column for families of several.
pub(crate) fn check(family: Family, node: &Node, evaluator: &Evaluator<'_>) -> Result<(), Error> {
    let message = match (parts(node), family.has_columns()) {
        (None, false) => return Ok(()),
        (Some(_), false) => format!(
            "`cbind(..)` is the response of the families multinomial and dirichlet, and this is {family}; for successes and failures write `successes | trials(n)`, with the family binomial"
        ),
        (None, true) => {
            let trials = if family.has_trials() {
                " | trials(n)"
            } else {
                ""
            };
            format!(
                "the family {family} needs a column for each outcome: `cbind(a, b, c){trials} ~ ..`"
            )
        }
        (Some(_), true) if named(node).is_some() => format!(
            "`cbind` takes columns without names, and here is `{} =`; the outcomes have the names of the columns",
            named(node).unwrap_or_default()
        ),
        (Some(columns), true) if columns.len() < 2 => {
            let node = evaluator.written(node);
            format!("`{node}` has one column, and the family {family} needs at least two")
        }
        (Some(columns), true) => {
            let is_name = |part: &&&Node| matches!(part.kind, Kind::Name(_));
            let names: Vec<String> = columns.iter().map(|part| part.to_string()).collect();
            let twice = (1..names.len()).find(|k| names[..*k].contains(&names[*k]));
            match (columns.iter().find(|part| !is_name(part)), twice) {
                (Some(part), _) => format!("`cbind` takes names of columns, and not `{part}`"),
                (None, Some(k)) => format!("`{}` is there twice; leave one out", names[k]),
                (None, None) => return Ok(()),
            }
        }
    };
    Err(evaluator.wrong(node, message))
}

/// The response, `[rows, columns]`; NaN in the rows of a table to predict that lack it, and without rows for other families.
pub(crate) fn columns(
    family: Family,
    node: &Node,
    trials: &[u64],
    evaluator: &mut Evaluator<'_>,
) -> Result<DMatrix<f64>, Error> {
    let Some(parts) = parts(node).filter(|_| family.has_columns()) else {
        return Ok(DMatrix::zeros(0, 0));
    };
    let rows = evaluator.table.rows();
    if evaluator.may_lack(node) {
        return Ok(DMatrix::from_element(rows, parts.len(), f64::NAN));
    }
    let mut all = DMatrix::zeros(rows, parts.len());
    for (k, part) in parts.iter().enumerate() {
        let values = evaluator.observed(part)?;
        check_values(family, part, &values, evaluator)?;
        all.column_mut(k).copy_from_slice(&values);
    }
    for row in 0..rows {
        let sum: f64 = all.row(row).iter().sum();
        if sum.is_nan() {
            all.row_mut(row).fill(f64::NAN);
        } else {
            check_sum(family, node, (row, sum), trials, evaluator)?;
        }
    }
    let is_constant = (0..rows).all(|row| all.row(row) == all.row(0));
    if evaluator.learns && family == Family::Dirichlet && is_constant {
        let written = evaluator.written(node);
        let message =
            format!("`{written}` is the same in all rows, so there is nothing to explain");
        return Err(evaluator.wrong(node, message));
    }
    Ok(all)
}

fn check_values(
    family: Family,
    node: &Node,
    values: &[f64],
    evaluator: &Evaluator<'_>,
) -> Result<(), Error> {
    let (wanted, is_allowed): (_, fn(f64) -> bool) = match family.response() {
        Response::ColumnsOfShares => ("numbers above 0 and below 1", |y| y > 0.0 && y < 1.0),
        _ => ("whole numbers from 0", |y| y >= 0.0 && y.fract() == 0.0),
    };
    let wanted = format!("{wanted}, for the family {family}");
    crate::response::check(values, node, evaluator, &wanted, is_allowed)
}

fn check_sum(
    family: Family,
    node: &Node,
    (row, sum): (usize, f64),
    trials: &[u64],
    evaluator: &Evaluator<'_>,
) -> Result<(), Error> {
    let (number, written) = (row + 1, evaluator.written(node));
    let message = match trials.get(row) {
        Some(trials) if sum != *trials as f64 => format!(
            "the columns of `{written}` sum to {sum} in row {number}, which has {trials} trials"
        ),
        None if (sum - 1.0).abs() > ROUNDING => format!(
            "the columns of `{written}` sum to {sum} in row {number}; they must sum to 1, for the family {family}: divide them by their sum"
        ),
        _ => return Ok(()),
    };
    Err(evaluator.wrong(node, message))
}
