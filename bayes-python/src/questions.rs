//! Questions about a fit: expected responses, effects, contrasts, slopes, R² and hypotheses.
//!
//! An answer is a text as the program `bayes` prints it, and the same numbers as JSON.

use crate::draws::Draws;
use crate::formula::Regression;
use crate::run::Run;
use crate::table::Table;
use bayes::module::spoken;
use bayes::module::{caught, exception};
use bayes::predict::NewGroups;
use bayes::run;
use bayes_formula::{Averaging, Conditions, Fitted, Regression as Model};
use pyo3::prelude::*;
use serde_json::json;
use std::fmt::Display;

/// A text, and the numbers as JSON.
type Answer = (String, String);

/// How expected responses are computed.
#[pyclass(frozen)]
pub(crate) struct Expected {
    is_linear: bool,
    has_groups: bool,
    draws_new_groups: bool,
    /// The response that the answer is about, of several.
    response: Option<String>,
}

#[pymethods]
impl Expected {
    #[new]
    fn new(
        is_linear: bool,
        has_groups: bool,
        draws_new_groups: bool,
        response: Option<String>,
    ) -> Self {
        Self {
            is_linear,
            has_groups,
            draws_new_groups,
            response,
        }
    }
}

impl Expected {
    fn of<T>(
        &self,
        run: &run::Run,
        table: &bayes::data::Table,
        asked: impl FnOnce(&Fitted<'_>) -> Result<T, bayes::Error>,
    ) -> Result<T, bayes::Error> {
        let model = match self.has_groups {
            true => Model::of_run_to_predict(run, table)?,
            false => Model::of_run_to_population(run, table)?,
        };
        let model = match &self.response {
            Some(response) => model.response(response)?,
            None => model,
        };
        let groups = match self.draws_new_groups {
            true => NewGroups::Draw,
            false => NewGroups::Refuse,
        };
        let fitted = model.fitted(run).new_groups(groups);
        asked(&match self.is_linear {
            true => fitted.linear(),
            false => fitted,
        })
    }
}

/// The summary of the expected response of each row of a table, and of each grade.
#[pyfunction]
pub(crate) fn fitted(py: Python<'_>, run: &Run, table: &Table, how: &Expected) -> PyResult<Answer> {
    answered(py, || {
        let table = how.of(run.run(), &table.0, |fitted| fitted.table())?;
        Ok((table.to_string(), table.to_json()))
    })
}

/// The draws of the expected response of each row of a table, `[draws, rows]`, or `[draws, rows, grades]`.
#[pyfunction]
pub(crate) fn fitted_draws(
    py: Python<'_>,
    run: &Run,
    table: &Table,
    how: &Expected,
) -> PyResult<Draws> {
    let drawn = || how.of(run.run(), &table.0, |fitted| fitted.draws());
    caught(|| py.detach(drawn).map(Draws).map_err(exception))
}

/// The effect of a column or of two with the others at these values.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // they are those of the method of Python
pub(crate) fn effects(
    py: Python<'_>,
    run: &Run,
    regression: &Regression,
    of: &str,
    at: Vec<(String, String)>,
    is_linear: bool,
    is_new_group: bool,
) -> PyResult<Effects> {
    let at = at.iter();
    let mut conditions = at.fold(Conditions::new(), |all, (column, value)| {
        all.at(column, value)
    });
    if is_linear {
        conditions = conditions.linear();
    }
    if is_new_group {
        conditions = conditions.new_group();
    }
    let found = || regression.0.effects_at(run.run(), of, &conditions);
    caught(|| py.detach(found).map(Effects).map_err(exception))
}

/// Conditional effects.
#[pyclass(frozen)]
pub(crate) struct Effects(bayes_formula::Effects);

#[pymethods]
impl Effects {
    fn answer(&self) -> Answer {
        said(&self.0, &self.0.to_json())
    }

    /// The picture as SVG.
    fn svg(&self) -> PyResult<String> {
        caught(|| {
            self.0
                .figure()
                .map(|figure| figure.svg())
                .map_err(exception)
        })
    }
}

/// The average change of the expected response if a column is changed in all rows.
#[pyfunction]
pub(crate) fn contrasts(
    py: Python<'_>,
    run: &Run,
    regression: &Regression,
    of: &str,
    by: Option<&str>,
    is_ratio: bool,
) -> PyResult<Answer> {
    let how = match is_ratio {
        true => averaging(by).ratio(),
        false => averaging(by),
    };
    answered(py, || {
        let found = regression.0.contrasts(run.run(), of, &how)?;
        Ok((found.to_string(), found.to_json()))
    })
}

/// The average slope of the expected response over a column of numbers.
#[pyfunction]
pub(crate) fn slopes(
    py: Python<'_>,
    run: &Run,
    regression: &Regression,
    of: &str,
    by: Option<&str>,
) -> PyResult<Answer> {
    answered(py, || {
        let found = regression.0.slopes(run.run(), of, &averaging(by))?;
        Ok((found.to_string(), found.to_json()))
    })
}

/// R², and R² of rows that were left out.
#[pyfunction]
pub(crate) fn r2(py: Python<'_>, run: &Run, regression: &Regression) -> PyResult<Answer> {
    answered(py, || {
        let (r2, left_out) = (regression.0.r2(run.run())?, regression.0.loo_r2(run.run())?);
        let both = json!([r2.to_json(), left_out.to_json()]);
        Ok((format!("{r2}\n{left_out}"), both))
    })
}

/// The posterior probability of an inequality between quantities.
#[pyfunction]
pub(crate) fn hypothesis(py: Python<'_>, run: &Run, text: &str) -> PyResult<Answer> {
    answered(py, || {
        let found = bayes_formula::hypothesis(run.run(), text)?;
        Ok((found.to_string(), found.to_json()))
    })
}

fn averaging(by: Option<&str>) -> Averaging {
    match by {
        Some(by) => Averaging::new().by(by),
        None => Averaging::new(),
    }
}

/// Works without the interpreter's lock.
fn answered(
    py: Python<'_>,
    work: impl FnOnce() -> Result<(String, serde_json::Value), bayes::Error> + Send,
) -> PyResult<Answer> {
    caught(|| {
        let (text, numbers) = py.detach(work).map_err(exception)?;
        Ok(said(&text, &numbers))
    })
}

fn said(text: &impl Display, numbers: &serde_json::Value) -> Answer {
    (spoken(&text.to_string()), numbers.to_string())
}
