//! What a regression on another table needs from the first table, and the data of a table read with it.

use crate::adjustments::{Adjustments, adjustments, errors, exposures};
use crate::baseline::Baseline;
use crate::cbind;
use crate::centring::Centring;
use crate::class::{CLASSES, Class, LEVEL, Row};
use crate::columns::{Evaluator, Learnt, Memory};
use crate::defaults::Priors;
use crate::design::{Design, Whole, place};
use crate::family::Family;
use crate::line::Line;
use crate::link::Link;
use crate::residuals::all_residuals;
use crate::response::{labels, response, trials};
use crate::syntax::Node;
use crate::terms::{self, Other};
use bayes::data::Table;
use bayes::{Error, FormulaError};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The use of a table's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The data set levels, scales and means.
    Fit,
    /// The data of a fit, read again.
    Again,
    /// The response is predicted, and may be missing.
    Predict,
}

/// What a regression on another table needs from the first table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Recipe {
    pub(crate) formula: String,
    pub(crate) family: Family,
    pub(crate) link: Link,
    pub(crate) drop_missing: bool,
    /// The columns of the table, for `.`.
    pub(crate) columns: Vec<String>,
    pub(crate) memory: Memory,
    /// The means of the columns of each linear predictor.
    pub(crate) means: Vec<Vec<f64>>,
    pub(crate) grades: usize,
    /// The labels of a categorical response.
    #[serde(default)]
    pub(crate) labels: Vec<String>,
    /// The knots of a baseline hazard.
    #[serde(default)]
    pub(crate) baseline: Option<Baseline>,
    pub(crate) priors: Priors,
    /// The coordinates of the coefficients of groups; none in runs of earlier versions, whose coefficients are non-centred.
    #[serde(default)]
    pub(crate) centrings: Vec<Centring>,
}

impl Recipe {
    pub(crate) fn terms(&self) -> Result<terms::Formula, Error> {
        let mut formula = terms::read(&self.formula, Some(&self.columns))?;
        formula.levels = self.labels.get(1..).unwrap_or_default().to_vec();
        Ok(formula)
    }

    /// Which label of a response is the success, or has which number, in words; empty for a response of numbers.
    pub(crate) fn success(&self) -> String {
        if self.family.has_columns() {
            return String::new();
        }
        if !self.labels.is_empty() {
            let number = |(k, label): (usize, &String)| format!("{} is `{label}`", k + 1);
            let numbers: Vec<String> = self.labels.iter().enumerate().map(number).collect();
            return format!(", {}", numbers.join(", "));
        }
        let response = self.terms().map(|terms| terms.response.to_string());
        let learnt = response
            .ok()
            .and_then(|response| self.memory.get(&response));
        match learnt {
            Some(Learnt::Levels(levels)) if self.family == Family::Bernoulli => levels
                .get(1)
                .map_or_else(String::new, |label| format!(", a success is `{label}`")),
            _ => String::new(),
        }
    }

    /// The rows of a table without missing values, if others are to be left out.
    pub(crate) fn complete(&self, table: &Table) -> Result<Option<Table>, Error> {
        let columns = self.terms()?.columns();
        self.drop_missing
            .then(|| table.complete(columns))
            .transpose()
    }

    /// The data of a table. The first table sets levels, scales and means; in a table to predict the response may be missing.
    pub(crate) fn design(&mut self, table: &Table, purpose: Purpose) -> Result<Design, Error> {
        let has_labels = self.family == Family::Categorical || self.family.has_columns();
        if has_labels && purpose == Purpose::Fit && table.rows() > 0 {
            self.learn_labels(table)?;
        }
        self.design_of(&self.terms()?, table, purpose)
    }

