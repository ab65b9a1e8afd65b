//! A regression on a table: a model for every engine.

use crate::class::Class;
use crate::defaults::{PriorTable, centred};
use crate::design::{Design, Margin};
use crate::family::Family;
use crate::model::regression;
use crate::notes;
use crate::population::population;
use crate::recipe::{Purpose, Recipe};
use crate::residuals::set_no_residuals;
use crate::separation;
use crate::words;
use bayes::autodiff::trace::Tracer;
use bayes::data::Table;
use bayes::model::{
    DataArgument, Evaluate, Interpreter, Plain, PlainInterpreter, Replacing, Sources, Statement,
    StatementDims,
};
use bayes::prelude::*;
use bayes::rows::RowCount;
use bayes::{Error, FormulaError};

/// Quantities that are only coordinates of others.
const HIDDEN: [&str; 11] = [
    "intercept_at_means",
    "intercepts_at_means",
    "cutpoints_at_means",
    "l",
    "lrescor",
    "z",
    "zs",
    "zgp",
    "zerr",
    "hs_local",
    "r2d2_phi",
];

/// The hidden quantities that are effects with a random scale, or parts of it.
const LATENT: [&str; 6] = ["z", "zs", "zgp", "zerr", "hs_local", "r2d2_phi"];

/// A regression on a table: a [`Model`] for every engine.
///
/// Its quantities are `b[..]`, the coefficients of the terms; `intercept`; `sd[group:..]`, `r[group:level:..]` and `cor[..]`, the standard
/// deviations, effects and correlations of groups; and parameters of the family, such as `sigma`. `intercept_at_means`, `z` and `l` are
/// coordinates of these quantities. The response is called `y`; several responses are its columns.
pub struct Regression {
    recipe: Recipe,
    priors: PriorTable,
    rows: usize,
    has_shares_of_rows: bool,
    /// Whether a response is a term of another one.
    has_responses_as_terms: bool,
    /// The table without left-out rows.
    table: Table,
    model: regression,
}

impl Regression {
    pub(crate) fn new(recipe: Recipe, design: Design, table: &Table) -> Self {
        let has_correlations = design.has_correlations();
        Self {
            priors: PriorTable {
                priors: design.priors.listed(&design),
                correlation: has_correlations.then_some(design.priors.correlation),
                residual: design.rescor.then_some(design.priors.residual),
                steps: design
                    .steps()
                    .map(|steps| (steps.name.clone(), steps.count))
                    .collect(),
                means: centred(&design),
                are_ordered: design.first().family == Family::Cumulative,
                has_baseline: design.first().baseline.is_some(),
            },
            rows: design.rows(),
            has_shares_of_rows: design.margins.iter().any(Margin::has_shares_of_rows),
            has_responses_as_terms: recipe
                .terms()
                .is_ok_and(|formulas| formulas.has_responses_as_terms()),
            table: table.clone(),
            model: regression(design),
            recipe,
        }
    }

    /// The same regression on another table, to predict its rows: with the levels, scales, means and priors of the first table. The
    /// response may be missing, in all rows or in some. Predictions draw it; nothing else runs on such a table.
    ///
    /// # Errors
    /// As [`Formula::on`](crate::Formula::on).
    pub fn of(&self, table: &Table) -> Result<Self, Error> {
        Self::with(self.recipe.clone(), table, Purpose::Predict)
    }

    /// The same regression on another table, as [`of`](Self::of) makes it, for the population: the effects of its groups are 0, as are
    /// residuals of `ar`, and the table may lack the columns of both.
    ///
    /// # Errors
    /// As [`Formula::on`](crate::Formula::on).
    pub fn of_population(&self, table: &Table) -> Result<Self, Error> {
        population(self.recipe.clone(), table)
    }

    /// The regression of a run, on the table of the run.
    ///
    /// # Errors
    /// [`Error::Formula`] if the run is not of a formula; the errors of [`Formula::on`](crate::Formula::on).
    pub fn of_run(run: &Run, table: &Table) -> Result<Self, Error> {
        Self::with(recipe_of(run)?, table, Purpose::Again)
    }

