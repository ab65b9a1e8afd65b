//! What a formula says: a response, terms, groups and offsets.

use crate::syntax::{Kind, Node, Operator, parse};
use bayes::FormulaError;

/// The largest power of a sum of terms: `(a + b)^2` has all products of two.
const LARGEST_POWER: f64 = 10.0;

/// A formula whose columns are known.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    pub(crate) response: Node,
    /// The number of trials of each row.
    pub(crate) trials: Option<Node>,
    pub(crate) terms: Terms,
    pub(crate) groups: Vec<Grouped>,
    pub(crate) offsets: Vec<Node>,
}

/// The terms of a linear predictor: products of factors, each a column or a function of columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    pub(crate) intercept: bool,
    pub(crate) factors: Vec<Node>,
    /// The factors of each term, by their numbers; those with fewer factors first.
    pub(crate) products: Vec<Vec<usize>>,
}

/// `(terms | group)`.
#[derive(Clone, Debug)]
pub(crate) struct Grouped {
    pub(crate) terms: Terms,
    /// The columns whose combinations are the groups.
    pub(crate) by: Vec<Node>,
    /// Whether the coefficients of a group are correlated: `|`, and not `||`.
    pub(crate) correlated: bool,
    pub(crate) node: Node,
}

impl Grouped {
    /// The name of the grouping: `site`, `school:class`.
    pub(crate) fn name(&self) -> String {
        let names: Vec<String> = self.by.iter().map(Node::to_string).collect();
        names.join(":")
    }
}

impl Formula {
    /// The columns that it reads, each once.
    pub(crate) fn columns(&self) -> Vec<String> {
        let groups = self.groups.iter();
        let grouped = groups.flat_map(|group| group.by.iter().chain(&group.terms.factors));
        let single = std::iter::once(&self.response).chain(&self.trials);
        let nodes = single.chain(&self.terms.factors).chain(&self.offsets);
        let mut columns = Vec::new();
        nodes
            .chain(grouped)
            .for_each(|node| node.columns(&mut columns));
        columns.sort();
        columns.dedup();
        columns
    }
}

/// Reads a formula on a table with these columns, which `.` means; `None` before there is a table.
pub(crate) fn read(text: &str, columns: Option<&[String]>) -> Result<Formula, FormulaError> {
    let mut reader = Reader {
        text,
        columns,
        responses: Vec::new(),
    };
    let tree = parse(text)?;
    let Kind::Binary {
        operator: Operator::Tilde,
        left,
        right,
    } = tree.kind
    else {
        return Err(reader.wrong(&tree, "a formula is a response, `~` and terms: `y ~ x`"));
    };
    let (response, trials) = reader.response(*left)?;
    response.columns(&mut reader.responses);
    if let Some(trials) = &trials {
        trials.columns(&mut reader.responses);
    }
    let mut formula = Formula {
        trials,
        terms: Terms::default(),
        groups: Vec::new(),
        offsets: Vec::new(),
        response,
    };
    let mut plain = Vec::new();
    for (node, is_removed) in sum_of(*right) {
        if let Some(offset) = offset_of(&node) {
            if is_removed {
                return Err(reader.wrong(&node, "an offset is added, and not removed"));
            }
            formula.offsets.push(offset.clone());
        } else if matches!(&node.kind, Kind::Binary { operator, .. } if is_bar(*operator)) {
            if !text[node.at.clone()].starts_with('(') {
                let message = "write the coefficients of groups in brackets: `x + (1 + x | group)`";
                return Err(reader.wrong(&node, message));
            }
            if is_removed {
                return Err(reader.wrong(&node, "the coefficients of groups cannot be removed"));
            }
            formula.groups.extend(reader.grouped(node)?);
        } else {
            plain.push((node, is_removed));
        }
    }
    formula.terms = reader.terms(&plain)?;
    let name = formula.response.to_string();
    if let Some(term) = formula
        .terms
        .factors
        .iter()
        .find(|term| term.to_string() == name)
    {
        return Err(reader.wrong(term, "the response cannot be a term too"));
    }
    Ok(formula)
}

