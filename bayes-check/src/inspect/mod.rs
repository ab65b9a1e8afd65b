//! Evaluating a model without inference: its density at given values, its Hessian, and a check.

mod check;
mod directions;
mod display;
mod explain;
mod likely;
mod slopes;

pub use crate::density::jumps::Jump;
pub use crate::error::{PriorDraws, Problem, ProblemKind};
pub use crate::graph::{GraphNode, ModelGraph};
pub use crate::model::ValuesError;
pub use check::{Check, CheckReport, Disagreement, EvaluationCost};
pub use explain::Explanation;
pub use likely::LikelyTime;
pub use slopes::Slope;

use crate::density::hessian;
use crate::error::Error;
use crate::graph;
use crate::model::StatementInfo;
use crate::model::{
    Model, ScoredTerms, StatementKind, VariableKind, check_values, score, validate,
};
use nalgebra::DMatrix;

/// Evaluations and checks of a model; every model implements it.
pub trait Inspect: Model + Sized {
    /// Log prior and log likelihood at constrained values, without the Jacobians of the transforms.
    ///
    /// `values` holds the elements of every random quantity by its name, row-major. The values of a quantity that is sampled in a loop
    /// follow one another.
    ///
    /// # Errors
    /// [`Error::Model`] if the model does not fit its data, [`Error::Values`] if names or lengths do not match the model.
    fn log_density_at(&self, values: &[(&str, &[f64])]) -> Result<PointDensity, Error> {
        let scored = scored(self, values)?;
        let statements = self.statements();
        let sum = |prior: bool| {
            let of_kind =
                |(_, s): &(_, &crate::model::Statement)| (s.kind == StatementKind::Sample) == prior;
            let terms = scored.terms.iter().zip(statements).filter(of_kind);
            terms.map(|(term, _)| term).sum()
        };
        Ok(PointDensity {
            log_prior: sum(true),
            log_likelihood: sum(false),
            terms: (0..statements.len())
                .map(|index| StatementInfo::of(self, index))
                .zip(scored.terms.iter().copied())
                .collect(),
        })
    }

    /// The unconstrained coordinates of constrained values, `[dim]`, in which samplers move. NaN for values outside their support.
    ///
    /// # Errors
    /// The errors of [`Inspect::log_density_at`].
    fn unconstrain(&self, values: &[(&str, &[f64])]) -> Result<Vec<f64>, Error> {
        Ok(scored(self, values)?.position)
    }

    /// The Hessian of the log posterior density in the unconstrained coordinates, `[dim, dim]`, at constrained values;
    /// computed by second-order dual numbers, exact to rounding. The density includes the Jacobians of the transforms. NaN
    /// for values outside their support.
    ///
    /// # Errors
    /// The errors of [`Inspect::log_density_at`].
    fn hessian_at(&self, values: &[(&str, &[f64])]) -> Result<DMatrix<f64>, Error> {
        Ok(hessian(self, &scored(self, values)?.position))
    }

    /// The computation of the model at an unconstrained position, `[dim]`, such as the first at which a run's density was NaN
    /// ([`Run::failures`](crate::run::Run::failures)): the values there, the term of each statement, and the parameters out of range. It
    /// also explains a model that a run refuses because parameters or data are out of range.
    ///
    /// # Errors
    /// [`Error::Model`] if the model stops at a draw of its prior, for example because shapes do not fit; [`Error::Setting`] for a position
    /// of another length.
    fn explain(&self, position: &[f64]) -> Result<Explanation, Error> {
        explain::explain(self, position)
    }

    /// The dependencies between statements: a graph as text for Graphviz and as a picture.
    ///
    /// ```text
    /// std::fs::write("model.svg", model.graph()?.svg())?;
    /// ```
    ///
    /// # Errors
    /// [`Error::Model`] if the model does not fit its data, or stops at the prior draw at which the graph is recorded.
    fn graph(&self) -> Result<ModelGraph, Error> {
        validate(self)?;
        graph::record(self)
    }

    /// Checks the model at prior draws: finite densities, gradients against finite differences, round trips through the transforms,
    /// jumps, unbounded directions, and the time and memory of an evaluation.
    ///
    /// ```text
    /// println!("{}", model.check(Check::new())?);
    /// ```
    ///
    /// # Errors
    /// [`Error::Setting`] for a setting out of range, [`Error::Model`] if the model does not fit its data.
    fn check(&self, check: Check) -> Result<CheckReport, Error> {
        check.run(self)
    }
}

impl<Mo: Model> Inspect for Mo {}

/// The density of a model at a point of its constrained space, on the log scale.
#[derive(Clone, Debug, PartialEq)]
pub struct PointDensity {
    /// Sum of the log densities of all `sample` statements, without Jacobians.
    pub log_prior: f64,
    /// Sum of all `observe` and `factor` statements.
    pub log_likelihood: f64,
    /// The contribution of each statement; 0 for `deterministic` and `generate`.
    pub terms: Vec<(StatementInfo, f64)>,
}

/// Evaluates the model at `values`, after a check of their names and lengths, which are known before the model runs.
fn scored<Mo: Model>(model: &Mo, values: &[(&str, &[f64])]) -> Result<ScoredTerms, Error> {
    let mut random = validate(model)?.layout.variables;
    random.retain(|variable| variable.kind != VariableKind::Deterministic);
    let scored = check_values(&random, values).and_then(|()| score(model, values));
    scored.map_err(|source| of_values(model, source))
}

/// The error of values that do not fit a model.
fn of_values<Mo: Model>(model: &Mo, source: ValuesError) -> Error {
    Error::Values {
        model: model.name().to_owned(),
        source,
    }
}