    /// The regression of a run on another table, to predict its rows, as [`of`](Self::of) makes it.
    ///
    /// # Errors
    /// As [`of_run`](Self::of_run).
    pub fn of_run_to_predict(run: &Run, table: &Table) -> Result<Self, Error> {
        Self::with(recipe_of(run)?, table, Purpose::Predict)
    }

    /// The regression of a run on another table for the population, as [`of_population`](Self::of_population) makes it.
    ///
    /// # Errors
    /// As [`of_run`](Self::of_run).
    pub fn of_run_to_population(run: &Run, table: &Table) -> Result<Self, Error> {
        population(recipe_of(run)?, table)
    }

    /// The columns that the formula of a run reads, each once, in alphabetical order.
    ///
    /// # Errors
    /// [`Error::Formula`] if the run is not of a formula.
    pub fn columns_of_run(run: &Run) -> Result<Vec<String>, Error> {
        Ok(recipe_of(run)?.terms()?.columns())
    }

    fn with(mut recipe: Recipe, table: &Table, purpose: Purpose) -> Result<Self, Error> {
        // all rows of a table to predict are predicted
        let complete = match purpose {
            Purpose::Predict => None,
            _ => recipe.complete(table)?,
        };
        let table = complete.as_ref().unwrap_or(table);
        let mut design = recipe.design(table, purpose)?;
        design.priors = recipe.priors.clone();
        Ok(Self::new(recipe, design, table))
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

    /// Whether some rows have weights that are not whole numbers: then the likelihood is not a probability of data, and the evidence cannot
    /// compare models.
    #[must_use]
    pub fn has_shares_of_rows(&self) -> bool {
        self.has_shares_of_rows
    }

    /// What to know before the regression is fitted, in sentences: groups with hardly any row beside the first one, whose scale the data
    /// cannot tell from the spread within groups, and columns that separate successes from failures.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let of_groups = notes::of_groups(self.design()).into_iter();
        of_groups
            .chain(separation::of_columns(self.design()))
            .collect()
    }

    /// The formula as written.
    #[must_use]
    pub fn formula(&self) -> &str {
        &self.recipe.formula
    }

    /// The regression of its table with a column changed, without residuals of the response, so that its means are those of the linear
    /// predictor. Latent residuals are those of the rows, whatever the column is.
    pub(crate) fn changed(&self, table: &Table) -> Result<Self, Error> {
        let mut recipe = self.recipe.clone();
        let mut formulas = recipe.terms()?;
        let residuals = formulas.take_residuals();
        let mut design = recipe.design_of(&formulas, table, Purpose::Change)?;
        design.priors = recipe.priors.clone();
        set_no_residuals(&mut design, &residuals);
        for (margin, own) in design.margins.iter_mut().zip(&self.design().margins) {
            margin.latent.clone_from(&own.latent);
        }
        Ok(Self::new(recipe, design, table))
    }

    pub(crate) fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The table, without the rows that were left out because values are missing.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    pub(crate) fn design(&self) -> &Design {
        self.model.design()
    }

    /// The family of the response; of several that of [`response`](Self::response), or of the first one.
    #[must_use]
    pub fn family(&self) -> Family {
        self.margin().family
    }

    /// The names of the responses with their families.
    #[must_use]
    pub fn responses(&self) -> Vec<(String, Family)> {
        let margins = self.design().margins.iter();
        margins.map(|one| (one.name.clone(), one.family)).collect()
    }

    /// The same regression for answers about one response of several: [`fitted`](Self::fitted), [`effects`](Self::effects),
    /// [`contrasts`](Self::contrasts), [`slopes`](Self::slopes), [`r2`](Self::r2) and [`loo_r2`](Self::loo_r2), which leaves out whole rows.
    /// Predictions and the likelihood still have all responses.
    ///
    /// # Errors
    /// [`Error::Formula`] if there is no such response.
    pub fn response(&self, response: &str) -> Result<Self, Error> {
        let names = self.design().names();
        let Some(number) = names.iter().position(|name| name == response) else {
            return Err(self.wrong(format!(
                "there is no response `{response}`; the regression has {}",
                names.join(", ")
            )));
        };
        Ok(Self {
            recipe: Recipe {
                about: Some(number),
                ..self.recipe.clone()
            },
            priors: self.priors.clone(),
            table: self.table.clone(),
            model: regression(self.design().clone()),
            ..*self
        })
    }

