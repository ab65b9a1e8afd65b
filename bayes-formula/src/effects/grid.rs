//! The columns of a formula, and tables on which some of them vary.

use crate::columns::{Learnt, as_written, find_label, groups, labels, mean};
use crate::population::columns_of;
use crate::recipe::Recipe;
use crate::syntax::{Kind, Node};
use crate::terms::Predictor;
use crate::text::quoted;
use bayes::data::Table;
use bayes::{Error, FormulaError, edit_distance};
use serde::Serialize;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

/// A value of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Level {
    /// A value of a column of numbers.
    Number(f64),
    /// A value of a column of labels.
    Label(String),
}

/// A number with at most five significant digits, or the label.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => {
                let short: f64 = format!("{value:.4e}").parse().unwrap_or(*value);
                write!(f, "{short}")
            }
            Self::Label(label) => f.write_str(label),
        }
    }
}

/// The contents of a column of a formula.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Variable {
    /// Numbers, `[rows]`.
    Numbers(Vec<f64>),
    /// Grades of a monotonic effect: the lowest and the highest grade, and the grade of each row.
    Grades { ends: [f64; 2], rows: Vec<f64> },
    /// The levels in their order, and the level of each row.
    Labels {
        levels: Vec<String>,
        codes: Vec<usize>,
    },
    /// The same as labels, for columns that are groups and not in terms.
    Groups {
        levels: Vec<String>,
        codes: Vec<usize>,
    },
}

/// The columns of the terms, offsets and groups of a formula.
pub(crate) type Variables = BTreeMap<String, Variable>;

/// The columns of a formula on the table of the fit.
pub(crate) fn variables(recipe: &Recipe, table: &Table) -> Result<Variables, Error> {
    let formula = recipe.terms()?;
    let mut found = Variables::new();
    let predictors: Vec<&Predictor> = formula.predictors().collect();
    // first, because other terms also use their grades
    for term in predictors.iter().flat_map(|predictor| &predictor.monotonic) {
        add_grades(&term.x, recipe, table, &mut found)?;
    }
    for predictor in &predictors {
        let groups = predictor.groups.iter();
        let factors = groups.flat_map(|grouped| &grouped.terms.factors);
        let by = predictor.smooths.iter().filter_map(|term| term.by.as_ref());
        for node in predictor.terms.factors.iter().chain(factors).chain(by) {
            add(node, recipe, table, &mut found)?;
        }
        let smooths = predictor.smooths.iter();
        let smooths = smooths.flat_map(|term| std::iter::once(&term.x).chain(&term.z));
        let processes = predictor.processes.iter().map(|term| &term.x);
        let offsets = predictor.offsets.iter().map(|term| &term.x);
        for node in offsets.chain(smooths).chain(processes) {
            add_numbers(node, table, &mut found)?;
        }
    }
    let grouped = predictors.iter().flat_map(|predictor| &predictor.groups);
    for name in grouped.flat_map(columns_of) {
        if let Entry::Vacant(place) = found.entry(name) {
            let (levels, codes) = groups(table, place.key())?;
            place.insert(Variable::Groups { levels, codes });
        }
    }
    Ok(found)
}

/// The columns that the terms of the response with this number read: its answers do not depend on others.
pub(crate) fn of_response(
    recipe: &Recipe,
    number: usize,
    variables: &Variables,
) -> Result<Variables, Error> {
    let formulas = recipe.terms()?;
    let mut names = Vec::new();
    for (_, predictor) in formulas.each[number].predictors() {
        predictor.columns(&mut names);
    }
    let own = variables.iter().filter(|(name, _)| names.contains(name));
    Ok(own
        .map(|(name, variable)| (name.clone(), variable.clone()))
        .collect())
}

/// Adds the columns of a factor: columns with levels as labels, others as numbers.
fn add(node: &Node, recipe: &Recipe, table: &Table, found: &mut Variables) -> Result<(), Error> {
    let name = match &node.kind {
        Kind::Name(name) => Some(name),
        Kind::Call { arguments, .. } => match arguments.first().map(|first| &first.value.kind) {
            Some(Kind::Name(name)) => Some(name),
            _ => None,
        },
        _ => None,
    };
    let learnt = recipe.memory.get(&match &node.kind {
        Kind::Name(name) => name.clone(),
        _ => node.to_string(),
    });
    let (Some(name), Some(Learnt::Levels(levels))) = (name, learnt) else {
        return add_numbers(node, table, found);
    };
    let (names, codes) = labels(table, name)?;
    let place = |code: &usize| levels.iter().position(|level| *level == names[*code]);
    let codes = codes.iter().map(|code| place(code).unwrap_or(0)).collect();
    let levels = as_written(table, name, levels)?;
    found.insert(name.clone(), Variable::Labels { levels, codes });
    Ok(())
}

/// Adds the column of a monotonic effect; columns within a function are added as numbers.
fn add_grades(
    node: &Node,
    recipe: &Recipe,
    table: &Table,
    found: &mut Variables,
) -> Result<(), Error> {
    let learnt = recipe.memory.get(&format!("mo({node})"));
    let (Kind::Name(name), Some(Learnt::Grades(ends))) = (&node.kind, learnt) else {
        return add_numbers(node, table, found);
    };
    let (ends, rows) = (*ends, table.reals(name)?);
    found.insert(name.clone(), Variable::Grades { ends, rows });
    Ok(())
}

