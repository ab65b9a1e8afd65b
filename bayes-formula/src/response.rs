//! The response of a table and its numbers of trials, as required by a family.

use crate::columns::{Column, Evaluator, Learnt};
use crate::family::{Family, Response};
use crate::syntax::{Argument, Kind, Node};
use crate::terms::Formula;
use bayes::Error;
use std::f64::consts::PI;

/// The largest number of grades.
const MOST_GRADES: f64 = 1000.0;

/// The numbers of trials, `[rows]`; empty for families without trials.
pub(crate) fn trials(
    family: Family,
    formula: &Formula,
    evaluator: &mut Evaluator<'_>,
) -> Result<Vec<u64>, Error> {
    let Some(node) = &formula.additions.trials else {
        if !family.has_trials() {
            return Ok(Vec::new());
        }
        let response = &formula.response;
        let written = evaluator.written(response);
        let message = format!(
            "the family {family} needs the number of trials of each row: `{written} | trials(n) ~ ..`{}",
            if family.has_columns() {
                ""
            } else {
                "; for 0 and 1 take bernoulli"
            }
        );
        return Err(evaluator.wrong(response, message));
    };
    if !family.has_trials() {
        let message = format!(
            "the family {family} has no trials; did you mean the family `binomial`? beta-binomial and multinomial have trials too"
        );
        return Err(evaluator.wrong(node, message));
    }
    let values = evaluator.numbers(node)?;
    check(&values, node, evaluator, "whole numbers from 0", is_whole)?;
    Ok(values.into_iter().map(|value| value as u64).collect())
}

/// The response, `[rows]`; NaN for missing values of a table to predict.
pub(crate) fn response(
    family: Family,
    node: &Node,
    trials: &[u64],
    evaluator: &mut Evaluator<'_>,
) -> Result<Vec<f64>, Error> {
    let missing = vec![f64::NAN; evaluator.table.rows()];
    if evaluator.skips_responses {
        return Ok(missing);
    }
    let kind = family.response();
    let wanted = format!("{}, for the family {family}", kind.words());
    if let Some(labels) = incomplete_labels(family, node, evaluator)? {
        return Ok(labels);
    }
    if evaluator.may_lack(node) {
        return Ok(missing);
    }
    // labels that some rows lack were read above
    let has_all = !evaluator.lacks_some(node)?;
    if kind == Response::Binary
        && has_all
        && let Column::Labels { levels, codes, .. } = evaluator.column(node)?
    {
        if levels.len() != 2 {
            let message = format!(
                "`{node}` has the levels {}; it must hold {wanted}",
                levels.join(", ")
            );
            return Err(evaluator.wrong(node, message));
        }
        return Ok(codes.iter().map(|code| *code as f64).collect());
    }
    if kind == Response::Labels {
        let (_, codes) = labels(node, evaluator)?;
        return Ok(codes.into_iter().map(|code| code as f64 + 1.0).collect());
    }
    if kind == Response::Grades
        && has_all
        && let Column::Labels { .. } = evaluator.column(node)?
    {
        let message = format!(
            "the labels of `{node}` have no order; number the grades from 1, or take the family categorical"
        );
        return Err(evaluator.wrong(node, message));
    }
    let values = evaluator.observed(node)?;
    let is_allowed = allowed(kind);
    let is_wrong = |value: &&f64| !value.is_nan() && !is_allowed(**value);
    let wrong = values.iter().find(is_wrong);
    let elsewhere = wrong.map_or("", |value| elsewhere(kind, *value, &values));
    check(
        &values,
        node,
        evaluator,
        &format!("{wanted}{elsewhere}"),
        is_allowed,
    )?;
    within_trials(&values, node, trials, evaluator)?;
    Ok(values)
}

/// Refuses a row with more successes than trials.
fn within_trials(
    values: &[f64],
    node: &Node,
    trials: &[u64],
    evaluator: &Evaluator<'_>,
) -> Result<(), Error> {
    let above = values.iter().zip(trials).position(|(y, n)| *y > *n as f64);
    if let Some(row) = above {
        let message = format!(
            "`{node}` is {} in row {}, which has {} trials",
            values[row],
            row + 1,
            trials[row]
        );
        return Err(evaluator.wrong(node, message));
    }
    Ok(())
}

