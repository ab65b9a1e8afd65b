//! From a formula and a table to a model.

use crate::coding::{self, Named};
use crate::columns::{Evaluator, Memory};
use crate::defaults::{PriorTable, Priors};
use crate::design::{Design, Group, INTERCEPT};
use crate::family::{Family, Response};
use crate::model::regression;
use crate::prior::Prior;
use crate::syntax::{Kind, Node};
use crate::terms::{self, Grouped, Terms};
use bayes::data::Table;
use bayes::model::{DataArgument, Interpreter, Statement, StatementDims};
use bayes::prelude::*;
use bayes::rows::RowCount;
use bayes::{Error, FormulaError};
use serde::{Deserialize, Serialize};

/// Columns whose rest beyond the columns before them is this share of them or less depend on these.
const DEPENDENT: f64 = 1e-9;

/// The coordinates of other quantities.
const HIDDEN: [&str; 3] = ["intercept_at_means", "l", "z"];

/// Reads a formula: `formula("reaction ~ days + (1 + days | subject)")?`.
///
/// # Errors
/// [`Error::Formula`] with what is wrong, and where.
pub fn formula(text: &str) -> Result<Formula, Error> {
    // columns are not known yet
    terms::read(text, &[])?;
    Ok(Formula {
        text: text.to_owned(),
        family: Family::Gaussian,
        priors: Vec::new(),
        correlation: 1.0,
        drop_missing: false,
    })
}

/// A formula with its family and its priors.
#[derive(Clone, Debug)]
pub struct Formula {
    text: String,
    family: Family,
    /// What a prior is for, and the prior, in the order in which they were given.
    priors: Vec<(String, Prior)>,
    correlation: f64,
    drop_missing: bool,
}

impl Formula {
    /// The family of the response; Gaussian by default.
    #[must_use]
    pub fn family(self, family: Family) -> Self {
        Self { family, ..self }
    }

    /// The prior of a parameter, or of all of a class: `b`, `b[days]`, `intercept`, `sd`, `sd[site]`, `sd[site:days]`, `sigma`, `nu`, `shape`, `phi`, `zi`,
    /// `hu`. The last one that is given for a parameter holds.
    #[must_use]
    pub fn prior(mut self, of: &str, prior: Prior) -> Self {
        self.priors.push((of.to_owned(), prior));
        self
    }

    /// The exponent of the prior of correlations between the coefficients of a group (Lewandowski, Kurowicka & Joe 2009): 1, the default, is flat, more favours
    /// small correlations.
    #[must_use]
    pub fn correlation_prior(self, eta: f64) -> Self {
        Self {
            correlation: eta,
            ..self
        }
    }

    /// Whether rows without a value in a column of the formula are left out; otherwise, as by default, they are an error.
    #[must_use]
    pub fn drop_missing(self, drop_missing: bool) -> Self {
        Self {
            drop_missing,
            ..self
        }
    }

    /// The model of a table.
    ///
    /// # Errors
    /// [`Error::Formula`] if the formula does not fit the table or a prior no parameter, [`Error::Table`] if a column cannot be read.
    pub fn on(&self, table: &Table) -> Result<Regression, Error> {
        if !(self.correlation.is_finite() && self.correlation > 0.0) {
            return Err(Error::Setting {
                setting: "correlation_prior",
                value: self.correlation.to_string(),
                allowed: "positive and finite".to_owned(),
            });
        }
        let mut recipe = Recipe {
            formula: self.text.clone(),
            family: self.family,
            drop_missing: self.drop_missing,
            columns: table.columns().to_vec(),
            memory: Memory::new(),
            means: Vec::new(),
            grades: 0,
            priors: Priors::default(),
        };
        let has_intercept = recipe.terms()?.terms.intercept;
        let complete = recipe.complete(table)?;
        let table = complete.as_ref().unwrap_or(table);
        let mut design = recipe.design(table, true)?;
        let mut priors = Priors::default_of(&design, has_intercept);
        priors.correlation = self.correlation;
        for (target, prior) in &self.priors {
            priors.set(target, *prior, &design)?;
        }
        recipe.priors = priors.clone();
        design.priors = priors;
        Ok(Regression::new(recipe, design))
    }
}

