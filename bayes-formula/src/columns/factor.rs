//! Factors: a column as labels, with their first level and their contrasts.

use super::{Column, Evaluator, Learnt, polynomial};
use crate::signatures::usage;
use crate::syntax::{Argument, Kind, Node};
use bayes::Error;
use std::ops::Range;

/// The most labels of `ordered`: polynomials of higher degrees lose digits.
const MOST_ORDERED: usize = 20;

/// The columns that the levels of a factor become, where other terms span one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Contrasts {
    /// Each level but the first, against the first.
    #[default]
    Treatment,
    /// Each level but the last, against the mean of all.
    Sum,
    /// Each level but the first, against the mean of the levels before it.
    Helmert,
    /// Orthogonal polynomials of the levels' places: linear, quadratic, ...
    Polynomial,
}

impl Contrasts {
    /// The contrasts that R, patsy and this crate call so.
    fn of(word: &str) -> Option<Self> {
        let word = word.to_lowercase();
        match word.strip_prefix("contr.").unwrap_or(&word) {
            "treatment" => Some(Self::Treatment),
            "sum" => Some(Self::Sum),
            "helmert" => Some(Self::Helmert),
            _ => None,
        }
    }

    /// The levels that have a column.
    pub(crate) fn of_columns(self, levels: usize) -> Range<usize> {
        match self {
            Self::Sum => 0..levels - 1,
            Self::Treatment | Self::Helmert | Self::Polynomial => 1..levels,
        }
    }

    /// The value of a level's column in a row of the level `code`, of so many levels.
    pub(crate) fn value(self, column: usize, code: usize, levels: usize) -> f64 {
        match self {
            Self::Polynomial => polynomial::of_places(levels, column, code),
            Self::Helmert if code == column => column as f64,
            Self::Helmert if code < column => -1.0,
            Self::Sum if code + 1 == levels => -1.0,
            Self::Treatment | Self::Sum if code == column => 1.0,
            _ => 0.0,
        }
    }

    /// What the name of a level's column has behind the name of the factor: the level, or the degree as in R.
    pub(crate) fn ending(self, column: usize, levels: &[String]) -> String {
        match (self, column) {
            (Self::Polynomial, 1) => ".L".to_owned(),
            (Self::Polynomial, 2) => ".Q".to_owned(),
            (Self::Polynomial, 3) => ".C".to_owned(),
            (Self::Polynomial, degree) => format!("^{degree}"),
            _ => levels[column].clone(),
        }
    }
}

