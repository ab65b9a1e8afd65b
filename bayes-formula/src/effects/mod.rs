//! Effects: the expected response while one or two columns vary and the others stay constant.

mod conditions;
pub(crate) mod grid;
mod picture;

pub use conditions::Conditions;
pub use grid::Level;

use crate::design::{Design, Group};
use crate::outcome;
use crate::population::{columns_of, with_groups, without_effects};
use crate::recipe::Purpose;
use crate::regression::Regression;
use crate::residuals::set_no_residuals;
use crate::summary::{HEADER, NAMES, Summary};
use crate::syntax::{Kind, Node};
use crate::terms::Additions;
use crate::text;
use bayes::plot::Figure;
use bayes::prelude::*;
use bayes::{Error, plot};
use conditions::{POINTS, SHOWN, Varying};
use grid::Variables;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// Conditional effects, from [`Regression::effects`].
///
/// Printing gives a table, with every eleventh point of a grid; [`figure`](Self::figure) draws the effects.
#[derive(Clone, Debug)]
pub struct Effects {
    /// The columns that vary.
    pub of: Vec<String>,
    /// For each value of the second column, for each value of the first, for each grade of an ordered response, in this nesting.
    pub rows: Vec<EffectRow>,
    /// The values of the other columns.
    pub others: BTreeMap<String, Level>,
    picture: plot::Effects,
    /// Whether the first column has a grid.
    has_grid: bool,
    /// A sentence about the effects of groups; empty without groups.
    groups: &'static str,
}

/// The expected response at a value of each column.
#[derive(Clone, Debug)]
pub struct EffectRow {
    /// The values of the columns, in the order of [`Effects::of`].
    pub at: Vec<Level>,
    /// The grade whose probability this is, or the number of the label, from 1; `None` for other families, and for the linear predictor.
    pub grade: Option<usize>,
    /// The label that `grade` is the number of, for a categorical response.
    pub label: Option<String>,
    /// The expected response.
    pub summary: Summary,
}

impl Regression {
    /// The expected response while a column varies, `"x"`, or two, `"x:z"`: over a grid of 100 points for numbers, at all labels. A second
    /// column of numbers is at its mean and one standard deviation on each side. Other columns stay at their mean or their reference label,
    /// and effects of groups are 0. Columns of monotonic effects vary over their grades, and otherwise stay at their median. For binomial
    /// families the expected response is the probability of a success, and with `rate(t)` the number of events of an exposure of 1.
    ///
    /// ```
    /// # use bayes::data::Table;
    /// # use bayes::prelude::*;
    /// # use bayes_formula::{Family, formula};
    /// # let text = "cured,dose,sex\n0,1,f\n1,3,m\n0,2,m\n1,2.5,f\n0,1.5,m\n1,2,f\n1,3,m\n0,2.5,f\n";
    /// let table = Table::from_csv(text.as_bytes())?;
    /// let regression = formula("cured ~ dose + sex")?.family(Family::Bernoulli).on(&table)?;
    /// let run = Inference::nuts().draws(200).seed(1).progress(false).run(&regression)?;
    /// let effects = regression.effects(&run, "dose:sex")?;
    /// println!("{effects}");
    /// let svg = effects.figure()?.svg(); // `.save("dose.svg")?` writes it
    /// assert!(effects.rows.len() == 200 && svg.starts_with("<svg"));
    /// # Ok::<(), bayes::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Formula`] for a name that is in no term, and for expected responses with `trunc(..)`; [`Error::Prediction`] if the run is
    /// not of this regression.
    pub fn effects(&self, run: &Run, of: &str) -> Result<Effects, Error> {
        self.effects_at(run, of, &Conditions::new())
    }