/// What a regression of another table needs of the first one.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Recipe {
    formula: String,
    family: Family,
    drop_missing: bool,
    /// The columns of the table, which `.` means.
    columns: Vec<String>,
    memory: Memory,
    means: Vec<f64>,
    grades: usize,
    priors: Priors,
}

/// A regression on a table: a [`Model`] for every engine.
///
/// Its quantities are `b[..]`, the coefficients of the terms; `intercept`; `sd[group:..]`, `r[group:level:..]` and `cor[..]`, the standard deviations, effects and
/// correlations of groups; and what the family has, such as `sigma`. `intercept_at_means`, `z` and `l` are coordinates of these. The response is called `y`.
pub struct Regression {
    recipe: Recipe,
    priors: PriorTable,
    rows: usize,
    has_response: bool,
    model: regression,
}

impl Regression {
    fn new(recipe: Recipe, design: Design) -> Self {
        let has_correlations = !design.correlated().is_empty();
        Self {
            priors: PriorTable(
                design.priors.listed(&design),
                has_correlations.then_some(design.priors.correlation),
            ),
            rows: design.rows(),
            has_response: design.has_response,
            model: regression(design),
            recipe,
        }
    }

    /// The same regression on another table, such as one to predict: with the levels, scales and means of the first table and its priors. Its response
    /// may be missing.
    ///
    /// # Errors
    /// As [`Formula::on`].
    pub fn of(&self, table: &Table) -> Result<Self, Error> {
        Self::with(self.recipe.clone(), table)
    }

    /// The regression of a run on this table: that of the run, or one to predict.
    ///
    /// # Errors
    /// [`Error::Formula`] if the run is none of a formula; the errors of [`Formula::on`].
    pub fn of_run(run: &Run, table: &Table) -> Result<Self, Error> {
        let text = run.recipe.as_ref().map_or("", |recipe| &recipe.text);
        let recipe = serde_json::from_str(text).map_err(|_| FormulaError {
            formula: String::new(),
            at: 0..0,
            message: format!("the run of `{}` was not made by a formula", run.model),
        })?;
        Self::with(recipe, table)
    }

    fn with(mut recipe: Recipe, table: &Table) -> Result<Self, Error> {
        // rows to predict are all predicted
        let complete = match is_absent(&recipe.terms()?.response, table) {
            true => None,
            false => recipe.complete(table)?,
        };
        let table = complete.as_ref().unwrap_or(table);
        let mut design = recipe.design(table, false)?;
        design.priors = recipe.priors.clone();
        Ok(Self::new(recipe, design))
    }

    /// All parameters with their priors.
    #[must_use]
    pub fn priors(&self) -> &PriorTable {
        &self.priors
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Whether the table has the response: one to predict may lack it.
    #[must_use]
    pub fn has_response(&self) -> bool {
        self.has_response
    }

    /// The formula as it is written.
    #[must_use]
    pub fn formula(&self) -> &str {
        &self.recipe.formula
    }

    /// The family of the response.
    #[must_use]
    pub fn family(&self) -> Family {
        self.recipe.family
    }
}

impl Recipe {
    fn terms(&self) -> Result<terms::Formula, Error> {
        Ok(terms::read(&self.formula, &self.columns)?)
    }

    /// The rows of a table without missing values, if others are to be left out.
    fn complete(&self, table: &Table) -> Result<Option<Table>, Error> {
        let columns = self.terms()?.columns();
        self.drop_missing
            .then(|| table.complete(columns))
            .transpose()
    }

