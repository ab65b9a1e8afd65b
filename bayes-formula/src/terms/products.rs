//! The terms of a sum: products of factors.

use super::{Reader, Terms, is_bar};
use crate::syntax::{Kind, Node, Operator};
use bayes::FormulaError;

/// The largest power of a sum of terms: `(a + b)^2` has all products of two.
const LARGEST_POWER: f64 = 10.0;

impl Reader<'_> {
    /// The terms of a sum.
    pub(super) fn terms(&self, sum: &[(Node, bool)]) -> Result<Terms, FormulaError> {
        let mut terms = Terms {
            intercept: true,
            ..Terms::default()
        };
        for (node, is_removed) in sum {
            match node.kind {
                Kind::Number(1.0) => terms.intercept = !is_removed,
                Kind::Number(0.0) => terms.intercept = *is_removed,
                _ => {
                    for product in self.products(node, &mut terms.factors)? {
                        let known = terms.products.iter().position(|other| *other == product);
                        match (known, is_removed) {
                            (None, false) => terms.products.push(product),
                            (Some(place), true) => {
                                terms.products.remove(place);
                            }
                            // `.` may contain it
                            (None, true) if self.columns.is_none() => {}
                            (None, true) => {
                                return Err(self.wrong(node, "this is not there to be removed"));
                            }
                            (Some(_), false) => {}
                        }
                    }
                }
            }
        }
        terms.products.sort_by_key(Vec::len);
        Ok(terms)
    }

    /// The products of factors in a term, each with its factors in order and without repetition.
    fn products(
        &self,
        node: &Node,
        factors: &mut Vec<Node>,
    ) -> Result<Vec<Vec<usize>>, FormulaError> {
        match &node.kind {
            Kind::Name(name) if name == "." => {
                // `(row)` is an unnamed column, the numbers of the rows
                let is_other =
                    |column: &&String| !self.responses.contains(column) && !column.starts_with('(');
                let columns = self.columns.unwrap_or_default();
                let others = columns.iter().filter(is_other);
                let column = |column: &String| Node {
                    kind: Kind::Name(column.clone()),
                    at: node.at.clone(),
                };
                Ok(others
                    .map(|name| vec![number_of(factors, column(name))])
                    .collect())
            }
            Kind::Call { function, .. } if function == "offset" => {
                Err(self.wrong(node, "`offset(x)` is a term by itself, of one column"))
            }
            Kind::Call { function, .. } if function == "mo" || function == "gp" => {
                let message = format!("`{function}(x)` is a term by itself, of one column");
                Err(self.wrong(node, message))
            }
            Kind::Call { function, .. } if function == "ar" => {
                Err(self.wrong(node, "`ar(time)` is a term by itself"))
            }
            Kind::Call { function, .. } if function == "t2" => {
                Err(self.wrong(node, "`t2(x, z)` is a term by itself, of two columns"))
            }
            Kind::Call { function, .. } if function == "s" => Err(self.wrong(
                node,
                "`s(x)` is a term by itself; for a curve in each level of `z` write `s(x, by = z)`",
            )),
            Kind::Name(_) | Kind::Call { .. } => Ok(vec![vec![number_of(factors, node.clone())]]),
            Kind::Binary {
                operator,
                left,
                right,
            } => self.combined((node, *operator), [left, right], factors),
            _ => Err(self.wrong(
                node,
                "this is no term; arithmetic stands in `I(..)`: `y ~ I(2 * x)`",
            )),
        }
    }

    /// The products of two terms with an operator between them.
    fn combined(
        &self,
        (node, operator): (&Node, Operator),
        [left, right]: [&Node; 2],
        factors: &mut Vec<Node>,
    ) -> Result<Vec<Vec<usize>>, FormulaError> {
        if operator == Operator::Power {
            return self.power(node, (left, right), factors);
        }
        if is_bar(operator) {
            return Err(self.wrong(
                node,
                "a group is a term by itself, in brackets: `x + (1 | group)`",
            ));
        }
        if matches!(operator, Operator::Semicolon | Operator::Tilde) {
            let message = format!("`{}` stands between formulas", operator.text());
            return Err(self.wrong(node, message));
        }
        let left = self.products(left, factors)?;
        if operator == Operator::Minus {
            let removed = self.products(right, factors)?;
            return Ok(left.into_iter().filter(|a| !removed.contains(a)).collect());
        }
        let right = self.products(right, factors)?;
        let crossed = crossed(&left, &right);
        Ok(match operator {
            Operator::Plus => united([left, right]),
            Operator::Times => united([left, right, crossed]),
            Operator::Divide => {
                let all = left.concat();
                let inner = self::crossed(&[sorted(all)], &right);
                united([left, inner])
            }
            _ => crossed,
        })
    }

    /// `(a + b)^2`: all products of at most two.
    fn power(
        &self,
        node: &Node,
        (base, exponent): (&Node, &Node),
        factors: &mut Vec<Node>,
    ) -> Result<Vec<Vec<usize>>, FormulaError> {
        let Kind::Number(exponent) = exponent.kind else {
            return Err(self.wrong(node, "the exponent of terms is a number"));
        };
        if !(1.0..=LARGEST_POWER).contains(&exponent) || exponent.fract() != 0.0 {
            return Err(self.wrong(node, "the exponent of terms is a whole number from 1 to 10"));
        }
        let is_column = match &base.kind {
            Kind::Name(name) => name != ".",
            Kind::Call { .. } => true,
            _ => false,
        };
        if is_column && exponent > 1.0 {
            let message =
                format!("`{node}` is `{base}` itself; for the power of a column write `I({node})`");
            return Err(self.wrong(node, message));
        }
        let base = self.products(base, factors)?;
        let mut all = base.clone();
        for _ in 1..exponent as usize {
            all = united([all.clone(), crossed(&all, &base)]);
        }
        Ok(all)
    }
}

/// The number of a factor, added if new.
fn number_of(factors: &mut Vec<Node>, node: Node) -> usize {
    let name = node.to_string();
    let known = factors.iter().position(|other| other.to_string() == name);
    known.unwrap_or_else(|| {
        factors.push(node);
        factors.len() - 1
    })
}

/// All products of one element from each list.
fn crossed(left: &[Vec<usize>], right: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let of = |a: &Vec<usize>| -> Vec<Vec<usize>> {
        let product = |b: &Vec<usize>| sorted([a.as_slice(), b].concat());
        right.iter().map(product).collect()
    };
    united([left.iter().flat_map(of).collect()])
}

fn sorted(mut product: Vec<usize>) -> Vec<usize> {
    product.sort_unstable();
    product.dedup();
    product
}

/// The union of all lists, without repetition.
fn united<const N: usize>(lists: [Vec<Vec<usize>>; N]) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    for product in lists.into_iter().flatten() {
        if !all.contains(&product) {
            all.push(product);
        }
    }
    all
}