    /// [`effects`](Self::effects) with other columns at chosen values, for chosen groups, or on the scale of the linear predictor.
    ///
    /// # Errors
    /// As [`effects`](Self::effects); [`Error::Formula`] for a value that a column cannot have.
    pub fn effects_at(
        &self,
        run: &Run,
        of: &str,
        conditions: &Conditions,
    ) -> Result<Effects, Error> {
        self.only("conditional effects")?;
        let fitted = self.fitted(run);
        match conditions.is_linear {
            true => fitted.linear(),
            false => fitted,
        }
        .check_truncation()?;
        let variables = grid::variables(self.recipe(), self.table())?;
        let own = grid::of_response(self.recipe(), self.number(), &variables)?;
        let varying = conditions::varying(of, &own)?;
        let others = conditions::others(&variables, &varying, conditions)?;
        let columns = columns(&varying, &others);
        let at_grid = self.on_grid(columns.clone(), conditions.draws_groups)?;
        let fitted = at_grid.fitted(run).new_groups(NewGroups::Draw);
        let table = match conditions.is_linear {
            true => fitted.linear().table()?,
            false => fitted.table()?,
        };
        let found = table.rows.into_iter().map(|row| EffectRow {
            at: varying
                .iter()
                .map(|(name, _)| columns[name][row.row].clone())
                .collect(),
            grade: row.grade,
            label: row.label,
            summary: row.summary,
        });
        let mut effects = Effects {
            of: varying.iter().map(|(name, _)| name.clone()).collect(),
            rows: found.collect(),
            others,
            picture: plot::Effects::default(),
            has_grid: varying[0].1.len() == POINTS && variables[&varying[0].0].is_continuous(),
            groups: groups(at_grid.design(), conditions.draws_groups),
        };
        effects.picture = picture::picture(self, &effects, (&variables, &varying), conditions)?;
        Ok(effects)
    }

    /// The regression of these columns, with one trial and an exposure of 1 in each row, and without weights, censoring and bounds. Groups
    /// whose columns are all in the table have their effects; other groups have none, or the effects of a new group.
    pub(crate) fn on_grid(
        &self,
        columns: BTreeMap<String, Vec<Level>>,
        draws_groups: bool,
    ) -> Result<Self, Error> {
        let mut recipe = self.recipe().clone();
        let mut formulas = recipe.terms()?;
        let residuals = formulas.take_residuals();
        let mut errors = Vec::new();
        for formula in &mut formulas.each {
            let trials = formula.additions.trials.take();
            errors.push(formula.additions.errors.take());
            formula.additions = Additions {
                trials: trials.map(|node| Node {
                    kind: Kind::Number(1.0),
                    ..node
                }),
                ..Additions::default()
            };
        }
        let is_there = |name: &String| columns.contains_key(name);
        let groups = formulas
            .predictors()
            .flat_map(|predictor| &predictor.groups);
        let named = groups.map(|grouped| columns_of(grouped).iter().all(is_there));
        let named: Vec<bool> = named.collect();
        let table = with_groups(&recipe, &grid::table(&columns)?)?;
        let mut design: Design = recipe.design_of(&formulas, &table, Purpose::Change)?;
        design.priors = recipe.priors.clone();
        set_no_residuals(&mut design, &residuals);
        for (margin, errors) in design.margins.iter_mut().zip(errors) {
            if let Some((_, adds_sigma)) = errors {
                // the mean does not depend on the errors, and the design keeps the parameters of the run
                margin.errors = vec![1.0; table.rows()];
                margin.adds_sigma = adds_sigma;
            }
        }
        without_effects(&mut design, |group| !named[group] && !draws_groups);
        Ok(Self::new(recipe, design, &table))
    }

    /// The columns on which the response depends that answers are about.
    pub(crate) fn own_variables(&self) -> Result<Variables, Error> {
        grid::of_response(self.recipe(), self.number(), &self.variables()?)
    }

    /// The columns of the terms on the table of the fit.
    pub(crate) fn variables(&self) -> Result<Variables, Error> {
        grid::variables(self.recipe(), self.table())
    }
}

/// The columns of a grid: the first one varies fastest.
fn columns(varying: &Varying, others: &BTreeMap<String, Level>) -> BTreeMap<String, Vec<Level>> {
    let (first, values) = &varying[0];
    let seconds = varying.get(1).map_or(1, |(_, values)| values.len());
    let mut columns = BTreeMap::new();
    let repeated = (0..seconds).flat_map(|_| values.iter().cloned());
    columns.insert(first.clone(), repeated.collect());
    if let Some((name, levels)) = varying.get(1) {
        let each = |level: &Level| vec![level.clone(); values.len()];
        columns.insert(name.clone(), levels.iter().flat_map(each).collect());
    }
    for (name, level) in others {
        columns.insert(name.clone(), vec![level.clone(); values.len() * seconds]);
    }
    columns
}

