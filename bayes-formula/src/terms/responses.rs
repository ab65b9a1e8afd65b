//! The formulas of several responses: `mvbind(y1, y2) ~ x`, `y1 ~ x; y2 ~ z`, `set_rescor(TRUE)`.

use super::additions::truth;
use super::dependence::first_dependent;
use super::{Formula, Predictor, Reader, Residuals};
use crate::design::place;
use crate::syntax::{Argument, Kind, Node};
use bayes::FormulaError;

/// The formulas of the responses, at least one.
#[derive(Clone, Debug)]
pub(crate) struct Formulas {
    pub(crate) each: Vec<Formula>,
    /// Whether the residuals of the responses are correlated.
    pub(crate) rescor: bool,
}

impl Formulas {
    /// The formula of the first response.
    pub(crate) fn first(&self) -> &Formula {
        &self.each[0]
    }

    /// The names of the responses in outputs.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.each.iter();
        names
            .map(|formula| place(&formula.response.to_string()))
            .collect()
    }

    /// Whether a response is given another one.
    pub(crate) fn has_responses_as_terms(&self) -> bool {
        let is_given = |given: &Formula, of: &Formula| {
            let given = given.given_columns();
            of.own_columns().iter().any(|name| given.contains(name))
        };
        let numbers = 0..self.each.len();
        numbers.clone().any(|k| {
            let mut others = numbers.clone().filter(|j| *j != k);
            others.any(|j| is_given(&self.each[k], &self.each[j]))
        })
    }

    /// Takes the residuals off the formulas; returns them by response.
    pub(crate) fn take_residuals(&mut self) -> Vec<Option<Residuals>> {
        let each = self.each.iter_mut();
        each.map(|formula| formula.predictor.residuals.take())
            .collect()
    }

    /// All linear predictors.
    pub(crate) fn predictors(&self) -> impl Iterator<Item = &Predictor> {
        let each = self.each.iter().flat_map(Formula::predictors);
        each.map(|(_, predictor)| predictor)
    }

    /// All columns that the formulas read, each once.
    pub(crate) fn all_columns(&self) -> Vec<String> {
        let mut columns = self.columns();
        for formula in &self.each {
            formula.additions.all_columns(&mut columns);
        }
        columns.sort();
        columns.dedup();
        columns
    }

    /// The columns that need a value in every row, each once.
    pub(crate) fn columns(&self) -> Vec<String> {
        let mut columns = Vec::new();
        for formula in &self.each {
            formula.columns(&mut columns);
        }
        columns.sort();
        columns.dedup();
        columns
    }
}

