//! Additions to a response behind `|`: `y | trials(n) + weights(w)`.

use super::Reader;
use crate::signatures::usage;
use crate::suggest::{ADDITIONS, suggestion};
use crate::syntax::{Argument, Kind, Node, Operator};
use bayes::FormulaError;

/// Additions of a formula to its response.
#[derive(Clone, Debug, Default)]
pub(crate) struct Additions {
    /// The number of trials of each row: `trials(n)`.
    pub(crate) trials: Option<Node>,
    /// The factor of the log likelihood of each row: `weights(w)`.
    pub(crate) weights: Option<Node>,
    /// The known standard deviation of each row, and whether `sigma` is added to it: `se(s)`, `se(s, sigma = TRUE)`.
    pub(crate) errors: Option<(Node, bool)>,
    /// The exposure of each count: `rate(t)`.
    pub(crate) rate: Option<Node>,
    /// How each response is censored.
    pub(crate) censoring: Option<Censoring>,
    /// The bounds within which responses are observed: `trunc(lower, upper)`.
    pub(crate) truncation: Option<[Option<Node>; 2]>,
}

/// `cens(c, upper, end = e)`.
#[derive(Clone, Debug)]
pub(crate) struct Censoring {
    /// How.
    pub(crate) kind: Node,
    /// The upper ends of intervals.
    pub(crate) upper: Option<Node>,
    /// Where the observation of each row ended, or would have: what is beyond would have been censored there.
    pub(crate) end: Option<Node>,
}

impl Additions {
    /// Adds the columns that need a value in every row. The upper ends of intervals do not.
    pub(super) fn columns(&self, found: &mut Vec<String>) {
        let errors = self.errors.iter().map(|(node, _)| node);
        let censoring = self.censoring.iter().map(|censoring| &censoring.kind);
        let bounds = self.truncation.iter().flatten().flatten();
        let nodes = self.trials.iter().chain(&self.weights).chain(&self.rate);
        let nodes = nodes.chain(errors).chain(censoring);
        nodes.for_each(|node| node.columns(found));
        let finite = bounds.filter(|node| infinite(node).is_none());
        finite.for_each(|node| node.columns(found));
    }

    /// What must be known before the response. The upper end of its interval is observed with it: `y | cens(c, y + 1)` is a response that was
    /// rounded down.
    pub(super) fn given(&self) -> Vec<&Node> {
        let errors = self.errors.iter().map(|(node, _)| node);
        let censoring = self.censoring.iter();
        let censoring = censoring.flat_map(|one| std::iter::once(&one.kind).chain(&one.end));
        let bounds = self.truncation.iter().flatten().flatten();
        let nodes = self.trials.iter().chain(&self.weights).chain(&self.rate);
        nodes.chain(errors).chain(censoring).chain(bounds).collect()
    }

    /// Adds all columns that the additions read.
    pub(super) fn all_columns(&self, found: &mut Vec<String>) {
        self.columns(found);
        let upper = self
            .censoring
            .iter()
            .flat_map(|censoring| censoring.upper.iter().chain(&censoring.end));
        upper.for_each(|node| node.columns(found));
    }
}

/// `Inf` and `-Inf`.
pub(crate) fn infinite(node: &Node) -> Option<f64> {
    match &node.kind {
        Kind::Name(name) if name == "Inf" => Some(f64::INFINITY),
        Kind::Negative(inner) => infinite(inner).map(|value| -value),
        _ => None,
    }
}

/// All additions.
const NAMES: [&str; 6] = ["trials", "weights", "se", "rate", "cens", "trunc"];

