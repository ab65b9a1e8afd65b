//! The summands of a linear predictor: terms, smooth terms, monotonic effects, Gaussian processes, groups and offsets.

use super::processes::is_process;
use super::residuals::is_residuals;
use super::smooths::is_smooth;
use super::{Applied, Predictor, Reader, is_bar};
use crate::signatures::usage;
use crate::syntax::{Argument, Kind, Node, Operator};
use bayes::FormulaError;

impl Reader<'_> {
    /// The linear predictor of a sum.
    pub(super) fn predictor(&self, sum: Node) -> Result<Predictor, FormulaError> {
        let mut predictor = Predictor::default();
        let mut plain = Vec::new();
        for (node, is_removed) in sum_of(sum) {
            if let Some(grades) = self.argument_of("mo", &node)? {
                if is_removed {
                    return Err(self.wrong(&node, "a monotonic effect is added, and not removed"));
                }
                let x = grades.clone();
                predictor.monotonic.push(Applied { node, x });
            } else if let Some(offset) = self.argument_of("offset", &node)? {
                if is_removed {
                    return Err(self.wrong(&node, "an offset is added, and not removed"));
                }
                let x = offset.clone();
                predictor.offsets.push(Applied { node, x });
            } else if is_process(&node) {
                if is_removed {
                    return Err(self.wrong(&node, "a Gaussian process is added, and not removed"));
                }
                predictor.processes.push(self.process(&node)?);
            } else if is_residuals(&node) {
                let residuals = self.residuals(&node)?;
                if is_removed {
                    return Err(self.wrong(&node, "`ar` is added, and not removed"));
                }
                if predictor.residuals.replace(residuals).is_some() {
                    let message =
                        "`ar` is there twice; for more residuals before a row write `p = 2`";
                    return Err(self.wrong(&node, message));
                }
            } else if is_smooth(&node) {
                if is_removed {
                    return Err(self.wrong(&node, "a smooth term is added, and not removed"));
                }
                predictor.smooths.push(self.smooth(&node)?);
            } else if matches!(&node.kind, Kind::Binary { operator, .. } if is_bar(*operator)) {
                if !self.text[node.at.clone()].starts_with('(') {
                    let message =
                        "write the coefficients of groups in brackets: `x + (1 + x | group)`";
                    return Err(self.wrong(&node, message));
                }
                if is_removed {
                    let message = "the coefficients of groups cannot be removed";
                    return Err(self.wrong(&node, message));
                }
                predictor.groups.extend(self.grouped(node)?);
            } else {
                plain.push((node, is_removed));
            }
        }
        predictor.terms = self.terms(&plain)?;
        Ok(predictor)
    }

    /// The one argument of a function; `None` for what is no such call.
    fn argument_of<'n>(
        &self,
        name: &str,
        node: &'n Node,
    ) -> Result<Option<&'n Node>, FormulaError> {
        let Kind::Call {
            function,
            arguments,
        } = &node.kind
        else {
            return Ok(None);
        };
        match arguments.as_slice() {
            _ if function != name => Ok(None),
            [Argument { name: None, value }] => Ok(Some(value)),
            _ => Err(self.wrong(node, usage(name))),
        }
    }
}

/// The summands, and whether each is removed. A difference in brackets is one summand: it removes nothing outside of the brackets.
pub(super) fn sum_of(node: Node) -> Vec<(Node, bool)> {
    match node.kind {
        Kind::Binary {
            operator: operator @ (Operator::Plus | Operator::Minus),
            left,
            right,
        } => {
            let removes = operator == Operator::Minus;
            let right = match removes || removes_something(&right) {
                true => vec![(*right, removes)],
                false => sum_of(*right),
            };
            sum_of(*left).into_iter().chain(right).collect()
        }
        Kind::Negative(inner) => {
            let inner = sum_of(*inner).into_iter();
            inner
                .map(|(node, is_removed)| (node, !is_removed))
                .collect()
        }
        _ => vec![(node, false)],
    }
}

/// Whether a term other than 1 is removed within this one.
fn removes_something(node: &Node) -> bool {
    match &node.kind {
        Kind::Binary {
            operator: Operator::Minus,
            right,
            ..
        } => !matches!(right.kind, Kind::Number(_)),
        Kind::Binary {
            operator: Operator::Plus,
            left,
            right,
        } => removes_something(left) || removes_something(right),
        _ => false,
    }
}