/// A sentence about the effects of groups.
fn groups(design: &Design, are_drawn: bool) -> &'static str {
    let all: Vec<&Group> = design.groups().collect();
    let left_out = all.iter().filter(|group| group.levels.is_empty()).count();
    match (left_out, are_drawn) {
        _ if all.is_empty() => "",
        (_, true) => "Groups that are not named count as a new group.",
        (0, false) => "",
        (left_out, false) if left_out == all.len() => "Effects of groups are 0.",
        _ => "Effects of other groups are 0.",
    }
}

impl Effects {
    /// The picture: lines with bands over numbers, dots with bars at labels, the intervals 25% to 75% and 5% to 95%, and the data as faint dots.
    ///
    /// # Errors
    /// [`Error::Picture`] if a column has too few values.
    pub fn figure(&self) -> Result<Figure, Error> {
        plot::effects(&self.picture)
    }

    /// Sentences about the values of the other columns; none if there are no other columns and no groups.
    pub(crate) fn note(&self) -> Option<String> {
        let others = self
            .others
            .iter()
            .map(|(name, level)| format!("{name} = {level}"));
        let others = others.collect::<Vec<_>>().join(", ");
        let others = match others.as_str() {
            "" => others,
            _ => format!("Other columns: {others}."),
        };
        let note = format!("{others} {}", self.groups).trim().to_owned();
        (!note.is_empty()).then_some(note)
    }

    /// As comma-separated values with a header: the columns that vary, `grade` for an ordered response or `label` for a categorical one, and `mean,mcse,sd,q5,q25,q50,q75,q95`.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut header: Vec<String> = self.of.iter().map(|name| text::field(name)).collect();
        header.extend(self.outcome().map(str::to_owned));
        header.extend(NAMES.map(str::to_owned));
        let mut all = header.join(",") + "\n";
        for row in &self.rows {
            let level = |level: &Level| match level {
                // as given, so that the rows can be joined to a table
                Level::Number(value) => value.to_string(),
                Level::Label(label) => text::field(label),
            };
            let mut cells: Vec<String> = row.at.iter().map(level).collect();
            cells.extend(
                outcome::cell(row.grade, row.label.as_ref()).map(|cell| text::field(&cell)),
            );
            all += &(cells.join(",") + &row.summary.csv() + "\n");
        }
        all
    }

    /// As a JSON object: `of`, `others`, and `rows`, each with `at`, the columns that vary, `grade` for an ordered response, and `mean`, `mcse`, `sd`, `q5` to `q95`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let row = |row: &EffectRow| {
            let at: BTreeMap<&String, &Level> = self.of.iter().zip(&row.at).collect();
            let mut object = row.summary.json();
            object.insert("at".to_owned(), json!(at));
            outcome::insert(&mut object, row.grade, row.label.as_ref());
            Value::Object(object)
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        json!({"of": self.of, "others": self.others, "rows": rows})
    }

    /// The header of the column of grades or labels.
    fn outcome(&self) -> Option<&'static str> {
        let row = self.rows.first()?;
        outcome::header(row.grade, row.label.as_ref())
    }
}

/// A text table, with every eleventh point of a grid.
impl fmt::Display for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut header: Vec<&str> = self.of.iter().map(String::as_str).collect();
        header.extend(self.outcome());
        let words = header.len();
        header.extend(HEADER);
        let grades = self
            .rows
            .iter()
            .filter_map(|row| row.grade)
            .max()
            .unwrap_or(1);
        let is_shown = |k: usize| !self.has_grid || (k / grades % POINTS).is_multiple_of(SHOWN);
        let row = |(_, row): (usize, &EffectRow)| {
            let mut cells: Vec<String> = row.at.iter().map(Level::to_string).collect();
            cells.extend(outcome::cell(row.grade, row.label.as_ref()));
            cells.extend(row.summary.cells());
            cells
        };
        let shown = self.rows.iter().enumerate().filter(|(k, _)| is_shown(*k));
        let rows: Vec<Vec<String>> = shown.map(row).collect();
        text::write(f, &header, &rows, words)?;
        match self.note() {
            Some(note) => writeln!(f, "{note}"),
            None => Ok(()),
        }
    }
}
