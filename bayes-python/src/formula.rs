//! Formulas, and regressions on tables.

use crate::run::Run;
use crate::table::Table;
use bayes::density::Posterior;
use bayes::module::{self, Wanted, caught, exception};
use bayes_formula::{Formula as Said, Regression as Model, formula};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A formula with its family and its priors, before there is a table.
#[pyclass(frozen)]
pub(crate) struct Formula(Said);

/// A regression on a table.
#[pyclass(frozen)]
pub(crate) struct Regression(pub(crate) Model);

#[pymethods]
impl Formula {
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        formula(text).map(Self).map_err(exception)
    }

    /// The formula of a run, perhaps with another text and without the priors that were chosen for it.
    #[staticmethod]
    fn of_run(run: &Run, text: Option<&str>, default_priors: bool) -> PyResult<Self> {
        let changed = || -> Result<Said, bayes::Error> {
            let mut said = Said::of_run(run.run())?;
            if let Some(text) = text {
                said = said.with_text(text)?;
            }
            Ok(match default_priors {
                true => said.with_default_priors(),
                false => said,
            })
        };
        changed().map(Self).map_err(exception)
    }

    /// The same with what is given in place of what it has, and with these priors behind its own.
    fn chosen(
        &self,
        family: Option<&str>,
        link: Option<&str>,
        priors: Vec<String>,
        drop_missing: Option<bool>,
    ) -> PyResult<Self> {
        let chosen = || -> Result<Said, bayes::Error> {
            let mut said = self.0.clone();
            if let Some(family) = family {
                said = said.family_of_text(family)?;
            }
            if let Some(link) = link {
                said = said.link_of_text(link)?;
            }
            if let Some(drop_missing) = drop_missing {
                said = said.drop_missing(drop_missing);
            }
            let mut priors = priors.iter();
            priors.try_fold(said, |said, prior| said.prior_of_text(prior))
        };
        chosen().map(Self).map_err(exception)
    }

    /// The columns that it reads of a table with these.
    fn columns(&self, of: Vec<String>) -> PyResult<Vec<String>> {
        self.0.columns(&of).map_err(exception)
    }

    /// The regression of a table.
    fn on(&self, table: &Table) -> PyResult<Regression> {
        caught(|| self.0.on(&table.0).map(Regression).map_err(exception))
    }
}

#[pymethods]
impl Regression {
    /// The regression of a run on the table of the run.
    #[staticmethod]
    fn of_run(run: &Run, table: &Table) -> PyResult<Self> {
        caught(|| {
            Model::of_run(run.run(), &table.0)
                .map(Self)
                .map_err(exception)
        })
    }

    /// The same for answers about one response of several.
    fn about(&self, response: &str) -> PyResult<Self> {
        self.0.response(response).map(Self).map_err(exception)
    }

    /// The number of rows.
    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }

    /// Whether some weights of rows are no whole numbers, so that the likelihood is no probability of data.
    #[getter]
    fn has_shares_of_rows(&self) -> bool {
        self.0.has_shares_of_rows()
    }

    /// What to know before the fit, in sentences.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes()
    }

    /// All parameters with their priors, a line for each.
    #[getter]
    fn priors(&self) -> String {
        self.0.priors().to_string()
    }

    /// How much the log evidence of its run depends on the default priors, in a line; none for a run without evidence.
    fn evidence_in_words(&self, py: Python<'_>, run: &Run) -> PyResult<Option<String>> {
        let run = run.run();
        caught(|| {
            py.detach(|| self.0.evidence_in_words(run))
                .map_err(exception)
        })
    }

    /// Its table.
    #[getter]
    fn table(&self) -> Table {
        Table(self.0.table().clone())
    }

    /// The places in the frame of the rows that it has, from 0.
    #[getter]
    fn row_numbers(&self) -> Vec<u64> {
        self.0.table().row_numbers().to_vec()
    }

    /// The run of an engine with these settings, the trouble that did not stop it, and whether Ctrl-C did.
    fn run(
        &self,
        py: Python<'_>,
        name: &str,
        seed: u64,
        progress: bool,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<(Run, Vec<String>, bool)> {
        let wanted = Wanted {
            engine: name,
            seed,
            progress,
            settings,
        };
        let ran = module::run(
            py,
            &wanted,
            || false,
            |engine| {
                let common = engine.common();
                let posterior = Posterior::with(&self.0, common.seed, common.arithmetic)?;
                engine.run_on(&posterior)
            },
        );
        let (run, troubles, interrupted) = ran?;
        Ok((Run::new(run), troubles, interrupted))
    }
}