    /// The number of the response that answers are about.
    pub(crate) fn number(&self) -> usize {
        self.recipe.about.unwrap_or(0)
    }

    /// The response that answers are about.
    pub(crate) fn margin(&self) -> &Margin {
        &self.design().margins[self.number()]
    }

    /// The same, if it was chosen or is the only one.
    pub(crate) fn only(&self, answer: &str) -> Result<&Margin, Error> {
        let design = self.design();
        if !design.has_several() || self.recipe.about.is_some() {
            return Ok(self.margin());
        }
        let names = design.names();
        Err(self.wrong(format!(
            "{answer}: the answer is about one response, and here are {0}; choose one by `.response(\"{1}\")`",
            names.join(", "),
            names[0]
        )))
    }

    pub(crate) fn wrong(&self, message: String) -> Error {
        Error::from(FormulaError {
            formula: self.formula().to_owned(),
            at: 0..0,
            message,
        })
    }
}

/// The recipe of a run.
pub(crate) fn recipe_of(run: &Run) -> Result<Recipe, Error> {
    let wrong = |message: String| FormulaError {
        formula: String::new(),
        at: 0..0,
        message,
    };
    let Some(recipe) = &run.recipe else {
        let message = format!("the run of `{}` was not made by a formula", run.model);
        return Err(wrong(message).into());
    };
    let unread = |error: &dyn std::fmt::Display| {
        wrong(format!(
            "the recipe of `{}` cannot be read by this version: {error}",
            recipe.title
        ))
    };
    let read: Recipe = serde_json::from_str(&recipe.text)
        .map_err(|error| unread(&format!("{error}; fit it again")))?;
    if read.family.has_cutpoints() && read.priors.of(Class::Cutpoint).is_empty() {
        let reason =
            "it has no priors of cutpoints, which earlier versions did not store; fit it again";
        return Err(unread(&reason).into());
    }
    Ok(read)
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
        let formula = &self.recipe.formula;
        let families = self.recipe.families();
        let families: Vec<String> = families.map(|(family, _)| family.to_string()).collect();
        Some(bayes::model::Recipe {
            title: format!(
                "{formula}, {}, {} rows{}",
                families.join(" and "),
                self.rows,
                self.recipe.success()
            ),
            text: serde_json::to_string(&self.recipe).expect("lists and numbers are JSON"),
            hidden: HIDDEN.map(str::to_owned).to_vec(),
            latent: LATENT.map(str::to_owned).to_vec(),
            scales: words::scales(self.design()),
        })
    }
    fn in_words(&self, statement: usize) -> Option<String> {
        words::of(&self.recipe, self.statements().get(statement)?)
    }
    fn rereads(&self) -> &'static [&'static str] {
        match self.design().first().residuals {
            // the residuals before a row
            Some(_) => &["y"],
            None if self.has_responses_as_terms => &["y"],
            None => self.model.rereads(),
        }
    }
    fn rereads_in_words(&self) -> Option<String> {
        self.design().first().residuals.as_ref()?;
        let formulas = self.recipe.terms().ok()?;
        let response = &formulas.first().response;
        Some(format!(
            "each row of `{response}` is predicted one step ahead, from the responses before it in its series, and from those that are drawn where they are missing"
        ))
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
    // with these methods the program is compiled in this crate alone, not in each program that runs a regression
    #[inline(never)]
    fn run_plain(&self, interpreter: &mut dyn PlainInterpreter) {
        self.model.run_plain(interpreter);
    }
    #[inline(never)]
    fn run_traced(&self, evaluation: &mut Evaluate<'_, Tracer>) {
        self.model.run_traced(evaluation);
    }
    #[inline(never)]
    fn run_plain_on(&self, interpreter: &mut Replacing<'_, Plain<'_>>) {
        self.model.run_plain_on(interpreter);
    }
    #[inline(never)]
    fn run_traced_on(&self, evaluation: &mut Replacing<'_, Evaluate<'_, Tracer>>) {
        self.model.run_traced_on(evaluation);
    }
    #[inline(never)]
    fn run_sources(&self, sources: &mut Sources<'_>) {
        self.model.run_sources(sources);
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
