//! What a regression of another table needs of the first one, and the data of a table by it.

use crate::adjustments::{adjustments, errors, exposures};
use crate::coding::{self, Named};
use crate::columns::{Evaluator, Memory, mean};
use crate::defaults::Priors;
use crate::design::{Design, Group, Whole, place};
use crate::family::Family;
use crate::groups::group;
use crate::link::Link;
use crate::response::{response, trials};
use crate::syntax::Node;
use crate::terms::{self, Terms};
use bayes::data::Table;
use bayes::{Error, FormulaError};
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

/// Columns whose rest beyond the columns before them is this share of them or less depend on these.
const DEPENDENT: f64 = 1e-9;

/// What the data of a table are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// They teach levels, scales and means.
    Fit,
    /// They are those of a fit, read once more.
    Again,
    /// Their response is predicted, and may be missing.
    Predict,
}

/// What a regression of another table needs of the first one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Recipe {
    pub(crate) formula: String,
    pub(crate) family: Family,
    pub(crate) link: Link,
    pub(crate) drop_missing: bool,
    /// The columns of the table, which `.` means.
    pub(crate) columns: Vec<String>,
    pub(crate) memory: Memory,
    pub(crate) means: Vec<f64>,
    pub(crate) grades: usize,
    pub(crate) priors: Priors,
}

impl Recipe {
    pub(crate) fn terms(&self) -> Result<terms::Formula, Error> {
        Ok(terms::read(&self.formula, Some(&self.columns))?)
    }

    /// The rows of a table without missing values, if others are to be left out.
    pub(crate) fn complete(&self, table: &Table) -> Result<Option<Table>, Error> {
        let columns = self.terms()?.columns();
        self.drop_missing
            .then(|| table.complete(columns))
            .transpose()
    }

    /// The data of a table. The first one teaches; in one to predict the response may be missing.
    pub(crate) fn design(&mut self, table: &Table, purpose: Purpose) -> Result<Design, Error> {
        let formula = self.terms()?;
        if table.rows() == 0 {
            return Err(self.wrong(&formula.response, "the table has no rows"));
        }
        let mut memory = std::mem::take(&mut self.memory);
        let mut evaluator = Evaluator {
            table,
            formula: &self.formula,
            memory: &mut memory,
            learns: purpose == Purpose::Fit,
            predicts: purpose == Purpose::Predict,
        };
        let columns = coding::columns(&formula.predictor.terms, &mut evaluator)?;
        let mut groups = Vec::new();
        for grouped in &formula.predictor.groups {
            groups.push(group(grouped, &mut evaluator)?);
        }
        let mut offset = vec![0.0; table.rows()];
        for node in &formula.predictor.offsets {
            let values = evaluator.numbers(node)?;
            offset.iter_mut().zip(values).for_each(|(sum, x)| *sum += x);
        }
        let (family, additions) = (self.family, &formula.additions);
        let exposures = exposures(family, additions, &mut evaluator)?;
        let log_exposures = offset.iter_mut().zip(&exposures);
        log_exposures.for_each(|(sum, exposure)| *sum += exposure.ln());
        let errors = errors(family, additions, &mut evaluator)?;
        let trials = trials(family, &formula, &mut evaluator)?;
        let y = response(family, &formula.response, &trials, &mut evaluator)?;
        let of_rows = (&formula.response, y.as_slice());
        let adjustments = adjustments(family, additions, of_rows, &mut evaluator)?;
        self.memory = memory;
        self.check_groups(&formula, &groups)?;
        let has_intercept = formula.predictor.terms.intercept || self.family.has_cutpoints();
        if purpose == Purpose::Fit {
            let mean = |(_, x): &Named| if has_intercept { mean(x) } else { 0.0 };
            self.means = columns.iter().map(mean).collect();
            self.learn_response(&formula, &y)?;
        }
        let centred = |i: usize, k: usize| columns[k].1[i] - self.means[k];
        let x = DMatrix::from_fn(table.rows(), columns.len(), centred);
        let names: Vec<String> = columns.iter().map(|(name, _)| place(name)).collect();
        if purpose == Purpose::Fit {
            self.check_dependence(&formula.predictor.terms, &x, &names)?;
        }
        let (y, counts) = match self.family.response().is_real() {
            true => (y, Vec::new()),
            false => (Vec::new(), y.into_iter().map(Whole).collect()),
        };
        Ok(Design {
            family,
            link: self.link,
            has_intercept,
            y,
            counts,
            trials,
            adjustments,
            errors,
            adds_sigma: additions.errors.as_ref().is_some_and(|(_, adds)| *adds),
            exposures,
            grades: self.grades,
            offset,
            x,
            means: self.means.clone(),
            coefficients: names,
            groups,
            priors: Priors::default(),
        })
    }

