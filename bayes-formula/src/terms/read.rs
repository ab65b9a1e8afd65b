//! From the text of a formula to its response and its linear predictors.

use super::{Formula, Other, Reader};
use crate::cbind::parts;
use crate::class::{Class, LEVEL};
use crate::syntax::{Kind, Node, Operator, parse};
use bayes::FormulaError;

/// Reads a formula for a table with these columns, for `.`; `None` before there is a table.
pub(crate) fn read(text: &str, columns: Option<&[String]>) -> Result<Formula, FormulaError> {
    let mut reader = Reader {
        text,
        columns,
        responses: Vec::new(),
    };
    let mut formulas = Vec::new();
    apart(parse(text)?, &mut formulas);
    let mut formulas = formulas.into_iter();
    let first = formulas.next().and_then(sides);
    let Some((left, right)) = first else {
        let whole = parse(text)?;
        let message = "a formula is a response, `~` and terms: `y ~ x`";
        return Err(reader.wrong(&whole, message));
    };
    let (response, additions) = reader.response(left)?;
    response.columns(&mut reader.responses);
    additions.all_columns(&mut reader.responses);
    let predictor = reader.predictor(right)?;
    let mut others: Vec<Other> = Vec::new();
    for node in formulas {
        let other = reader.other(node)?;
        let is_same = |known: &Other| {
            known.class == other.class && known.node.to_string() == other.node.to_string()
        };
        if others.iter().any(is_same) {
            let message = format!("`{}` has two formulas; leave one out", other.node);
            return Err(reader.wrong(&other.node, message));
        }
        others.push(other);
    }
    let formula = Formula {
        response,
        additions,
        predictor,
        others,
        levels: Vec::new(),
    };
    reader.check_response(&formula)?;
    Ok(formula)
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
    /// `sigma ~ x`: the linear predictor of another parameter.
    fn other(&self, node: Node) -> Result<Other, FormulaError> {
        let whole = node.clone();
        let Some((left, right)) = sides(node) else {
            let message = "behind `;` stands the formula of a parameter: `y ~ x; sigma ~ z`";
            return Err(self.wrong(&whole, message));
        };
        let class = match &left.kind {
            Kind::Name(name) => Class::predicted(name),
            _ => None,
        };
        let is_label = match &left.kind {
            Kind::Name(name) => name.len() > LEVEL.len() && name.starts_with(LEVEL),
            _ => false,
        };
        if class.is_none() && !is_label {
            let known: Vec<&str> = Class::PREDICTED.iter().map(|class| class.name()).collect();
            let message = format!(
                "`{left}` is no parameter that may have a formula; {} are",
                known.join(", ")
            );
            return Err(self.wrong(&left, message));
        }
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

    /// Checks that no term is the response.
    fn check_response(&self, formula: &Formula) -> Result<(), FormulaError> {
        let columns = parts(&formula.response).unwrap_or_else(|| vec![&formula.response]);
        let names: Vec<String> = columns.iter().map(|column| column.to_string()).collect();
        for (_, predictor) in formula.predictors() {
            let mut factors = predictor.terms.factors.iter();
            if let Some(term) = factors.find(|term| names.contains(&term.to_string())) {
                return Err(self.wrong(term, "the response cannot be a term too"));
            }
        }
        Ok(())
    }
}
