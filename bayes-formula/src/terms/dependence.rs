//! Parts of a formula that are functions of others, by their derivatives at a few places.

use crate::columns::{Evaluator, Memory};
use crate::syntax::{Kind, Node};
use bayes::Error;
use bayes::data::Table;
use nalgebra::DMatrix;

/// Places where functions are compared: some functions are not defined at all of them.
const PLACES: usize = 6;
/// The step of a derivative.
const STEP: f64 = 1e-6;
/// Directions whose part outside of others is below this one depend on them; derivatives by the step have errors near it squared.
const SAME: f64 = 1e-3;

/// Whether a part reads the unknown ones among the columns of a response only as they are in it, or has by them its derivatives up to a factor.
pub(super) fn is_function_of(
    node: &Node,
    response: &Node,
    columns: &[String],
    unknown: &[String],
) -> bool {
    reads_through(node, &response.to_string(), unknown) || {
        let both = |place| directions(&[node, response], columns, unknown, place);
        let mut known = (0..PLACES).filter_map(both).peekable();
        known.peek().is_some() && known.all(|rows| rank(&rows) == 1)
    }
}

/// The first response that follows from those before it: the number of its node.
pub(super) fn first_dependent(responses: &[&Node], columns: &[String]) -> Option<usize> {
    let depends = |count: &usize| {
        let all = |place| {
            let each = responses[..*count].iter().enumerate();
            each.map(|(k, node)| {
                let known = directions(&[*node], columns, columns, place);
                known.map_or_else(|| any_direction(node, columns, k), |mut one| one.remove(0))
            })
            .collect::<Vec<_>>()
        };
        (0..PLACES).all(|place| rank(&all(place)) < *count)
    };
    (2..=responses.len()).find(depends).map(|count| count - 1)
}

/// Whether all of these columns that a part reads stand in a copy of the response.
fn reads_through(node: &Node, response: &str, columns: &[String]) -> bool {
    if node.to_string() == response {
        return true;
    }
    let again = |node: &Node| reads_through(node, response, columns);
    match &node.kind {
        Kind::Name(name) => !columns.contains(name),
        Kind::Call { arguments, .. } => {
            let mut columns = arguments.iter().filter(|argument| argument.name.is_none());
            columns.all(|argument| again(&argument.value))
        }
        Kind::Negative(inner) => again(inner),
        Kind::Binary { left, right, .. } => again(left) && again(right),
        Kind::Number(_) | Kind::Text(_) => true,
    }
}

/// The derivatives of functions of columns by some of them, of length 1; `None` if one is not defined at the place, or is constant there.
fn directions(
    nodes: &[&Node],
    columns: &[String],
    by: &[String],
    place: usize,
) -> Option<Vec<Vec<f64>>> {
    let table = near(columns, place).ok()?;
    let mut evaluator = Evaluator {
        table: &table,
        formula: "",
        memory: &mut Memory::new(),
        learns: true,
        predicts: false,
        skips_responses: false,
    };
    let each = nodes.iter().map(|node| {
        let values = evaluator.numbers(node).ok()?;
        let stepped = columns.iter().zip(&values[1..]);
        let stepped = stepped.filter(|(column, _)| by.contains(column));
        unit(
            stepped
                .map(|(_, value)| (value - values[0]) / STEP)
                .collect(),
        )
    });
    each.collect()
}

/// A direction of a function of which no more is known than the columns that it reads.
fn any_direction(node: &Node, columns: &[String], number: usize) -> Vec<f64> {
    let mut read = Vec::new();
    node.columns(&mut read);
    let part = |(k, column): (usize, &String)| match read.contains(column) {
        true => 1.0 + fraction(number * columns.len() + k),
        false => 0.0,
    };
    columns.iter().enumerate().map(part).collect()
}

/// A row at the place, and one for each column in which it is a step away.
fn near(columns: &[String], place: usize) -> Result<Table, Error> {
    let rows = "0\n".repeat(columns.len() + 1);
    let mut table = Table::from_csv(format!("(row)\n{rows}").as_bytes())?;
    for (k, column) in columns.iter().enumerate() {
        let value = 0.2 + 0.7 * fraction(place * columns.len() + k);
        let values =
            (0..=columns.len()).map(|row| value + STEP * f64::from(u8::from(row == k + 1)));
        table = table.with_column(column, values)?;
    }
    Ok(table)
}

/// Numbers between 0 and 1 without a pattern (multiples of the square root of 2 and squares).
fn fraction(k: usize) -> f64 {
    let k = k as f64 + 1.0;
    (k * k * 0.317 * 2f64.sqrt() + k * 0.618).fract()
}

fn unit(row: Vec<f64>) -> Option<Vec<f64>> {
    let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    let is_known = length.is_finite() && length > STEP;
    is_known.then(|| row.iter().map(|x| x / length).collect())
}

fn rank(rows: &[Vec<f64>]) -> usize {
    let columns = rows.first().map_or(0, Vec::len);
    DMatrix::from_row_iterator(rows.len(), columns, rows.iter().flatten().copied()).rank(SAME)
}