    /// Whether no coefficient varies in two terms.
    fn check_groups(&self, formula: &terms::Formula, groups: &[Group]) -> Result<(), Error> {
        let scales: Vec<String> = groups.iter().flat_map(Group::scales).collect();
        let repeated = (0..scales.len()).find(|k| scales[..*k].contains(&scales[*k]));
        repeated.map_or(Ok(()), |k| {
            let message = format!(
                "the coefficient `{}` varies in two terms; leave one out",
                scales[k]
            );
            Err(self.wrong(&formula.response, message))
        })
    }

    /// What is learnt of the first response: it varies, and has so many grades.
    fn learn_response(&mut self, formula: &terms::Formula, y: &[f64]) -> Result<(), Error> {
        let is_constant = y.iter().all(|value| *value == y[0]);
        if self.family.response().is_real() && is_constant {
            let message = format!(
                "`{}` is {} in all rows, so there is nothing to explain",
                formula.response, y[0]
            );
            return Err(self.wrong(&formula.response, message));
        }
        if self.family.has_cutpoints() {
            self.grades = y.iter().fold(0.0, |most: f64, y| most.max(*y)) as usize;
            if self.grades < 2 {
                let message = "an ordered response needs at least two grades";
                return Err(self.wrong(&formula.response, message));
            }
        }
        Ok(())
    }

    fn wrong(&self, node: &Node, message: impl Into<String>) -> Error {
        Error::from(FormulaError {
            formula: self.formula.clone(),
            at: node.at.clone(),
            message: message.into(),
        })
    }

    /// Whether every column says something that the columns before it do not.
    fn check_dependence(
        &self,
        terms: &Terms,
        x: &DMatrix<f64>,
        names: &[String],
    ) -> Result<(), Error> {
        let root = (x.nrows() as f64).sqrt();
        let mut basis: Vec<(usize, DVector<f64>)> = Vec::new();
        for k in 0..x.ncols() {
            let column = x.column(k).into_owned();
            let size = column.norm();
            let mut rest = column.clone();
            let mut parts = vec![0.0; k];
            // twice, since one pass leaves the rounding of the first
            for _ in 0..2 {
                for (j, direction) in &basis {
                    let part = rest.dot(direction);
                    parts[*j] += part;
                    rest.axpy(-part, direction, 1.0);
                }
            }
            // also for the column of a constant, less its mean
            if rest.norm() <= DEPENDENT * size || size <= DEPENDENT * root * self.means[k].abs() {
                let others: Vec<&str> = (0..k)
                    .filter(|j| parts[*j].abs() > 1e-6 * size)
                    .map(|j| names[j].as_str())
                    .collect();
                let name = &names[k];
                let message = if others.is_empty() {
                    let same = if terms.intercept {
                        ", as the intercept is"
                    } else {
                        ""
                    };
                    format!("the column `{name}` is the same in all rows{same}; leave it out")
                } else {
                    format!(
                        "the column `{name}` is a sum of others ({}) times numbers, so the data cannot tell them apart; leave one out",
                        others.join(", ")
                    )
                };
                return Err(Error::from(FormulaError {
                    formula: self.formula.clone(),
                    at: 0..0,
                    message,
                }));
            }
            let norm = rest.norm();
            basis.push((k, rest / norm));
        }
        Ok(())
    }
}
