//! The result of an inference, and what one asks of it.

use crate::draws::{Draws, bytes};
use crate::estimates::Elpd;
use crate::formula::Regression;
use crate::table::Table;
use bayes::cli::{Settings, explained};
use bayes::diagnose::Warning;
use bayes::dist::Shape;
use bayes::module::{caught, exception, spoken, stoppable, wrong};
use bayes::plot::Report;
use bayes::predict::{NewGroups, Prediction};
use bayes::report::{Summary, SummaryRow, in_words};
use bayes::run::{self, Group};
use bayes_formula::Regression as Model;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The result of an inference.
#[pyclass(frozen)]
pub(crate) struct Run {
    run: run::Run,
    /// The diagnostics of all elements, which take a while.
    found: OnceLock<(Summary, Vec<Warning>)>,
}

/// Names of elements, their statistics in the order of the header, and the same as they are printed.
type Rows = (Vec<String>, Vec<Vec<f64>>, Vec<Vec<String>>);

/// The shape of a quantity, and the names of its dimensions with those of their places.
type Axes = (Vec<usize>, Vec<(String, Vec<String>)>);

/// A response, the names of its columns if it has several, and its log likelihoods.
type Terms<'py> = (
    Bound<'py, PyByteArray>,
    Vec<String>,
    Bound<'py, PyByteArray>,
);

/// An estimate with its standard error and its interval.
type Evidence = (f64, f64, Option<(f64, f64)>);

impl Run {
    pub(crate) fn new(run: run::Run) -> Self {
        Self {
            run,
            found: OnceLock::new(),
        }
    }

    pub(crate) fn run(&self) -> &run::Run {
        &self.run
    }

    fn found(&self) -> &(Summary, Vec<Warning>) {
        self.found.get_or_init(|| self.run.summary_and_warnings())
    }
}

