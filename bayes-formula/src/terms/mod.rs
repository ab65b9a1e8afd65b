//! The content of a formula: responses, and the terms, groups and offsets of their linear predictors.

mod additions;
mod dependence;
mod groups;
mod own;
mod predictor;
mod processes;
mod products;
mod read;
mod residuals;
mod responses;
mod smooths;
#[cfg(test)]
mod tests;

pub(crate) use additions::{Additions, Censoring, infinite};
pub(crate) use read::read;
pub(crate) use responses::Formulas;

use crate::class::{Class, LEVEL, Of};
use crate::syntax::{Kind, Node, Operator};
use bayes::FormulaError;

/// The formula of one response.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    pub(crate) response: Node,
    /// The additions behind `|`.
    pub(crate) additions: Additions,
    pub(crate) predictor: Predictor,
    /// The linear predictors of other parameters.
    pub(crate) others: Vec<Other>,
    /// The labels of the response that have linear predictors, for a categorical response whose table is known; otherwise empty.
    pub(crate) levels: Vec<String>,
}

/// `sigma ~ x`, or `mub ~ x` for the label `b` of the response.
#[derive(Clone, Debug)]
pub(crate) struct Other {
    /// `None` for a label.
    pub(crate) class: Option<Class>,
    /// The name of the parameter, with its byte range.
    pub(crate) node: Node,
    pub(crate) predictor: Predictor,
}

/// A linear predictor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Predictor {
    pub(crate) terms: Terms,
    pub(crate) smooths: Vec<Smooth>,
    /// Monotonic effects: `mo(x)`.
    pub(crate) monotonic: Vec<Applied>,
    pub(crate) processes: Vec<Process>,
    pub(crate) residuals: Option<Residuals>,
    pub(crate) groups: Vec<Grouped>,
    pub(crate) offsets: Vec<Applied>,
}

/// A function of one part: `mo(x)`, `offset(x)`.
#[derive(Clone, Debug)]
pub(crate) struct Applied {
    pub(crate) node: Node,
    pub(crate) x: Node,
}

/// The terms of a linear predictor: products of factors, each a column or a function of columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    pub(crate) intercept: bool,
    pub(crate) factors: Vec<Node>,
    /// The factors of each term, by their numbers; terms with fewer factors first.
    pub(crate) products: Vec<Vec<usize>>,
}

/// `s(x, k = 10, by = z)`, or `t2(x, z, k = 5)`.
#[derive(Clone, Debug)]
pub(crate) struct Smooth {
    pub(crate) node: Node,
    pub(crate) x: Node,
    /// The number of knots.
    pub(crate) k: usize,
    /// The second column of `t2(x, z)`.
    pub(crate) z: Option<Node>,
    /// The multiplier of the curve, or a factor with one curve for each level.
    pub(crate) by: Option<Node>,
}

/// `gp(x, k = 40)`.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) node: Node,
    pub(crate) x: Node,
    /// The number of functions.
    pub(crate) k: usize,
}

/// `ar(time, gr = g, p = 1)`.
#[derive(Clone, Debug)]
pub(crate) struct Residuals {
    pub(crate) node: Node,
    /// The order of the rows.
    pub(crate) time: Node,
    /// The columns whose combinations are series of their own; none if all rows are one series.
    pub(crate) by: Vec<Node>,
    /// The number of residuals before a row that it depends on.
    pub(crate) order: usize,
    /// Whether each series is stationary from its first row on: `cov`, if it is given. The family decides it.
    pub(crate) is_stationary: Option<bool>,
}

/// `(terms | group)`.
#[derive(Clone, Debug)]
pub(crate) struct Grouped {
    pub(crate) terms: Terms,
    /// The columns whose combinations are the groups.
    pub(crate) by: Vec<Node>,
    /// Whether the coefficients of a group are correlated: `|`, not `||`.
    pub(crate) correlated: bool,
    /// The id of `(terms | id | group)`.
    pub(crate) id: Option<String>,
    pub(crate) node: Node,
}

impl Other {
    /// The label of the response that it predicts.
    pub(crate) fn label(&self) -> Option<&str> {
        match (&self.class, &self.node.kind) {
            (None, Kind::Name(name)) => name.strip_prefix(LEVEL),
            _ => None,
        }
    }
}

impl Grouped {
    /// The name of the grouping: `site`, `school:class`.
    pub(crate) fn name(&self) -> String {
        let names: Vec<String> = self.by.iter().map(Node::to_string).collect();
        names.join(":")
    }
}

impl Formula {
    /// The linear predictors with what they predict; the first ones are the response's or its labels'. A label without a formula of its own has
    /// the response's.
    pub(crate) fn predictors(&self) -> Vec<(Of, &Predictor)> {
        let mut all: Vec<(Of, &Predictor)> = Vec::new();
        for (k, level) in self.levels.iter().enumerate() {
            let own = self
                .others
                .iter()
                .find(|other| other.label() == Some(level));
            let predictor = own.map_or(&self.predictor, |other| &other.predictor);
            all.push((Of::Level(k, level.clone()), predictor));
        }
        if all.is_empty() {
            all.push((Of::Response, &self.predictor));
        }
        for other in &self.others {
            match (other.class, other.label()) {
                (Some(class), _) => all.push((Of::Parameter(class), &other.predictor)),
                // before the labels are known, for the columns
                (None, Some(label)) if self.levels.is_empty() => {
                    all.push((Of::Level(0, label.to_owned()), &other.predictor));
                }
                _ => {}
            }
        }
        all
    }

    /// The columns that the response is given, those of its additions too.
    fn given_columns(&self) -> Vec<String> {
        let mut columns = Vec::new();
        self.additions.all_columns(&mut columns);
        for (_, predictor) in self.predictors() {
            predictor.columns(&mut columns);
        }
        columns
    }

    /// Adds the columns that need a value in every row.
    fn columns(&self, found: &mut Vec<String>) {
        self.response.columns(found);
        self.additions.columns(found);
        for (_, predictor) in self.predictors() {
            predictor.columns(found);
        }
    }
}

impl Predictor {
    /// Adds the columns that the predictor reads.
    pub(crate) fn columns(&self, found: &mut Vec<String>) {
        self.parts().for_each(|(_, node)| node.columns(found));
    }
}

fn is_bar(operator: Operator) -> bool {
    matches!(operator, Operator::Bar | Operator::DoubleBar)
}

/// The context while reading a formula.
struct Reader<'a> {
    text: &'a str,
    columns: Option<&'a [String]>,
    /// The columns of the responses and their additions, which `.` excludes.
    responses: Vec<String>,
}

impl Reader<'_> {
    fn wrong(&self, node: &Node, message: impl Into<String>) -> FormulaError {
        FormulaError {
            formula: self.text.to_owned(),
            at: node.at.clone(),
            message: message.into(),
        }
    }
}