/// The numbers of the labels of a table to predict that some rows lack, NaN there; `None` if all rows have one, or none.
fn incomplete_labels(
    family: Family,
    node: &Node,
    evaluator: &mut Evaluator<'_>,
) -> Result<Option<Vec<f64>>, Error> {
    let learnt = evaluator.memory.get(&node.to_string());
    if family.response() != Response::Labels && !matches!(learnt, Some(Learnt::Levels(_))) {
        return Ok(None);
    }
    // families of labels have no trials
    let read = |complete: &mut Evaluator<'_>| response(family, node, &[], complete);
    let some = evaluator.of_rows_with_values(node, read)?;
    Ok(some.map(|some| evaluator.in_all_rows(some)))
}

/// The labels of a categorical response, and the label of each row. A column of whole numbers holds labels too, in increasing order.
pub(crate) fn labels(
    node: &Node,
    evaluator: &mut Evaluator<'_>,
) -> Result<(Vec<String>, Vec<usize>), Error> {
    let as_labels = || Node {
        kind: Kind::Call {
            function: "factor".to_owned(),
            arguments: vec![Argument {
                name: None,
                value: node.clone(),
            }],
        },
        at: node.at.clone(),
    };
    let column = match evaluator.column(node)? {
        Column::Numbers(values) if values.iter().all(|value| is_whole(*value)) => {
            evaluator.column(&as_labels())?
        }
        other => other,
    };
    match column {
        Column::Labels { levels, codes, .. } if levels.len() as f64 <= MOST_GRADES => {
            Ok((levels, codes))
        }
        _ => {
            let message = format!(
                "`{node}` must hold labels or whole numbers, at most {MOST_GRADES} different ones, for the family categorical; for others write `factor({node})`"
            );
            Err(evaluator.wrong(node, message))
        }
    }
}

/// Whether a response of a kind has a value.
fn allowed(kind: Response) -> fn(f64) -> bool {
    match kind {
        Response::Real => |_| true,
        Response::Positive => |value| value > 0.0,
        Response::Share => |value| value > 0.0 && value < 1.0,
        Response::Binary => |value| value == 0.0 || value == 1.0,
        Response::Counts | Response::Trials => is_whole,
        Response::Grades => |value| is_whole(value) && (1.0..=MOST_GRADES).contains(&value),
        Response::NonNegative => |value| value >= 0.0,
        Response::ShareFromZero => |value| (0.0..1.0).contains(&value),
        Response::ClosedShare => |value| (0.0..=1.0).contains(&value),
        Response::Angle => |value| value.abs() <= PI,
        Response::Labels | Response::ColumnsOfCounts | Response::ColumnsOfShares => |_| true,
    }
}

/// What to do with a value that other families have.
fn elsewhere(kind: Response, value: f64, all: &[f64]) -> &'static str {
    match kind {
        Response::Positive if value == 0.0 => "; zeros belong to hurdle-gamma and hurdle-lognormal",
        Response::Share | Response::ShareFromZero if value == 0.0 || value == 1.0 => {
            "; both ends belong to zero-one-inflated-beta"
        }
        // all of them tell degrees from radians
        Response::Angle if !all.iter().any(|y| !(0.0..=2.0 * PI).contains(y)) => {
            "; subtract 2 pi from angles above pi; degrees times pi / 180 are radians"
        }
        Response::Angle => "; degrees times pi / 180 are radians",
        _ => "",
    }
}

fn is_whole(value: f64) -> bool {
    value.fract() == 0.0 && (0.0..2.0_f64.powi(53)).contains(&value)
}

/// Checks that all values that are not missing are allowed.
pub(crate) fn check(
    values: &[f64],
    node: &Node,
    evaluator: &Evaluator<'_>,
    wanted: &str,
    is_allowed: fn(f64) -> bool,
) -> Result<(), Error> {
    let wrong = values
        .iter()
        .position(|value| !value.is_nan() && !is_allowed(*value));
    wrong.map_or(Ok(()), |row| {
        let message = format!(
            "`{node}` is {} in row {}; it must hold {wanted}",
            values[row],
            row + 1
        );
        Err(evaluator.wrong(node, message))
    })
}