#[pymethods]
impl Run {
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let loaded = caught(|| py.detach(|| run::Run::load(path)).map_err(exception));
        loaded.map(Self::new)
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        caught(|| py.detach(|| self.run.save(path)).map_err(exception))
    }

    /// The columns that its formula reads.
    fn columns(&self) -> PyResult<Vec<String>> {
        Model::columns_of_run(&self.run).map_err(exception)
    }

    #[getter]
    fn engine(&self) -> &str {
        &self.run.engine
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.run.seed
    }

    /// Its settings for this engine and kernel, or for its own, by name as `Regression.run` takes them.
    fn settings(
        &self,
        engine: Option<&str>,
        kernel: Option<&str>,
    ) -> PyResult<Vec<(&'static str, String)>> {
        let settings = Settings::after(&self.run, engine, kernel).map_err(wrong)?;
        Ok(settings.texts().collect())
    }

    /// What the model was made of: the formula, the family and the number of rows.
    #[getter]
    fn title(&self) -> &str {
        self.run.title()
    }

    /// The text that the program prints.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        caught(|| Ok(py.detach(|| in_words(&self.run.to_string(), spoken))))
    }

    #[getter]
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        caught(|| {
            let (_, warnings) = py.detach(|| self.found());
            Ok(warnings
                .iter()
                .map(|warning| spoken(&warning.to_string()))
                .collect())
        })
    }

    /// The names of the statistics of a summary.
    #[staticmethod]
    fn header() -> Vec<&'static str> {
        SummaryRow::header().to_vec()
    }

    /// The summary of these quantities and elements, or of all but `hidden`.
    fn summary(&self, py: Python<'_>, only: Option<Vec<String>>) -> PyResult<Rows> {
        caught(|| {
            let (summary, _) = py.detach(|| self.found());
            let chosen = match &only {
                Some(names) => summary.only(names.iter().map(String::as_str)),
                None => summary.except(self.run.hidden()),
            };
            let rows = chosen.map_err(exception)?.rows;
            let names = rows.iter().map(|row| row.name.clone()).collect();
            let values = rows.iter().map(SummaryRow::values).collect();
            let printed = rows.iter().map(|row| row.cells()[1..].to_vec()).collect();
            Ok((names, values, printed))
        })
    }

    /// The log evidence, its standard error, and its interval of 95%; None for chains.
    #[getter]
    fn log_evidence(&self) -> Option<Evidence> {
        let estimate = self.run.log_evidence_estimate()?;
        let interval = self.run.log_evidence_interval(0.95);
        Some((estimate.mean, estimate.se, interval))
    }

    /// The names of all quantities.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.run.layout.names()
    }

    /// The shape of a quantity, and for each dimension that has a name this and the names of the places.
    fn axes(&self, name: &str) -> PyResult<Axes> {
        let variable = self.run.variable(name).map_err(exception)?;
        let shape = match variable.shape {
            Shape::Scalar => Vec::new(),
            Shape::Vector(n) => vec![n],
            Shape::Matrix(rows, columns) => vec![rows, columns],
        };
        let dims = variable.dims.iter();
        let dims = dims.map(|dim| (dim.name.to_string(), dim.places.to_vec()));
        Ok((shape, dims.collect()))
    }

    /// The number of draws of all chains or islands.
    #[getter]
    fn total_draws(&self) -> usize {
        self.run.total_draws()
    }

    /// For each chain of draws of equal weight, their places among all draws.
    fn equal_draws(&self) -> Vec<Vec<usize>> {
        self.run.equal_draws()
    }

    /// Draws of the response of a table, `[draws, rows]`; of one of several columns `[draws, rows, columns]`, with the names of these.
    fn predict(
        &self,
        py: Python<'_>,
        table: &Table,
        new_groups: bool,
    ) -> PyResult<(Draws, Vec<String>)> {
        let groups = match new_groups {
            true => NewGroups::Draw,
            false => NewGroups::Refuse,
        };
        let drawn = || {
            let model = Model::of_run_to_predict(&self.run, &table.0)?;
            let prediction = self.run.predict_with(&model, groups)?;
            let columns = columns_of_response(&prediction);
            Ok::<_, bayes::Error>((Draws(prediction.draws("y")?), columns))
        };
        caught(|| py.detach(drawn).map_err(exception))
    }

    /// The draws of a quantity.
    fn draws(&self, name: &str) -> PyResult<Draws> {
        self.run.draws(name).map(Draws).map_err(exception)
    }

    /// The names of the elements of a quantity; none of a single number.
    fn elements(&self, name: &str) -> PyResult<Vec<String>> {
        let variable = self.run.variable(name).map_err(exception)?;
        Ok(match variable.shape {
            Shape::Scalar => Vec::new(),
            _ => variable.element_names(),
        })
    }

    /// What ArviZ calls statistics of the sampler, `[draws]` by name; those that the engine has.
    fn statistics<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Vec<(&'static str, Bound<'py, PyByteArray>)>> {
        let groups = &self.run.groups;
        let listed =
            |list: fn(&Group) -> Vec<f64>| groups.iter().flat_map(list).collect::<Vec<f64>>();
        let all = [
            (
                "lp",
                listed(|g| {
                    g.log_prior
                        .iter()
                        .zip(&g.log_likelihood)
                        .map(|(p, l)| p + l)
                        .collect()
                }),
            ),
            (
                "acceptance_rate",
                listed(|g| g.statistics.acceptance.clone()),
            ),
            ("energy", listed(|g| g.statistics.energy.clone())),
            (
                "n_steps",
                listed(|g| g.statistics.leapfrogs.iter().map(|n| *n as f64).collect()),
            ),
            (
                "tree_depth",
                listed(|g| g.statistics.depth.iter().map(|n| f64::from(*n)).collect()),
            ),
            (
                "diverging",
                listed(|g| {
                    g.statistics
                        .divergent
                        .iter()
                        .map(|is| f64::from(u8::from(*is)))
                        .collect()
                }),
            ),
        ];
        let draws = self.run.total_draws();
        let known = all.into_iter().filter(|(_, values)| values.len() == draws);
        known
            .map(|(name, values)| Ok((name, bytes(py, &values)?)))
            .collect()
    }

    /// The response of a regression, `[rows]`, or `[rows, columns]` with the names of these, and the log likelihoods of its rows, `[draws, rows]`.
    fn log_likelihood<'py>(
        &self,
        py: Python<'py>,
        regression: &Regression,
    ) -> PyResult<Terms<'py>> {
        let found = || {
            let prediction = self.run.predict(&regression.0)?;
            let terms = prediction.log_likelihood()?;
            let values: Vec<f64> = terms.rows().flatten().copied().collect();
            let data = prediction
                .observed()
                .iter()
                .flat_map(|observed| observed.data.clone());
            let data: Vec<f64> = data.collect();
            Ok::<_, bayes::Error>((data, columns_of_response(&prediction), values))
        };
        let (data, columns, values) = caught(|| py.detach(found).map_err(exception))?;
        Ok((bytes(py, &data)?, columns, bytes(py, &values)?))
    }

    /// The Monte Carlo errors and the standard deviations of draws that were made of the draws of this run, `[element]`.
    fn moments(&self, py: Python<'_>, draws: &Draws) -> PyResult<(Vec<f64>, Vec<f64>)> {
        let found = || self.run.moments_of(&draws.0);
        let moments = caught(|| py.detach(found).map_err(exception))?;
        Ok(moments.into_iter().map(|(mean, sd)| (mean.se, sd)).unzip())
    }

    /// Leave-one-out cross-validation, with runs without the rows whose k-hat is above 0.5, or in so many parts.
    fn loo(
        &self,
        py: Python<'_>,
        regression: &Regression,
        refit: bool,
        folds: Option<usize>,
    ) -> PyResult<Elpd> {
        let (run, model) = (&self.run, &regression.0);
        let found = stoppable(py, |stop| match (folds, refit) {
            (Some(folds), _) => model.k_fold_until(run, folds, stop),
            (None, true) => model.refitted_loo_until(run, stop),
            (None, false) => run.loo(model),
        });
        found.map(Elpd)
    }

    /// What failed in the evaluations of the density, what the model does there, and where trajectories diverged.
    fn explain(&self, py: Python<'_>, regression: &Regression) -> PyResult<String> {
        let found = || explained(&self.run, &regression.0);
        caught(|| {
            py.detach(found)
                .map(|text| spoken(&text))
                .map_err(exception)
        })
    }

    fn report(&self, py: Python<'_>, regression: &Regression, path: PathBuf) -> PyResult<()> {
        let written = || {
            Report::new(&self.run)
                .in_words(spoken)
                .model(&regression.0)?
                .save(path)
        };
        caught(|| py.detach(written).map_err(exception))
    }
}

/// The names of the columns of a response of several; none of another response.
fn columns_of_response(prediction: &Prediction<'_>) -> Vec<String> {
    let response = prediction.observed().iter().find(|data| data.name == "y");
    let columns = response.and_then(|data| data.dims.get(1));
    columns.map_or_else(Vec::new, |columns| columns.places.to_vec())
}
