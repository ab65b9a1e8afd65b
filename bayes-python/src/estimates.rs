//! Estimates of how well models predict, and their comparison.

use bayes::comparison;
use bayes::module::spoken;
use bayes::module::{caught, exception};
use pyo3::prelude::*;
use std::path::PathBuf;

/// An expected log predictive density.
#[pyclass(frozen)]
pub(crate) struct Elpd(pub(crate) comparison::Elpd);

/// A row of a comparison: the name of the model, and its numbers by their names.
type Row = (String, Vec<(&'static str, Option<f64>)>);

#[pymethods]
impl Elpd {
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        comparison::Elpd::load(path).map(Self).map_err(exception)
    }

    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.0.save(path).map_err(exception)
    }

    fn text(&self) -> String {
        spoken(&self.0.to_string())
    }

    #[getter]
    fn elpd(&self) -> f64 {
        self.0.elpd()
    }

    #[getter]
    fn se(&self) -> f64 {
        self.0.se()
    }

    #[getter]
    fn effective_parameters(&self) -> f64 {
        self.0.effective_parameters
    }

    #[getter]
    fn pointwise(&self) -> Vec<f64> {
        self.0.pointwise.clone()
    }

    #[getter]
    fn pareto_k(&self) -> Vec<f64> {
        self.0.pareto_k.clone()
    }

    #[getter]
    fn good_k(&self) -> f64 {
        self.0.good_k
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0
            .warnings()
            .iter()
            .map(|warning| spoken(warning))
            .collect()
    }
}

/// The comparison of models of the same data: what is printed, the rows from best to worst, and warnings and notes.
#[pyfunction]
pub(crate) fn compare(
    names: Vec<String>,
    estimates: Vec<Py<Elpd>>,
) -> PyResult<(String, Vec<Row>, Vec<String>)> {
    let estimates = estimates.iter().map(|elpd| &elpd.get().0);
    let models = names.iter().map(String::as_str).zip(estimates);
    let found = caught(|| comparison::compare(models).map_err(exception))?;
    let row = |row: &comparison::ComparisonRow| {
        let evidence = row.log_evidence.map(|estimate| estimate.mean);
        let factor = row.log_bayes_factor.map(|estimate| estimate.mean);
        let numbers = vec![
            ("elpd", Some(row.elpd)),
            ("se", Some(row.se)),
            ("effective_parameters", Some(row.effective_parameters)),
            ("difference", Some(row.difference)),
            ("difference_se", Some(row.difference_se)),
            ("stacking", Some(row.stacking)),
            ("pseudo_bma_plus", Some(row.pseudo_bma_plus)),
            ("log_evidence", evidence),
            (
                "log_evidence_se",
                row.log_evidence.map(|estimate| estimate.se),
            ),
            ("log_bayes_factor", factor),
            (
                "log_bayes_factor_se",
                row.log_bayes_factor.map(|estimate| estimate.se),
            ),
        ];
        (row.name.clone(), numbers)
    };
    let notes = found.warnings.iter().chain(&found.notes);
    let notes = notes.map(|note| spoken(note)).collect();
    Ok((
        spoken(&found.to_string()),
        found.rows.iter().map(row).collect(),
        notes,
    ))
}