impl Reader<'_> {
    /// The response with its additions: `y`, `log(y)`, `y | trials(n)`.
    pub(super) fn response(&self, node: Node) -> Result<(Node, Additions), FormulaError> {
        let mut additions = Additions::default();
        let Kind::Binary {
            operator: Operator::Bar,
            left,
            right,
        } = node.kind
        else {
            return Ok((node, additions));
        };
        self.add(&right, &mut additions)?;
        Ok((*left, additions))
    }

    /// Reads a sum of additions.
    fn add(&self, node: &Node, additions: &mut Additions) -> Result<(), FormulaError> {
        match &node.kind {
            Kind::Binary {
                operator: Operator::Plus,
                left,
                right,
            } => {
                self.add(left, additions)?;
                self.add(right, additions)
            }
            Kind::Call {
                function,
                arguments,
            } if NAMES.contains(&function.as_str()) => {
                self.addition(node, (function, arguments), additions)
            }
            _ => {
                let meant = match &node.kind {
                    Kind::Call { function, .. } | Kind::Name(function) => {
                        suggestion(function, ADDITIONS, &NAMES)
                    }
                    _ => String::new(),
                };
                let message = format!(
                    "behind the response there are {}, with `+` between them: `successes | trials(n) + weights(w) ~ x`{meant}",
                    NAMES.join(", ")
                );
                Err(self.wrong(node, message))
            }
        }
    }

    /// Reads one addition.
    fn addition(
        &self,
        node: &Node,
        (function, arguments): (&str, &[Argument]),
        additions: &mut Additions,
    ) -> Result<(), FormulaError> {
        let wrong = || self.wrong(node, usage(function));
        let given = |names: &[&str]| matched(arguments, names).ok_or_else(wrong);
        let needed = |value: Option<Node>| value.ok_or_else(wrong);
        let is_new = match function {
            "trials" => additions
                .trials
                .replace(one(given(&["n"])?, wrong)?)
                .is_none(),
            "weights" => additions
                .weights
                .replace(one(given(&["w"])?, wrong)?)
                .is_none(),
            "rate" => additions
                .rate
                .replace(one(given(&["t"])?, wrong)?)
                .is_none(),
            "se" => {
                let mut values = given(&["s", "sigma"])?;
                let adds = match values.pop().flatten() {
                    None => false,
                    Some(value) => truth(&value).ok_or_else(wrong)?,
                };
                let node = needed(values.pop().flatten())?;
                additions.errors.replace((node, adds)).is_none()
            }
            "cens" => {
                let mut values = given(&["c", "y2", "end"])?;
                let (end, upper) = (values.pop().flatten(), values.pop().flatten());
                let kind = needed(values.pop().flatten())?;
                let censoring = Censoring { kind, upper, end };
                additions.censoring.replace(censoring).is_none()
            }
            _ => {
                let mut values = given(&["lb", "ub"])?.into_iter();
                let bounds = [values.next().flatten(), values.next().flatten()];
                if bounds.iter().all(Option::is_none) {
                    return Err(wrong());
                }
                additions.truncation.replace(bounds).is_none()
            }
        };
        match is_new {
            true => Ok(()),
            false => Err(self.wrong(node, format!("`{function}` is there twice"))),
        }
    }
}

/// The one value of a list.
fn one(
    mut values: Vec<Option<Node>>,
    wrong: impl Fn() -> FormulaError,
) -> Result<Node, FormulaError> {
    values.pop().flatten().ok_or_else(wrong)
}

/// The values of arguments in the order of `names`; arguments without a name come first. `None` for too many arguments or an unknown name.
fn matched(arguments: &[Argument], names: &[&str]) -> Option<Vec<Option<Node>>> {
    let mut values = vec![None; names.len()];
    for (k, Argument { name, value }) in arguments.iter().enumerate() {
        let place = match name {
            Some(name) => names.iter().position(|known| known == name)?,
            None => k,
        };
        let free = values.get_mut(place).filter(|value| value.is_none())?;
        *free = Some(value.clone());
    }
    Some(values)
}

/// `TRUE` and `FALSE`.
pub(super) fn truth(node: &Node) -> Option<bool> {
    match &node.kind {
        Kind::Name(name) => match name.as_str() {
            "TRUE" | "T" | "true" => Some(true),
            "FALSE" | "F" | "false" => Some(false),
            _ => None,
        },
        _ => None,
    }
}