fn is_bar(operator: Operator) -> bool {
    matches!(operator, Operator::Bar | Operator::DoubleBar)
}

fn offset_of(node: &Node) -> Option<&Node> {
    match &node.kind {
        Kind::Call {
            function,
            arguments,
        } if function == "offset" => match arguments.as_slice() {
            [argument] => Some(&argument.value),
            _ => None,
        },
        _ => None,
    }
}

/// The summands, and whether each is removed. A difference in brackets is one summand: what it removes is not there outside.
fn sum_of(node: Node) -> Vec<(Node, bool)> {
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

/// Whether a term is removed within this one, but for `-1`.
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

struct Reader<'a> {
    text: &'a str,
    columns: Option<&'a [String]>,
    /// The columns of the response and its trials, which `.` does not mean.
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

    /// The response with its number of trials: `y`, `log(y)`, `y | trials(n)`.
    fn response(&self, node: Node) -> Result<(Node, Option<Node>), FormulaError> {
        let Kind::Binary {
            operator: Operator::Bar,
            left,
            right,
        } = node.kind
        else {
            return Ok((node, None));
        };
        match &right.kind {
            Kind::Call {
                function,
                arguments,
            } if function == "trials" && arguments.len() == 1 => {
                Ok((*left, Some(arguments[0].value.clone())))
            }
            _ => Err(self.wrong(
                &right,
                "behind the response only `trials(n)` is known: `successes | trials(n) ~ x`",
            )),
        }
    }

    /// `(terms | group)`, of which `a/b` and `a + b` make two.
    fn grouped(&self, node: Node) -> Result<Vec<Grouped>, FormulaError> {
        let Kind::Binary {
            operator,
            left,
            right,
        } = &node.kind
        else {
            unreachable!("it has a bar");
        };
        let mut read = Vec::new();
        left.columns(&mut read);
        if read.iter().any(|name| name == ".") {
            let message = "name the columns whose coefficients vary; `.` has no meaning here";
            return Err(self.wrong(left, message));
        }
        let terms = self.terms(&sum_of((**left).clone()))?;
        if !terms.intercept && terms.products.is_empty() {
            return Err(self.wrong(left, "a group needs a coefficient: `(1 | group)`"));
        }
        let groups = self.groups(right)?;
        let one = |by| Grouped {
            terms: terms.clone(),
            by,
            correlated: *operator == Operator::Bar,
            node: node.clone(),
        };
        Ok(groups.into_iter().map(one).collect())
    }

    /// The groupings that a text behind the bar means, each by its columns.
    fn groups(&self, node: &Node) -> Result<Vec<Vec<Node>>, FormulaError> {
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

    /// The terms of a sum.
    fn terms(&self, sum: &[(Node, bool)]) -> Result<Terms, FormulaError> {
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
                            // `.` may have it
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

    /// The products of factors that a term means, each with its factors in order and once.
    fn products(
        &self,
        node: &Node,
        factors: &mut Vec<Node>,
    ) -> Result<Vec<Vec<usize>>, FormulaError> {
        match &node.kind {
            Kind::Name(name) if name == "." => {
                // `(row)` is a column without a name, the numbers of the rows
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
            Kind::Name(_) | Kind::Call { .. } => Ok(vec![vec![number_of(factors, node.clone())]]),
            Kind::Binary {
                operator,
                left,
                right,
            } => {
                if *operator == Operator::Power {
                    return self.power(node, (left, right), factors);
                }
                if is_bar(*operator) {
                    return Err(self.wrong(
                        node,
                        "a group is a term by itself, in brackets: `x + (1 | group)`",
                    ));
                }
                let left = self.products(left, factors)?;
                if *operator == Operator::Minus {
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
            _ => Err(self.wrong(
                node,
                "this is no term; arithmetic stands in `I(..)`: `y ~ I(2 * x)`",
            )),
        }
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

/// The number of a factor, which is added if it is new.
fn number_of(factors: &mut Vec<Node>, node: Node) -> usize {
    let name = node.to_string();
    let known = factors.iter().position(|other| other.to_string() == name);
    known.unwrap_or_else(|| {
        factors.push(node);
        factors.len() - 1
    })
}

/// All products of one of each list.
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

/// The products of all lists, each once.
fn united<const N: usize>(lists: [Vec<Vec<usize>>; N]) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    for product in lists.into_iter().flatten() {
        if !all.contains(&product) {
            all.push(product);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The terms in words, those of groups in brackets.
    fn said(text: &str) -> String {
        let columns = ["y", "a", "b", "c"].map(str::to_owned);
        let formula = match read(text, Some(&columns)) {
            Ok(formula) => formula,
            Err(error) => return error.message,
        };
        let words = |terms: &Terms| {
            let product = |product: &Vec<usize>| {
                let names = product.iter().map(|k| terms.factors[*k].to_string());
                names.collect::<Vec<_>>().join(":")
            };
            let intercept = if terms.intercept { "1" } else { "0" };
            let products = terms.products.iter().map(product);
            std::iter::once(intercept.to_owned())
                .chain(products)
                .collect::<Vec<_>>()
                .join(" ")
        };
        let mut said = words(&formula.terms);
        for group in &formula.groups {
            let bar = if group.correlated { "|" } else { "||" };
            said += &format!(" ({} {bar} {})", words(&group.terms), group.name());
        }
        said
    }

    #[test]
    fn terms_expand_as_in_r() {
        let cases = [
            ("y ~ a", "1 a"),
            ("y ~ 0 + a", "0 a"),
            ("y ~ a - 1", "0 a"),
            ("y ~ 1", "1"),
            ("y ~ a * b", "1 a b a:b"),
            ("y ~ b:a + a", "1 a b:a"),
            ("y ~ (a + b + c)^2", "1 a b c a:b a:c b:c"),
            ("y ~ a * b * c - a:b:c", "1 a b c a:b a:c b:c"),
            ("y ~ a + c + (b - c)", "1 a c b"),
            ("log(y) ~ .", "1 a b c"),
            ("y | trials(a) ~ .", "1 b c"),
            ("y ~ .^2 - a:b", "1 a b c a:c b:c"),
            ("y ~ (1 | (a + b)/c)", "1 (1 | a) (1 | b) (1 | a:b:c)"),
            ("y ~ a / b", "1 a a:b"),
            ("y ~ .", "1 a b c"),
            ("y ~ . - b", "1 a c"),
            ("y ~ log(a) + I(a^2)", "1 log(a) I(a^2)"),
            ("y ~ a + (1 + a | b)", "1 a (1 a | b)"),
            ("y ~ (0 + a || b:c)", "1 (0 a || b:c)"),
            ("y ~ (1 | a/b)", "1 (1 | a) (1 | a:b)"),
            ("y ~ (a | b + c)", "1 (1 a | b) (1 a | c)"),
            ("y ~ a + offset(log(b))", "1 a"),
        ];
        for (text, wanted) in cases {
            assert_eq!(said(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_no_formula_is_refused() {
        let cases = [
            ("a + b", "a formula is a response, `~` and terms: `y ~ x`"),
            (
                "y ~ a^2",
                "`a^2` is `a` itself; for the power of a column write `I(a^2)`",
            ),
            (
                "y ~ 2 + a",
                "this is no term; arithmetic stands in `I(..)`: `y ~ I(2 * x)`",
            ),
            ("y ~ a - b", "this is not there to be removed"),
            (
                "y ~ (. | b)",
                "name the columns whose coefficients vary; `.` has no meaning here",
            ),
            (
                "y ~ a:(1 | b)",
                "a group is a term by itself, in brackets: `x + (1 | group)`",
            ),
            ("y ~ (0 | b)", "a group needs a coefficient: `(1 | group)`"),
            (
                "y ~ (1 | log(b))",
                "the groups behind `|` are a column, `a:b`, `a/b` or `a + b`",
            ),
            (
                "y | weights(a) ~ b",
                "behind the response only `trials(n)` is known: `successes | trials(n) ~ x`",
            ),
            ("y ~ (a + b)^a", "the exponent of terms is a number"),
            ("y ~ a - offset(b)", "an offset is added, and not removed"),
        ];
        for (text, message) in cases {
            assert_eq!(said(text), message, "{text}");
        }
    }
}
