//! The labels of a column.

use bayes::Error;
use bayes::data::Table;
use std::cmp::Ordering;

/// The levels of a column in their order, and the level of each row.
///
/// Levels have the order set by the table, without unused levels. Otherwise numeric labels come first, in increasing order (`308.0` is
/// `308`), then other labels in alphabetical order, upper and lower case alike.
pub(crate) fn labels(table: &Table, column: &str) -> Result<(Vec<String>, Vec<usize>), Error> {
    let mut found = table.categories(column)?;
    if let Some(order) = table.order(column) {
        let place = |name: &String| order.iter().position(|label| label == name);
        let mut levels = found.names.clone();
        levels.sort_by_key(place);
        let place = |name: &String| levels.iter().position(|level| level == name).unwrap_or(0);
        let places: Vec<usize> = found.names.iter().map(place).collect();
        found
            .indices
            .iter_mut()
            .for_each(|index| *index = places[*index]);
        return Ok((levels, found.indices));
    }
    let numbers = found
        .names
        .iter()
        .map(|name| name.trim().parse::<f64>().ok());
    let numbers: Option<Vec<f64>> = numbers.map(|x| x.filter(|x| x.is_finite())).collect();
    let names = match &numbers {
        Some(numbers) => numbers.iter().map(f64::to_string).collect(),
        None => found.names,
    };
    let mut levels: Vec<String> = names.clone();
    levels.sort_by(|a, b| order(a, b));
    levels.dedup();
    let place = |name: &String| levels.iter().position(|level| level == name).unwrap_or(0);
    let places: Vec<usize> = names.iter().map(place).collect();
    let codes = found.indices.iter().map(|index| places[*index]).collect();
    Ok((levels, codes))
}

fn order(a: &str, b: &str) -> Ordering {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => a.total_cmp(&b),
        // numbers before words
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a
            .to_lowercase()
            .cmp(&b.to_lowercase())
            .then_with(|| a.cmp(b)),
    }
}
