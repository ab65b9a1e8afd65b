//! The data of one response of a table.

use crate::adjustments::{adjustments, errors, exposures};
use crate::cbind;
use crate::columns::Evaluator;
use crate::design::{Margin, Whole, place};
use crate::family::Family;
use crate::line::Line;
use crate::link::Link;
use crate::residuals::all_residuals;
use crate::response::{response, trials};
use crate::terms;
use bayes::Error;
use nalgebra::DMatrix;

/// What a response is read with.
pub(crate) struct Reading<'a> {
    pub(crate) formula: &'a terms::Formula,
    pub(crate) family: (Family, Link),
    /// Whether there are other responses, so that names of parameters need the name of the response.
    pub(crate) has_others: bool,
    /// The means of the columns of its linear predictors and those behind them, if they are known.
    pub(crate) means: Option<&'a [Vec<f64>]>,
}

impl Reading<'_> {
    /// The data of the response. Grades, labels and the baseline hazard of a single response are not known yet.
    pub(crate) fn margin(&self, evaluator: &mut Evaluator<'_>) -> Result<Margin, Error> {
        let (formula, (family, link)) = (self.formula, self.family);
        cbind::check(family, &formula.response, evaluator)?;
        let mut lines = self.lines(evaluator)?;
        let additions = &formula.additions;
        let exposures = exposures((family, link), additions, evaluator)?;
        let log_exposures = lines[0].offset.iter_mut().zip(&exposures);
        log_exposures.for_each(|(sum, exposure)| *sum += exposure.ln());
        let errors = errors(family, additions, evaluator)?;
        let trials = trials(family, formula, evaluator)?;
        let (y, columns) = self.observed(&trials, evaluator)?;
        let of_rows = (&formula.response, y.as_slice());
        let adjustments = adjustments(family, additions, of_rows, evaluator)?;
        let of_rows = (y.as_slice(), &adjustments);
        let (residuals, latent) = all_residuals(formula, self.family, of_rows, evaluator)?;
        let (y, counts) = match family.response().is_real() {
            _ if family.has_columns() => (Vec::new(), Vec::new()),
            true => (y, Vec::new()),
            false => (Vec::new(), y.into_iter().map(Whole).collect()),
        };
        Ok(Margin {
            name: self.name(),
            family,
            link,
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
            grades: 0,
            labels: Vec::new(),
            columns,
            baseline: None,
        })
    }

    fn name(&self) -> String {
        place(&self.formula.response.to_string())
    }

    /// The response, `[rows]`, and its columns, `[rows, columns]`, if it has several; then the former is the first one of them.
    fn observed(
        &self,
        trials: &[u64],
        evaluator: &mut Evaluator<'_>,
    ) -> Result<(Vec<f64>, DMatrix<f64>), Error> {
        let (family, node) = (self.family.0, &self.formula.response);
        let columns = cbind::columns(family, node, trials, evaluator)?;
        let y = match family.has_columns() {
            true => columns.column(0).iter().copied().collect(),
            false => response(family, node, trials, evaluator)?,
        };
        Ok((y, columns))
    }

    /// The linear predictors of the response.
    fn lines(&self, evaluator: &mut Evaluator<'_>) -> Result<Vec<Line>, Error> {
        let name = self.has_others.then(|| self.name());
        let mut lines = Vec::new();
        for (k, (of, predictor)) in self.formula.predictors().into_iter().enumerate() {
            let has_cutpoints = k == 0 && self.family.0.has_cutpoints();
            let means = self.means.map(|means| means[k].as_slice());
            let of = (of, predictor);
            lines.push(Line::new(
                name.as_deref(),
                of,
                (has_cutpoints, means),
                evaluator,
            )?);
        }
        Ok(lines)
    }
}
