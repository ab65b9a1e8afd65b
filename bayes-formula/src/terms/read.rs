//! From the text of a formula to its responses and their linear predictors.

use super::{Additions, Formula, Formulas, Other, Reader};
use crate::class::{Class, LEVEL};
use crate::syntax::{Kind, Node, Operator, parse};
use bayes::FormulaError;

/// A part of a formula between semicolons.
enum Part {
    /// Responses with their additions and the right side.
    Responses(Vec<Node>, Box<Additions>, Node),
    /// The name of a parameter and the right side.
    Parameter(Node, Node),
    /// `set_rescor(TRUE)`.
    Rescor(Node, bool),
}

/// Reads a formula for a table with these columns, for `.`; `None` before there is a table.
pub(crate) fn read(text: &str, columns: Option<&[String]>) -> Result<Formulas, FormulaError> {
    let mut reader = Reader {
        text,
        columns,
        responses: Vec::new(),
    };
    let mut nodes = Vec::new();
    apart(parse(text)?, &mut nodes);
    let mut parts = Vec::new();
    for node in nodes {
        let part = reader.part(node, parts.is_empty())?;
        if let Part::Responses(responses, additions, _) = &part {
            let found = &mut reader.responses;
            responses
                .iter()
                .for_each(|response| response.columns(found));
            additions.all_columns(found);
        }
        parts.push(part);
    }
    reader.formulas(parts)
}

/// The formulas between semicolons.
fn apart(node: Node, found: &mut Vec<Node>) {
    match node.kind {
        Kind::Binary {
            operator: Operator::Semicolon,
            left,
            right,
        } => {
            apart(*left, found);
            apart(*right, found);
        }
        _ => found.push(node),
    }
}

/// Whether this is the name of a parameter that may have a linear predictor, or `mub` for the label `b` of a response.
fn is_parameter(node: &Node) -> bool {
    match &node.kind {
        Kind::Name(name) => {
            let is_label = name.len() > LEVEL.len() && name.starts_with(LEVEL);
            is_label || Class::predicted(name).is_some()
        }
        _ => false,
    }
}

/// Both sides of `~`.
fn sides(node: Node) -> Option<(Node, Node)> {
    match node.kind {
        Kind::Binary {
            operator: Operator::Tilde,
            left,
            right,
        } => Some((*left, *right)),
        _ => None,
    }
}

impl Reader<'_> {
    /// A part between semicolons. The first one is always of a response.
    fn part(&self, node: Node, is_first: bool) -> Result<Part, FormulaError> {
        if !is_first && let Some(rescor) = self.rescor(&node)? {
            return Ok(Part::Rescor(node, rescor));
        }
        let whole = node.clone();
        let Some((left, right)) = sides(node) else {
            let message = match is_first {
                true => "a formula is a response, `~` and terms: `y ~ x`",
                false => {
                    "behind `;` stands the formula of a parameter, `y ~ x; sigma ~ z`, or of another response, `y1 ~ x; y2 ~ z`"
                }
            };
            return Err(self.wrong(&whole, message));
        };
        if !is_first && is_parameter(&left) {
            return Ok(Part::Parameter(left, right));
        }
        if !is_first {
            self.check_other_response(&left)?;
        }
        let (response, additions) = self.response(left)?;
        let responses = self.bound(response)?;
        Ok(Part::Responses(responses, Box::new(additions), right))
    }

    /// The formulas of the responses; formulas of parameters belong to the responses before them.
    fn formulas(&self, parts: Vec<Part>) -> Result<Formulas, FormulaError> {
        let mut each: Vec<Formula> = Vec::new();
        let mut rescor = None;
        // the first response of the last part with responses
        let mut start = 0;
        for part in parts {
            match part {
                Part::Responses(responses, additions, right) => {
                    start = each.len();
                    let predictor = self.predictor(right)?;
                    each.extend(responses.into_iter().map(|response| Formula {
                        response,
                        additions: (*additions).clone(),
                        predictor: predictor.clone(),
                        others: Vec::new(),
                        levels: Vec::new(),
                    }));
                }
                Part::Parameter(left, right) => {
                    let other = self.other(left, right)?;
                    for formula in &mut each[start..] {
                        self.add_other(formula, &other)?;
                    }
                }
                Part::Rescor(node, is_wanted) => rescor = Some((node, is_wanted)),
            }
        }
        let formulas = Formulas {
            each,
            rescor: rescor.as_ref().is_some_and(|(_, is_wanted)| *is_wanted),
        };
        let asked = rescor.as_ref().filter(|(_, is_wanted)| *is_wanted);
        self.check_responses(&formulas, asked.map(|(node, _)| node))?;
        for formula in &formulas.each {
            self.check_response(formula, formulas.each.len() > 1)?;
        }
        for predictor in formulas.predictors() {
            self.check_slopes(predictor)?;
        }
        Ok(formulas)
    }

    /// `sigma ~ x`: the linear predictor of another parameter.
    fn other(&self, left: Node, right: Node) -> Result<Other, FormulaError> {
        let class = match &left.kind {
            Kind::Name(name) => Class::predicted(name),
            _ => None,
        };
        let predictor = self.predictor(right)?;
        if let Some(residuals) = &predictor.residuals {
            let message =
                "`ar` is a term of the response, before `;`: residuals are of the response";
            return Err(self.wrong(&residuals.node, message));
        }
        Ok(Other {
            class,
            node: left,
            predictor,
        })
    }

    /// Adds the linear predictor of another parameter to the formula of a response.
    fn add_other(&self, formula: &mut Formula, other: &Other) -> Result<(), FormulaError> {
        let is_same = |known: &Other| {
            known.class == other.class && known.node.to_string() == other.node.to_string()
        };
        if formula.others.iter().any(is_same) {
            let message = format!("`{}` has two formulas; leave one out", other.node);
            return Err(self.wrong(&other.node, message));
        }
        formula.others.push(other.clone());
        Ok(())
    }

    /// Checks that a response behind `;` is of the table: a slip in the name of a parameter is none.
    fn check_other_response(&self, left: &Node) -> Result<(), FormulaError> {
        let (Kind::Name(name), Some(columns)) = (&left.kind, self.columns) else {
            return Ok(());
        };
        if columns.contains(name) {
            return Ok(());
        }
        let known: Vec<&str> = Class::PREDICTED.iter().map(|class| class.name()).collect();
        let message = format!(
            "`{left}` is no parameter that may have a formula; {} are; and it is no response, because the table has no column `{left}`",
            known.join(", ")
        );
        Err(self.wrong(left, message))
    }
}