    /// The same with different additions to the response.
    pub(crate) fn design_of(
        &mut self,
        formula: &terms::Formula,
        table: &Table,
        purpose: Purpose,
    ) -> Result<Design, Error> {
        if table.rows() == 0 {
            return Err(self.wrong(&formula.response, "the table has no rows"));
        }
        self.check_others(formula)?;
        let mut memory = std::mem::take(&mut self.memory);
        let mut evaluator = Evaluator {
            table,
            formula: &self.formula,
            memory: &mut memory,
            learns: purpose == Purpose::Fit,
            predicts: purpose == Purpose::Predict,
        };
        cbind::check(self.family, &formula.response, &evaluator)?;
        let is_known = purpose != Purpose::Fit;
        let means = is_known.then(|| std::mem::take(&mut self.means));
        let mut lines = lines(self.family, formula, means.as_deref(), &mut evaluator)?;
        let (family, additions) = (self.family, &formula.additions);
        let exposures = exposures((family, self.link), additions, &mut evaluator)?;
        let log_exposures = lines[0].offset.iter_mut().zip(&exposures);
        log_exposures.for_each(|(sum, exposure)| *sum += exposure.ln());
        let errors = errors(family, additions, &mut evaluator)?;
        let trials = trials(family, formula, &mut evaluator)?;
        let (y, columns) = observed(family, &formula.response, &trials, &mut evaluator)?;
        let of_rows = (&formula.response, y.as_slice());
        let adjustments = adjustments(family, additions, of_rows, &mut evaluator)?;
        let of_rows = (y.as_slice(), &adjustments);
        let (residuals, latent) =
            all_residuals(formula, (family, self.link), of_rows, &mut evaluator)?;
        self.memory = memory;
        self.means = lines.iter().map(|line| line.means.clone()).collect();
        match purpose {
            Purpose::Fit => self.learn_response(formula, &y, &adjustments)?,
            _ => self.check_ends(formula, &adjustments)?,
        }
        let (y, counts) = by_kind(self.family, y);
        let design = Design {
            family,
            link: self.link,
            lines,
            y,
            counts,
            trials,
            adjustments,
            residuals,
            latent,
            errors,
            adds_sigma: additions.errors.as_ref().is_some_and(|(_, adds)| *adds),
            exposures,
            grades: self.grades,
            labels: self.labels.clone(),
            columns,
            baseline: self.baseline,
            priors: Priors::default(),
            centrings: self.centrings.clone(),
            tells: false,
        };
        if purpose == Purpose::Fit {
            self.check_names(formula, &design)?;
        }
        Ok(design)
    }

    /// Checks that the family has the parameters that have formulas.
    fn check_others(&self, formula: &terms::Formula) -> Result<(), Error> {
        let own = self.family.auxiliaries();
        for other in &formula.others {
            let Some(class) = other.class else {
                self.check_label(other)?;
                continue;
            };
            let name = class.name();
            if !own.contains(&class) {
                let own: Vec<&str> = own.iter().map(|class| class.name()).collect();
                let has = match own.as_slice() {
                    [] => "no parameter beside the linear predictor".to_owned(),
                    own => own.join(" and "),
                };
                let message = format!("the family {} has no `{name}`; it has {has}", self.family);
                return Err(self.wrong(&other.node, message));
            }
            let errors = formula.additions.errors.as_ref();
            if class == Class::Sigma && errors.is_some_and(|(_, adds)| !adds) {
                let message =
                    "`se(s)` takes the place of `sigma`; for both write `se(s, sigma = TRUE)`";
                return Err(self.wrong(&other.node, message));
            }
        }
        Ok(())
    }

    /// Checks that a formula is of a label of the response, and not of the first one.
    fn check_label(&self, other: &Other) -> Result<(), Error> {
        let label = other.label().unwrap_or_default();
        let message = match self.labels.split_first() {
            Some((_, rest)) if rest.iter().any(|level| level == label) => return Ok(()),
            Some((first, _)) if first == label && self.family.has_columns() => format!(
                "`{first}` is the first column of the response, whose linear predictor is 0; for another one change the order in `cbind(..)`"
            ),
            Some((first, _)) if first == label => format!(
                "`{first}` is the first label of the response, whose linear predictor is 0; for another first label write `factor(y, base = \"..\")`"
            ),
            Some((_, rest)) => {
                let known: Vec<String> =
                    rest.iter().map(|level| format!("{LEVEL}{level}")).collect();
                format!(
                    "`{}` is no label of the response; those with a linear predictor are {}",
                    other.node,
                    known.join(", ")
                )
            }
            None => format!(
                "the family {} has no `{}`; only labels of a categorical response have linear predictors of their own",
                self.family, other.node
            ),
        };
        Err(self.wrong(&other.node, message))
    }

    /// Learns the labels of a categorical response.
    fn learn_labels(&mut self, table: &Table) -> Result<(), Error> {
        let response = self.terms()?.response;
        let mut memory = std::mem::take(&mut self.memory);
        let mut evaluator = Evaluator {
            table,
            formula: &self.formula,
            memory: &mut memory,
            learns: true,
            predicts: false,
        };
        cbind::check(self.family, &response, &evaluator)?;
        let found = match cbind::parts(&response) {
            Some(columns) => columns.iter().map(|column| column.to_string()).collect(),
            None => labels(&response, &mut evaluator)?.0,
        };
        self.memory = memory;
        if let [only] = found.as_slice() {
            let message =
                format!("`{response}` is `{only}` in all rows, so there is nothing to explain");
            return Err(self.wrong(&response, message));
        }
        let mut names: BTreeMap<String, &String> = BTreeMap::new();
        for label in &found {
            if let Some(other) = names.insert(place(label), label) {
                let message = format!(
                    "the labels `{other}` and `{label}` of `{response}` would have one name in the outputs, `{}`; change one of them",
                    place(label)
                );
                return Err(self.wrong(&response, message));
            }
        }
        self.labels = found;
        Ok(())
    }