impl Evaluator<'_> {
    /// `factor(x)`, `factor(x, base = "b")`, `factor(x, contrasts = "sum")`: labels even if the column holds numbers.
    pub(super) fn factor(&mut self, node: &Node, arguments: &[Argument]) -> Result<Column, Error> {
        let (first, base, contrasts) = match arguments {
            [first] if first.name.is_none() => (first, None, Contrasts::default()),
            [first, other] if first.name.is_none() => match other.name.as_deref() {
                Some("base") => (first, Some(&other.value), Contrasts::default()),
                None | Some("contrasts") => (first, None, self.contrasts(node, &other.value)?),
                _ => return Err(self.wrong(node, usage("factor"))),
            },
            _ => return Err(self.wrong(node, usage("factor"))),
        };
        let Kind::Name(name) = &first.value.kind else {
            return Err(self.wrong(&first.value, "`factor` takes the name of a column"));
        };
        self.check_column(&first.value, name)?;
        let key = node.to_string();
        if self.learns && !self.memory.contains_key(&key) {
            let (mut levels, _) = self.levels(&first.value, name)?;
            if let Some(base) = base {
                self.move_first(&mut levels, name, base)?;
            }
            self.memory.insert(key, Learnt::Levels(levels));
        }
        self.with_contrasts(node, name, contrasts)
    }

    /// `ordered(x)`, `ordered(x, "low", "middle", "high")`: labels in this order, with polynomials of their places.
    pub(super) fn ordered(&mut self, node: &Node, arguments: &[Argument]) -> Result<Column, Error> {
        let [first, order @ ..] = arguments else {
            return Err(self.wrong(node, usage("ordered")));
        };
        let Kind::Name(name) = &first.value.kind else {
            return Err(self.wrong(node, usage("ordered")));
        };
        if arguments.iter().any(|argument| argument.name.is_some()) {
            return Err(self.wrong(node, usage("ordered")));
        }
        self.check_column(&first.value, name)?;
        let key = node.to_string();
        if self.learns && !self.memory.contains_key(&key) {
            let (found, _) = self.levels(&first.value, name)?;
            let levels = match order {
                [] => self.in_own_order(node, name, found)?,
                order => self.in_given_order(node, name, found, order)?,
            };
            if levels.len() > MOST_ORDERED {
                let message = format!(
                    "`{name}` has {} labels, and `ordered` takes at most {MOST_ORDERED}; write `poly({name}, 2)` for numbers",
                    levels.len()
                );
                return Err(self.wrong(node, message));
            }
            self.memory.insert(key, Learnt::Levels(levels));
        }
        self.with_contrasts(node, name, Contrasts::Polynomial)
    }

    /// A column with the levels that are known of a factor, and these contrasts.
    fn with_contrasts(
        &self,
        node: &Node,
        name: &str,
        contrasts: Contrasts,
    ) -> Result<Column, Error> {
        let Some(Learnt::Levels(levels)) = self.memory.get(&node.to_string()) else {
            return Err(self.wrong(node, "its levels are not known"));
        };
        match self.coded(node, name, levels.clone())? {
            Column::Labels { levels, codes, .. } => Ok(Column::Labels {
                levels,
                codes,
                contrasts,
            }),
            other => Ok(other),
        }
    }

    /// Numbers in increasing order, or the order of the table; words have none.
    fn in_own_order(
        &self,
        node: &Node,
        name: &str,
        found: Vec<String>,
    ) -> Result<Vec<String>, Error> {
        let are_numbers = found.iter().all(|level| level.parse::<f64>().is_ok());
        if are_numbers || self.table.order(name).is_some() {
            return Ok(found);
        }
        let known: Vec<String> = found.iter().map(|level| format!("\"{level}\"")).collect();
        let message = format!(
            "the labels of `{name}` have no order; write them from the lowest to the highest: `ordered({name}, {})`, in your order",
            known.join(", ")
        );
        Err(self.wrong(node, message))
    }

    /// The labels as they are listed: each label of the table once.
    fn in_given_order(
        &self,
        node: &Node,
        name: &str,
        found: Vec<String>,
        order: &[Argument],
    ) -> Result<Vec<String>, Error> {
        let mut levels: Vec<String> = Vec::new();
        for argument in order {
            let wanted = label(&argument.value);
            if !found.contains(&wanted) || levels.contains(&wanted) {
                let known = found.join(", ");
                let message = match levels.contains(&wanted) {
                    true => format!("`{wanted}` is there twice; leave one out"),
                    false => format!("`{name}` has no level `{wanted}`; it has {known}"),
                };
                return Err(self.wrong(&argument.value, message));
            }
            levels.push(wanted);
        }
        match found.iter().find(|level| !levels.contains(level)) {
            Some(level) => {
                let message = format!("`{name}` also has the level `{level}`; write its place");
                Err(self.wrong(node, message))
            }
            None => Ok(levels),
        }
    }

    /// The contrasts by their name, `contr.sum` or `"sum"`.
    fn contrasts(&self, node: &Node, word: &Node) -> Result<Contrasts, Error> {
        let found = match &word.kind {
            Kind::Name(word) | Kind::Text(word) => Contrasts::of(word),
            _ => None,
        };
        found.ok_or_else(|| self.wrong(node, usage("factor")))
    }

    /// Makes a level the first one.
    fn move_first(&self, levels: &mut [String], name: &str, base: &Node) -> Result<(), Error> {
        let wanted = label(base);
        let Some(place) = levels.iter().position(|level| *level == wanted) else {
            let known = levels.join(", ");
            let message = format!("`{name}` has no level `{wanted}`; it has {known}");
            return Err(self.wrong(base, message));
        };
        levels[..=place].rotate_right(1);
        Ok(())
    }
}

/// A label as it is written among the arguments, with or without quotation marks.
fn label(node: &Node) -> String {
    match &node.kind {
        Kind::Text(text) | Kind::Name(text) => text.clone(),
        _ => node.to_string(),
    }
}
