//! `(terms | group)`: the coefficients that vary, and the groups.

use super::predictor::sum_of;
use super::{Grouped, Reader, is_bar};
use crate::syntax::{Kind, Node, Operator};
use bayes::FormulaError;

impl Reader<'_> {
    /// `(terms | group)`; `a/b` and `a + b` give two groupings.
    pub(super) fn grouped(&self, node: Node) -> Result<Vec<Grouped>, FormulaError> {
        let Kind::Binary {
            operator,
            left,
            right,
        } = &node.kind
        else {
            unreachable!("it has a bar");
        };
        let (left, id) = self.id(left, *operator)?;
        let mut read = Vec::new();
        left.columns(&mut read);
        if read.iter().any(|name| name == ".") {
            let message = "name the columns whose coefficients vary; `.` has no meaning here";
            return Err(self.wrong(left, message));
        }
        let terms = self.terms(&sum_of(left.clone()))?;
        if !terms.intercept && terms.products.is_empty() {
            return Err(self.wrong(left, "a group needs a coefficient: `(1 | group)`"));
        }
        let groups = self.groups(right)?;
        let one = |by| Grouped {
            terms: terms.clone(),
            by,
            correlated: *operator == Operator::Bar,
            id: id.clone(),
            node: node.clone(),
        };
        Ok(groups.into_iter().map(one).collect())
    }

    /// The terms and the id of `terms | id`, in front of the groups; other terms have no id.
    fn id<'n>(
        &self,
        node: &'n Node,
        outer: Operator,
    ) -> Result<(&'n Node, Option<String>), FormulaError> {
        let Kind::Binary {
            operator,
            left,
            right,
        } = &node.kind
        else {
            return Ok((node, None));
        };
        if !is_bar(*operator) {
            return Ok((node, None));
        }
        match &right.kind {
            Kind::Name(id) if *operator == Operator::Bar && outer == Operator::Bar => {
                Ok((left, Some(id.clone())))
            }
            _ => {
                let message =
                    "between two bars stands the id of correlated terms: `(1 | p | group)`";
                Err(self.wrong(right, message))
            }
        }
    }

    /// The groupings of the text behind the bar, each by its columns.
    pub(super) fn groups(&self, node: &Node) -> Result<Vec<Vec<Node>>, FormulaError> {
        match &node.kind {
            Kind::Name(name) if name != "." => Ok(vec![vec![node.clone()]]),
            Kind::Binary {
                operator: Operator::Colon,
                left,
                right,
            } => match (
                self.groups(left)?.as_slice(),
                self.groups(right)?.as_slice(),
            ) {
                ([a], [b]) => Ok(vec![[a.as_slice(), b].concat()]),
                _ => Err(self.wrong(node, "`:` stands between columns: `(1 | a:b)`")),
            },
            Kind::Binary {
                operator: Operator::Divide,
                left,
                right,
            } => {
                let mut groups = self.groups(left)?;
                let all: Vec<Node> = groups.concat();
                let inner = self.groups(right)?;
                groups.extend(inner.into_iter().map(|by| [all.clone(), by].concat()));
                Ok(groups)
            }
            Kind::Binary {
                operator: Operator::Plus,
                left,
                right,
            } => Ok([self.groups(left)?, self.groups(right)?].concat()),
            _ => Err(self.wrong(
                node,
                "the groups behind `|` are a column, `a:b`, `a/b` or `a + b`",
            )),
        }
    }
}
