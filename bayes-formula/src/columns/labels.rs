//! The labels of a column.

use super::decimal::{plain, without_point};
use bayes::Error;
use bayes::data::Table;
use std::cmp::Ordering;
use std::collections::BTreeMap;

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
    let numbers: Option<Vec<String>> = found.names.iter().map(|name| plain(name)).collect();
    let names = numbers.unwrap_or(found.names);
    let mut levels: Vec<String> = names.clone();
    levels.sort_by(|a, b| order(a, b));
    levels.dedup();
    let place = |name: &String| levels.iter().position(|level| level == name).unwrap_or(0);
    let places: Vec<usize> = names.iter().map(place).collect();
    let codes = found.indices.iter().map(|index| places[*index]).collect();
    Ok((levels, codes))
}

/// The groups of a column in their order, and the group of each row. Labels are groups as they are written, except for the point of a whole
/// number.
pub(crate) fn groups(table: &Table, column: &str) -> Result<(Vec<String>, Vec<usize>), Error> {
    if table.order(column).is_some() {
        return labels(table, column);
    }
    let found = table.categories(column)?;
    let names: Vec<&str> = found.names.iter().map(|name| without_point(name)).collect();
    let mut levels: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    levels.sort_by(|a, b| order(a, b));
    levels.dedup();
    let place = |name: &&str| levels.iter().position(|level| level == name).unwrap_or(0);
    let places: Vec<usize> = names.iter().map(place).collect();
    let codes = found.indices.iter().map(|index| places[*index]).collect();
    Ok((levels, codes))
}

/// The same levels as the table writes them, such as `007` for `7`: the names that groups have.
pub(crate) fn as_written(
    table: &Table,
    column: &str,
    levels: &[String],
) -> Result<Vec<String>, Error> {
    let names = table.categories(column)?.names;
    let written = |level: &String| {
        let is_it = |name: &&String| plain(name).as_ref() == Some(level);
        let own = names.iter().find(|name| *name == level);
        let name = own.or_else(|| names.iter().find(is_it));
        name.map_or_else(|| level.clone(), |name| without_point(name).to_owned())
    };
    Ok(levels.iter().map(written).collect())
}

/// The label that is this text, or otherwise the first one that is the same number.
pub(crate) fn find<'a>(labels: &'a [String], text: &str) -> Option<&'a String> {
    let same = labels.iter().find(|label| *label == text);
    same.or_else(|| {
        let number = plain(text)?;
        labels
            .iter()
            .find(|label| plain(label).as_ref() == Some(&number))
    })
}

/// Two labels of a column of numbers that are the same number, except for the point of a whole number: `0.5` and `0.50`, `007` and `7`. They
/// may be one label, or two.
pub(crate) fn alike(table: &Table, column: &str) -> Result<Option<[String; 2]>, Error> {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for name in table.categories(column)?.names {
        let (Some(number), short) = (plain(&name), without_point(&name)) else {
            return Ok(None);
        };
        match known.get(&number) {
            Some(other) if other != short => return Ok(Some([other.clone(), name])),
            _ => known.insert(number, short.to_owned()),
        };
    }
    Ok(None)
}

fn order(a: &str, b: &str) -> Ordering {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        // whole numbers that are one `f64` differ in their digits
        (Ok(x), Ok(y)) => x.total_cmp(&y).then_with(|| digits(a, b)),
        // numbers before words
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a
            .to_lowercase()
            .cmp(&b.to_lowercase())
            .then_with(|| a.cmp(b)),
    }
}

/// The order of numbers with the same sign by their digits.
fn digits(a: &str, b: &str) -> Ordering {
    let larger = a.len().cmp(&b.len()).then_with(|| a.cmp(b));
    match a.starts_with('-') {
        true => larger.reverse(),
        false => larger,
    }
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn a_label_as_written_comes_before_one_that_is_the_same_number() {
        let labels = ["007", "7", "8.0", "b"].map(str::to_owned);
        let found = |text| find(&labels, text).map(String::as_str);
        assert_eq!(found("7"), Some("7"));
        assert_eq!(found("8"), Some("8.0"));
        assert_eq!(found("B"), None);
    }
}