fn add_numbers(node: &Node, table: &Table, found: &mut Variables) -> Result<(), Error> {
    let mut columns = Vec::new();
    node.columns(&mut columns);
    for name in columns {
        if let Entry::Vacant(place) = found.entry(name) {
            let values = table.reals(place.key())?;
            place.insert(Variable::Numbers(values));
        }
    }
    Ok(())
}

impl Variable {
    /// Whether the column varies over a grid.
    pub(crate) fn is_continuous(&self) -> bool {
        matches!(self, Self::Numbers(_))
    }

    /// All grades of a monotonic effect.
    pub(crate) fn grades(&self) -> Option<Vec<f64>> {
        let Self::Grades {
            ends: [low, high], ..
        } = *self
        else {
            return None;
        };
        let steps = 0..=(high - low) as u32;
        Some(steps.map(|step| low + f64::from(step)).collect())
    }

    /// The value of the column while others vary: the mean, the median grade, or the reference label. None for groups.
    pub(crate) fn typical(&self) -> Option<Level> {
        match self {
            Self::Numbers(values) => Some(Level::Number(mean(values))),
            Self::Grades { rows, .. } => Some(Level::Number(middle(rows))),
            Self::Labels { levels, .. } => Some(Level::Label(levels[0].clone())),
            Self::Groups { .. } => None,
        }
    }

    /// The labels, if there are any.
    pub(crate) fn levels(&self) -> Option<&[String]> {
        match self {
            Self::Numbers(_) | Self::Grades { .. } => None,
            Self::Labels { levels, .. } | Self::Groups { levels, .. } => Some(levels),
        }
    }

    /// The different numbers in increasing order, if there are at most `most`.
    pub(crate) fn few_numbers(&self, most: usize) -> Option<Vec<f64>> {
        let (Self::Numbers(values) | Self::Grades { rows: values, .. }) = self else {
            return None;
        };
        let mut values = values.clone();
        values.sort_by(f64::total_cmp);
        values.dedup();
        (values.len() <= most).then_some(values)
    }

    /// The value of a row.
    pub(crate) fn at(&self, row: usize) -> Level {
        match self {
            Self::Numbers(values) | Self::Grades { rows: values, .. } => Level::Number(values[row]),
            Self::Labels { levels, codes } | Self::Groups { levels, codes } => {
                Level::Label(levels[codes[row]].clone())
            }
        }
    }

    /// The value written in a text.
    pub(crate) fn read(&self, text: &str) -> Result<Level, String> {
        let wrong = |wanted: String| format!("`{text}` is {wanted}");
        match self.levels() {
            None => match text.trim().parse::<f64>() {
                Ok(number) if self.grades().is_some_and(|all| !all.contains(&number)) => {
                    Err(wrong("none of the grades of `mo`".to_owned()))
                }
                Ok(number) if number.is_finite() => Ok(Level::Number(number)),
                _ => Err(wrong("no number".to_owned())),
            },
            Some(levels) => match find_label(levels, text.trim()) {
                Some(level) => Ok(Level::Label(level.clone())),
                None => Err(wrong(format!("none of {}", levels.join(", ")))),
            },
        }
    }
}

/// The median; of an even number of values the lower of the two middle ones.
pub(crate) fn middle(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[(values.len() - 1) / 2]
}

/// The variable with a name that the user wrote in `text`.
pub(crate) fn find<'a>(
    variables: &'a Variables,
    name: &str,
    text: &str,
) -> Result<&'a Variable, Error> {
    if let Some(variable) = variables.get(name) {
        return Ok(variable);
    }
    let names: Vec<&str> = variables.keys().map(String::as_str).collect();
    let message = format!("the terms have no column `{name}`{}", nearest(name, &names));
    let at = text.find(name).map_or(0..0, |from| from..from + name.len());
    Err(wrong(text, at, message))
}

/// Largest number of names in a message.
const MOST: usize = 12;

/// The message for an unknown name.
pub(crate) fn nearest(name: &str, known: &[&str]) -> String {
    let letters = name.chars().count();
    let close = known.iter().min_by_key(|other| edit_distance(other, name));
    match close.filter(|other| edit_distance(other, name) < letters.min(letters / 3 + 2)) {
        Some(close) => format!("; did you mean `{close}`?"),
        None if known.len() > MOST => format!("; there are {}, ..", known[..MOST].join(", ")),
        None => format!("; there are {}", known.join(", ")),
    }
}

pub(crate) fn wrong(text: &str, at: std::ops::Range<usize>, message: impl Into<String>) -> Error {
    Error::from(FormulaError {
        formula: text.to_owned(),
        at,
        message: message.into(),
    })
}

/// A table of these columns, with a value for each row.
pub(crate) fn table(columns: &BTreeMap<String, Vec<Level>>) -> Result<Table, Error> {
    let names: Vec<String> = columns.keys().map(|name| quoted(name)).collect();
    let mut text = names.join(",") + "\n";
    let rows = columns.values().next().map_or(0, Vec::len);
    for row in 0..rows {
        let cell = |values: &Vec<Level>| match &values[row] {
            Level::Number(value) => format!("{value:?}"),
            Level::Label(label) => quoted(label),
        };
        let cells: Vec<String> = columns.values().map(cell).collect();
        text += &(cells.join(",") + "\n");
    }
    Table::from_csv(text.as_bytes())
}