    /// The data of a table. The first one teaches; in a later one the response may be missing.
    fn design(&mut self, table: &Table, learns: bool) -> Result<Design, Error> {
        let formula = self.terms()?;
        if table.rows() == 0 {
            return Err(self.wrong(&formula.response, "the table has no rows"));
        }
        let mut memory = std::mem::take(&mut self.memory);
        let mut evaluator = Evaluator {
            table,
            formula: &self.formula,
            memory: &mut memory,
            learns,
        };
        let columns = coding::columns(&formula.terms, &mut evaluator)?;
        let mut groups = Vec::new();
        for grouped in &formula.groups {
            groups.push(group(grouped, &mut evaluator)?);
        }
        let mut offset = vec![0.0; table.rows()];
        for node in &formula.offsets {
            let values = evaluator.numbers(node)?;
            offset.iter_mut().zip(values).for_each(|(sum, x)| *sum += x);
        }
        let trials = trials(self.family, &formula, &mut evaluator)?;
        let response = response(self.family, &formula.response, &trials, &mut evaluator)?;
        self.memory = memory;
        if learns {
            self.means = match formula.terms.intercept || self.family == Family::Cumulative {
                true => columns
                    .iter()
                    .map(|(_, x)| crate::columns::mean(x))
                    .collect(),
                false => vec![0.0; columns.len()],
            };
            self.grades = response.grades;
        }
        let x = DMatrix::from_fn(table.rows(), columns.len(), |i, k| {
            columns[k].1[i] - self.means[k]
        });
        let coefficients: Vec<String> = columns.into_iter().map(|(name, _)| name).collect();
        if learns {
            self.check_dependence(&formula.terms, &x, &coefficients)?;
        }
        Ok(Design {
            family: self.family,
            has_response: !response.is_absent,
            y: response.numbers,
            counts: response.whole,
            trials,
            grades: self.grades,
            offset,
            x,
            means: self.means.clone(),
            coefficients: coefficients.iter().map(|name| place(name)).collect(),
            groups,
            priors: Priors::default(),
        })
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
            if rest.norm() <= DEPENDENT * size || size <= DEPENDENT * (1.0 + self.means[k].abs()) {
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

/// A name as one of a place, which `[`, `]`, `,` and `"` would end.
fn place(name: &str) -> String {
    name.replace('[', "(")
        .replace(']', ")")
        .replace(',', ";")
        .replace('"', "'")
}

/// The coefficients of the groups of a term.
fn group(grouped: &Grouped, evaluator: &mut Evaluator<'_>) -> Result<Group, Error> {
    let mut columns: Vec<Named> = coding::columns(&grouped.terms, evaluator)?;
    if grouped.terms.intercept {
        let ones = vec![1.0; evaluator.table.rows()];
        columns.insert(0, (INTERCEPT.to_owned(), ones));
    }
    let mut labels: Vec<String> = vec![String::new(); evaluator.table.rows()];
    for node in &grouped.by {
        let Kind::Name(name) = &node.kind else {
            return Err(evaluator.wrong(node, "the groups are those of a column"));
        };
        if !evaluator.table.columns().contains(name) {
            // the message with the nearest name
            evaluator.column(node)?;
        }
        let found = evaluator.table.categories(name)?;
        for (label, index) in labels.iter_mut().zip(&found.indices) {
            let separator = if label.is_empty() { "" } else { ":" };
            *label += separator;
            *label += &found.names[*index];
        }
    }
    let mut levels: Vec<String> = Vec::new();
    let mut numbers = std::collections::HashMap::new();
    let mut of = Vec::new();
    for label in labels {
        let number = *numbers.entry(label.clone()).or_insert_with(|| {
            levels.push(place(&label));
            levels.len() - 1
        });
        of.push(number);
    }
    if evaluator.learns && levels.len() < 2 {
        let message = format!(
            "`{}` has one level, and a group needs at least two",
            grouped.name()
        );
        return Err(evaluator.wrong(&grouped.node, message));
    }
    Ok(Group {
        name: place(&grouped.name()),
        correlated: grouped.correlated,
        levels,
        of,
        columns: columns
            .into_iter()
            .map(|(name, x)| (place(&name), x))
            .collect(),
    })
}

/// The numbers of trials of a family that has them.
fn trials(
    family: Family,
    formula: &terms::Formula,
    evaluator: &mut Evaluator<'_>,
) -> Result<Vec<u64>, Error> {
    match (&formula.trials, family.response()) {
        (Some(node), Response::Trials) => {
            let values = evaluator.numbers(node)?;
            whole(
                &values,
                node,
                evaluator,
                0..=u64::MAX,
                "whole numbers from 0",
            )
        }
        (Some(node), _) => {
            let message =
                format!("the family {family} has no trials; binomial and beta-binomial have");
            Err(evaluator.wrong(node, message))
        }
        (None, Response::Trials) => {
            let response = &formula.response;
            let message = format!(
                "the family {family} needs the number of trials of each row: `{response} | trials(n) ~ ..`; for 0 and 1 take bernoulli"
            );
            Err(evaluator.wrong(response, message))
        }
        (None, _) => Ok(Vec::new()),
    }
}

/// A response as numbers or as whole numbers.
#[derive(Default)]
struct Found {
    is_absent: bool,
    numbers: Vec<f64>,
    whole: Vec<u64>,
    grades: usize,
}

/// Numbers that must be whole and lie in a range.
fn whole(
    values: &[f64],
    node: &Node,
    evaluator: &Evaluator<'_>,
    range: std::ops::RangeInclusive<u64>,
    wanted: &str,
) -> Result<Vec<u64>, Error> {
    let one = |(row, value): (usize, &f64)| {
        let is_whole = value.fract() == 0.0 && *value >= 0.0 && *value < 2.0_f64.powi(53);
        let number = *value as u64;
        match is_whole && range.contains(&number) {
            true => Ok(number),
            false => {
                let message = format!(
                    "`{node}` is {value} in row {}; it must hold {wanted}",
                    row + 1
                );
                Err(evaluator.wrong(node, message))
            }
        }
    };
    values.iter().enumerate().map(one).collect()
}

fn response(
    family: Family,
    node: &Node,
    trials: &[u64],
    evaluator: &mut Evaluator<'_>,
) -> Result<Found, Error> {
    let kind = family.response();
    let wanted = format!("{}, for the family {family}", kind.words());
    if !evaluator.learns && is_absent(node, evaluator.table) {
        return Ok(placeholder(kind, evaluator.table.rows()));
    }
    let is_labelled = matches!(kind, Response::Binary | Response::Grades);
    if is_labelled
        && let crate::columns::Column::Labels { levels, codes } = evaluator.column(node)?
    {
        if kind == Response::Binary && levels.len() != 2 {
            let message = format!(
                "`{node}` has the levels {}; it must hold {wanted}",
                levels.join(", ")
            );
            return Err(evaluator.wrong(node, message));
        }
        return Ok(Found {
            whole: codes.iter().map(|code| *code as u64).collect(),
            grades: levels.len(),
            ..Found::default()
        });
    }
    let values = evaluator.numbers(node)?;
    let outside = |allowed: &dyn Fn(f64) -> bool| values.iter().position(|value| !allowed(*value));
    let wrong = match kind {
        Response::Positive => outside(&|value| value > 0.0),
        Response::Share => outside(&|value| value > 0.0 && value < 1.0),
        _ => None,
    };
    if let Some(row) = wrong {
        let message = format!(
            "`{node}` is {} in row {}; it must hold {wanted}",
            values[row],
            row + 1
        );
        return Err(evaluator.wrong(node, message));
    }
    let range = match kind {
        Response::Real | Response::Positive | Response::Share => {
            return Ok(Found {
                numbers: values,
                ..Found::default()
            });
        }
        Response::Binary => 0..=1,
        Response::Grades => 1..=1000,
        Response::Counts | Response::Trials => 0..=u64::MAX,
    };
    let mut whole = whole(&values, node, evaluator, range, &wanted)?;
    if kind == Response::Grades {
        whole.iter_mut().for_each(|grade| *grade -= 1);
    }
    if let Some(row) = trials.iter().zip(&whole).position(|(n, y)| y > n) {
        let message = format!(
            "`{node}` is {} in row {}, which has {} trials",
            whole[row],
            row + 1,
            trials[row]
        );
        return Err(evaluator.wrong(node, message));
    }
    let grades = match kind {
        Response::Grades => whole.iter().max().map_or(0, |grade| *grade as usize + 1),
        _ => 0,
    };
    if evaluator.learns && kind == Response::Grades && grades < 2 {
        return Err(evaluator.wrong(node, "an ordered response needs at least two grades"));
    }
    Ok(Found {
        whole,
        grades,
        ..Found::default()
    })
}

/// Whether the table lacks a column of the response, or has no value in it.
fn is_absent(node: &Node, table: &Table) -> bool {
    let mut columns = Vec::new();
    node.columns(&mut columns);
    let is_missing = |column: &String| {
        table
            .complete([column])
            .map_or(true, |rest| rest.rows() == 0)
    };
    columns.iter().any(is_missing)
}

/// A response that nobody reads: predictions draw their own.
fn placeholder(kind: Response, rows: usize) -> Found {
    let is_number = matches!(kind, Response::Real | Response::Positive | Response::Share);
    let (numbers, whole) = match is_number {
        true => (vec![0.5; rows], Vec::new()),
        false => (Vec::new(), vec![0; rows]),
    };
    Found {
        is_absent: true,
        numbers,
        whole,
        grades: 0,
    }
}

impl Model for Regression {
    fn name(&self) -> &'static str {
        self.model.name()
    }
    fn statements(&self) -> &'static [Statement] {
        self.model.statements()
    }
    fn file(&self) -> &'static str {
        self.model.file()
    }
    fn source(&self) -> &'static str {
        self.model.source()
    }
    fn recipe(&self) -> Option<bayes::model::Recipe> {
        let Recipe {
            formula, family, ..
        } = &self.recipe;
        Some(bayes::model::Recipe {
            title: format!("{formula}, {family}, {} rows", self.rows),
            text: serde_json::to_string(&self.recipe).unwrap_or_default(),
            hidden: HIDDEN.map(str::to_owned).to_vec(),
        })
    }
    fn rereads(&self) -> &'static [&'static str] {
        self.model.rereads()
    }
    fn data(&self) -> Vec<DataArgument> {
        self.model.data()
    }
    fn numbers<'a>(&'a self, show: &mut dyn FnMut(&'a [f64])) {
        self.model.numbers(show);
    }
    fn dims(&self) -> Vec<StatementDims> {
        self.model.dims()
    }
    fn row_counts(&self) -> Vec<RowCount> {
        self.model.row_counts()
    }
    #[inline(always)]
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        self.model.program(interpreter);
    }
}

impl AllSampled for Regression {}
impl Differentiable for Regression {}

/// Some rows of the table of a regression.
pub struct RegressionRows(<regression as Rows>::Data);

impl Rows for Regression {
    type Data = RegressionRows;

    fn gather(&self, rows: &[usize]) -> RegressionRows {
        RegressionRows(self.model.gather(rows))
    }
    fn refill(&self, rows: &[usize], data: &mut RegressionRows) {
        self.model.refill(rows, &mut data.0);
    }
    fn program_of<M: Mode, I: Interpreter<M>>(&self, data: &RegressionRows, interpreter: &mut I) {
        self.model.program_of(&data.0, interpreter);
    }
}