impl Reader<'_> {
    /// The responses of `mvbind(y1, y2)`; any other response is one.
    pub(super) fn bound(&self, node: Node) -> Result<Vec<Node>, FormulaError> {
        let arguments = match &node.kind {
            Kind::Call {
                function,
                arguments,
            } if function == "mvbind" => arguments,
            _ => return Ok(vec![node]),
        };
        let is_named = |argument: &Argument| argument.name.is_some();
        if arguments.len() < 2 || arguments.iter().any(is_named) {
            let message = "`mvbind` takes at least two responses, without names: `mvbind(y1, y2)`";
            return Err(self.wrong(&node, message));
        }
        let values = arguments.iter().map(|argument| argument.value.clone());
        Ok(values.collect())
    }

    /// The argument of `set_rescor(TRUE)`; `None` for what is no such call.
    pub(super) fn rescor(&self, node: &Node) -> Result<Option<bool>, FormulaError> {
        let arguments = match &node.kind {
            Kind::Call {
                function,
                arguments,
            } if function == "set_rescor" => arguments,
            _ => return Ok(None),
        };
        let value = match arguments.as_slice() {
            [Argument { name: None, value }] => truth(value),
            _ => None,
        };
        match value {
            Some(value) => Ok(Some(value)),
            None => Err(self.wrong(node, "write `set_rescor(TRUE)` or `set_rescor(FALSE)`")),
        }
    }

    /// Checks that each response is there once, and that what joins responses has several.
    pub(super) fn check_responses(
        &self,
        formulas: &Formulas,
        rescor: Option<&Node>,
    ) -> Result<(), FormulaError> {
        let names = formulas.names();
        for (k, formula) in formulas.each.iter().enumerate() {
            if names[..k].contains(&names[k]) {
                let message = format!("the response `{}` is there twice; leave one out", names[k]);
                return Err(self.wrong(&formula.response, message));
            }
        }
        match rescor {
            Some(node) if names.len() == 1 => {
                let message = "residuals are correlated between several responses, and here is one: `mvbind(y1, y2) ~ x; set_rescor(TRUE)`";
                Err(self.wrong(node, message))
            }
            _ if names.len() == 1 => Ok(()),
            _ => {
                self.check_residuals(formulas)?;
                self.check_circles(formulas)?;
                self.check_ids(formulas)
            }
        }
    }

    /// Refuses a response that follows from others: two functions of one column, a difference with both of its columns.
    fn check_dependence(&self, formulas: &Formulas, read: &[String]) -> Result<(), FormulaError> {
        let mut columns = read.to_vec();
        columns.sort();
        columns.dedup();
        let responses: Vec<&Node> = formulas.each.iter().map(|one| &one.response).collect();
        let Some(k) = first_dependent(&responses, &columns) else {
            return Ok(());
        };
        // the columns that it shares with others, directly or through others
        let own: Vec<Vec<String>> = formulas.each.iter().map(Formula::own_columns).collect();
        let mut of = own[k].clone();
        let is_near = |j: usize, of: &[String]| own[j].iter().any(|column| of.contains(column));
        for _ in 0..k {
            for j in (0..k).filter(|j| is_near(*j, &of)).collect::<Vec<_>>() {
                of.extend(own[j].iter().cloned());
            }
        }
        let names = formulas.names();
        let others: Vec<String> = (0..k)
            .filter(|j| is_near(*j, &of))
            .map(|j| format!("`{}`", names[j]))
            .collect();
        let message = format!(
            "the response `{}` follows from {}, so that it has no density beside them; leave one out",
            names[k],
            others.join(", ")
        );
        Err(self.wrong(responses[k], message))
    }

    /// Refuses responses that are terms of each other in a circle: the product of their conditional densities is no density of the row.
    fn check_circles(&self, formulas: &Formulas) -> Result<(), FormulaError> {
        let responses: Vec<Vec<String>> = formulas.each.iter().map(Formula::own_columns).collect();
        let count = responses.len();
        self.check_dependence(formulas, &responses.concat())?;
        // whether the response `j` is known for `k`, at first directly; a column of a response of several columns is known from it and the others
        let mut needs = vec![vec![false; count]; count];
        for (k, formula) in formulas.each.iter().enumerate() {
            for column in formula.given_columns() {
                let is_alone = |j: &usize| responses[*j] == [column.clone()];
                let alone = (0..count).find(is_alone);
                let owners = (0..count).filter(|j| responses[*j].contains(&column));
                let owners = owners.filter(|j| *j != k && alone.is_none_or(|alone| alone == *j));
                for j in owners {
                    needs[k][j] = true;
                    let rest = responses[j].iter().filter(|other| **other != column);
                    for other in rest {
                        (0..count)
                            .filter(|m| *m != j && responses[*m].contains(other))
                            .for_each(|m| needs[k][m] = true);
                    }
                }
            }
        }
        for through in 0..count {
            for k in 0..count {
                for j in 0..count {
                    needs[k][j] |= needs[k][through] && needs[through][j];
                }
            }
        }
        let is_circle = |k: usize, j: usize| k == j || (needs[k][j] && needs[j][k]);
        let own = (0..count).find(|k| needs[*k][*k]);
        let Some(first) = own else {
            return Ok(());
        };
        let names = formulas.names();
        let circle: Vec<String> = (0..count)
            .filter(|k| is_circle(first, *k))
            .map(|k| format!("`{}`", names[k]))
            .collect();
        let who = match circle.as_slice() {
            [one] => {
                format!("the response {one} is given a column that is known only together with it")
            }
            all => format!(
                "the responses {} depend on each other in a circle",
                all.join(", ")
            ),
        };
        let message = format!(
            "{who}, so that the formulas have no density together; leave out the terms of one direction, or correlate the residuals: `set_rescor(TRUE)`"
        );
        Err(self.wrong(&formulas.each[first].response, message))
    }

    /// Refuses autoregressive residuals of one response among several.
    fn check_residuals(&self, formulas: &Formulas) -> Result<(), FormulaError> {
        for formula in &formulas.each {
            if let Some(term) = &formula.predictor.residuals {
                // as in the formula: names of elements have semicolons for commas
                let written = |node: &Node| &self.text[node.at.clone()];
                let message = format!(
                    "`{}` of the response `{}`: autoregressive residuals are of a single response so far; leave the term out, fit this response by a formula of its own, or take a Gaussian process, `gp({})`",
                    written(&term.node),
                    written(&formula.response),
                    written(&term.time)
                );
                return Err(self.wrong(&term.node, message));
            }
        }
        Ok(())
    }

    /// Checks that no id stands in one term only: it would correlate nothing.
    fn check_ids(&self, formulas: &Formulas) -> Result<(), FormulaError> {
        let groups = formulas
            .predictors()
            .flat_map(|predictor| &predictor.groups);
        let all: Vec<_> = groups.filter(|group| group.id.is_some()).collect();
        let is_alone =
            |id: &Option<String>| all.iter().filter(|group| group.id == *id).count() == 1;
        let Some(group) = all.iter().find(|group| is_alone(&group.id)) else {
            return Ok(());
        };
        let id = group.id.as_deref().unwrap_or_default();
        let message = format!(
            "the id `{id}` stands in one term only, so that it correlates nothing; write it in the terms of the other responses too, or leave it out: `(1 | {})`",
            group.name()
        );
        Err(self.wrong(&group.node, message))
    }
}