    /// Checks that no two parameters have one name, also in two linear predictors: `sigma:x` is a coefficient of `sigma`, and a product of
    /// columns.
    fn check_names(&self, formula: &terms::Formula, design: &Design) -> Result<(), Error> {
        if let Some(message) = design.fault_of_ids() {
            return Err(self.wrong(&formula.response, message));
        }
        for Row { class, name, .. } in &CLASSES {
            let mut known = BTreeSet::new();
            let names = class.parameters(design).into_iter().flatten();
            if let Some(twice) = names.into_iter().find(|own| !known.insert(own.clone())) {
                let message = format!(
                    "two linear predictors would have a parameter called `{name}[{twice}]`; rename a column"
                );
                return Err(self.wrong(&formula.response, message));
            }
        }
        Ok(())
    }

    /// Learns from the first response: checks that it varies, and stores the number of grades.
    fn learn_response(
        &mut self,
        formula: &terms::Formula,
        y: &[f64],
        adjustments: &Adjustments,
    ) -> Result<(), Error> {
        let is_constant = y.iter().all(|value| *value == y[0]);
        if self.family.response().is_real() && is_constant {
            let message = format!(
                "`{}` is {} in all rows, so there is nothing to explain",
                formula.response, y[0]
            );
            return Err(self.wrong(&formula.response, message));
        }
        if self.family == Family::Cox {
            if !formula.predictor.terms.intercept {
                let message = "the family cox needs an intercept, `1 +`: without it the integrated baseline hazard would be 1 at the end of the times";
                return Err(self.wrong(&formula.response, message));
            }
            let ends = adjustments.ends().map(|(_, end)| end);
            self.baseline = Some(Baseline::of(y, ends));
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

    /// Refuses intervals of another table that end after the baseline hazard, where no probabilities are known.
    fn check_ends(&self, formula: &terms::Formula, adjustments: &Adjustments) -> Result<(), Error> {
        let Some([_, last]) = self.baseline.as_ref().map(Baseline::ends) else {
            return Ok(());
        };
        let Some((row, end)) = adjustments.ends().find(|(_, end)| *end > last) else {
            return Ok(());
        };
        let message = format!(
            "the end in `cens` or `trunc` is {end} in row {}, and the times of the fit give a baseline hazard until {last:.4}; leave the row out, or fit with this end in the table",
            row + 1
        );
        Err(self.wrong(&formula.response, message))
    }

    fn wrong(&self, node: &Node, message: impl Into<String>) -> Error {
        Error::from(FormulaError {
            formula: self.formula.clone(),
            at: node.at.clone(),
            message: message.into(),
        })
    }
}

/// The response, `[rows]`, and its columns, `[rows, columns]`, if it has several; then the former is the first one of them.
fn observed(
    family: Family,
    node: &Node,
    trials: &[u64],
    evaluator: &mut Evaluator<'_>,
) -> Result<(Vec<f64>, DMatrix<f64>), Error> {
    let columns = cbind::columns(family, node, trials, evaluator)?;
    let y = match family.has_columns() {
        true => columns.column(0).iter().copied().collect(),
        false => response(family, node, trials, evaluator)?,
    };
    Ok((y, columns))
}

/// The responses as numbers, or as whole numbers; neither for several columns.
fn by_kind(family: Family, y: Vec<f64>) -> (Vec<f64>, Vec<Whole>) {
    match family.response().is_real() {
        _ if family.has_columns() => (Vec::new(), Vec::new()),
        true => (y, Vec::new()),
        false => (Vec::new(), y.into_iter().map(Whole).collect()),
    }
}

/// The linear predictors of a table, with the means of their columns if they are known.
fn lines(
    family: Family,
    formula: &terms::Formula,
    means: Option<&[Vec<f64>]>,
    evaluator: &mut Evaluator<'_>,
) -> Result<Vec<Line>, Error> {
    let mut lines = Vec::new();
    for (k, (of, predictor)) in formula.predictors().into_iter().enumerate() {
        let has_cutpoints = k == 0 && family.has_cutpoints();
        let means = means.map(|means| means[k].as_slice());
        lines.push(Line::new((of, predictor), has_cutpoints, means, evaluator)?);
    }
    Ok(lines)
}
