//! The options of effects.

use super::grid::{Level, Variable, Variables, find, middle, wrong};
use crate::columns::{deviation, mean};
use bayes::Error;
use std::collections::BTreeMap;

/// Number of grid points of a column of numbers.
pub(super) const POINTS: usize = 100;
/// The text has a line for every eleventh grid point, including the last one.
pub(super) const SHOWN: usize = 11;
/// A second column of numbers is shown at all of its values if there are at most this many, otherwise at three values.
const FEW: usize = 5;

/// The values of the other columns, and the scale of effects: `Conditions::new().at("age", 40)`.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    pub(super) at: Vec<(String, String)>,
    pub(super) is_linear: bool,
    pub(super) draws_groups: bool,
}

impl Conditions {
    /// Numbers at their means, grades of monotonic effects at their median, labels at their reference, effects of groups 0, on the scale of the response.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a column to this value, a number or a label. A value of a column of groups includes the effects of this group.
    #[must_use]
    pub fn at(mut self, column: &str, value: impl ToString) -> Self {
        self.at.push((column.to_owned(), value.to_string()));
        self
    }

    /// Uses the linear predictor instead of the expected response.
    #[must_use]
    pub fn linear(self) -> Self {
        Self {
            is_linear: true,
            ..self
        }
    }

    /// Draws the effects of groups for a new group from the population, instead of 0: intervals are wider by the spread of groups.
    #[must_use]
    pub fn new_group(self) -> Self {
        Self {
            draws_groups: true,
            ..self
        }
    }
}

/// The columns that vary, by their names, each with its values.
pub(super) type Varying = Vec<(String, Vec<Level>)>;

/// The columns of `x` or `x:z` with the values at which effects are computed.
pub(super) fn varying(of: &str, variables: &Variables) -> Result<Varying, Error> {
    let names: Vec<&str> = match variables.contains_key(of.trim()) {
        true => vec![of.trim()],
        false => of.split(':').map(str::trim).collect(),
    };
    if names.len() > 2 || (names.len() == 2 && names[0] == names[1]) {
        let message = "effects are of one column or of two: `x`, `x:z`";
        return Err(wrong(of, 0..of.len(), message));
    }
    let mut found = Varying::new();
    for (k, name) in names.iter().enumerate() {
        let variable = find(variables, name, of)?;
        let values = match variable.levels() {
            Some(levels) => levels.iter().cloned().map(Level::Label).collect(),
            None => numbers(variable, k == 0),
        };
        found.push(((*name).to_owned(), values));
    }
    Ok(found)
}

/// The values of a column of numbers: a grid for the first column; for the second all values if few, or the mean and one
/// standard deviation on each side.
fn numbers(variable: &Variable, is_first: bool) -> Vec<Level> {
    let all = match variable {
        Variable::Numbers(all) => all,
        Variable::Grades { ends, rows } => return grades(variable, (*ends, rows), is_first),
        _ => return Vec::new(),
    };
    let few = variable.few_numbers(if is_first { 2 } else { FEW });
    let values = few.unwrap_or_else(|| match is_first {
        true => {
            let low = all.iter().copied().fold(f64::INFINITY, f64::min);
            let high = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let step = (high - low) / (POINTS - 1) as f64;
            (0..POINTS).map(|k| low + step * k as f64).collect()
        }
        false => [-1.0, 0.0, 1.0]
            .map(|k| mean(all) + k * deviation(all))
            .to_vec(),
    });
    values.into_iter().map(Level::Number).collect()
}

/// All grades; for a second column with more than a few, the lowest, the median and the highest grade.
fn grades(
    variable: &Variable,
    ([low, high], rows): ([f64; 2], &[f64]),
    is_first: bool,
) -> Vec<Level> {
    let mut all = variable.grades().unwrap_or_default();
    if !is_first && all.len() > FEW {
        all = vec![low, middle(rows), high];
        all.dedup();
    }
    all.into_iter().map(Level::Number).collect()
}

/// The values of the columns that do not vary. Groups are included only if they are named.
pub(super) fn others(
    variables: &Variables,
    varying: &Varying,
    conditions: &Conditions,
) -> Result<BTreeMap<String, Level>, Error> {
    let mut found = BTreeMap::new();
    for (name, variable) in variables {
        if varying.iter().all(|(other, _)| other != name) {
            found.extend(variable.typical().map(|level| (name.clone(), level)));
        }
    }
    for (name, value) in &conditions.at {
        let text = format!("{name}={value}");
        let variable = find(variables, name, &text)?;
        if varying.iter().any(|(other, _)| other == name) {
            let message = format!("`{name}` varies, and cannot be at one value");
            return Err(wrong(&text, 0..name.len(), message));
        }
        let at = name.len() + 1..text.len();
        let level = variable
            .read(value)
            .map_err(|message| wrong(&text, at, message))?;
        found.insert(name.clone(), level);
    }
    Ok(found)
}
