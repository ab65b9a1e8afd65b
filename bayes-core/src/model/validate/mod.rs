//! The validation before sampling: shapes, parameters and data, at several prior draws.

mod look;
mod problem;
mod refusal;

use super::dims::fit;
use super::{Compiled, Model, StatementKind};
use super::{Layout, Variable, VariableKind};
use crate::error::{Error, ProblemKind};
pub(crate) use look::Look;
use look::{Found, Trace, look};
pub(super) use problem::indexed;

/// Number of prior draws at which a model is validated.
const DRAWS: usize = 10;

/// The result of a successful validation.
#[derive(Clone, Debug)]
pub struct Validated {
    /// Names and shapes of the output.
    pub layout: Layout,
    /// Statement index of each variable of the layout.
    pub statements: Vec<usize>,
    /// Which unconstrained coordinates are whole numbers, `[dim]`.
    pub discrete: Vec<bool>,
    /// Which unconstrained coordinates are those of params, `[dim]`.
    pub params: Vec<bool>,
    /// Indices of the statements whose prior is improper.
    pub improper: Vec<usize>,
}

/// Runs `model` at prior draws and checks everything that depends on the data.
///
/// The draws are the same for every seed of a run, so whether a model is rejected does not depend on the seed.
///
/// # Errors
/// [`Error::Rows`] if data marked `#[rows]` have different numbers of rows.
///
/// Otherwise all problems found: parameters outside their range, data outside the support, mismatched shapes, indices out of
/// range, terms that are NaN. Numbers that over- or underflow, or are NaN, at fewer than half of the draws are left to
/// the engines, which count them.
pub fn validate<Mo: Model>(model: &Mo) -> Result<Validated, Error> {
    validated(model)
}

/// [`validate`] without the model's type.
pub(crate) fn validated(model: &dyn Compiled) -> Result<Validated, Error> {
    super::rows::count(model)?;
    let mut looks: Vec<Found> = Vec::with_capacity(DRAWS);
    while looks.len() < DRAWS && !looks.last().is_some_and(|found| found.stopped) {
        looks.push(look(model, looks.len()));
    }
    match looks.iter().position(|found| found.is_refused(&looks)) {
        Some(refused) => Err(problem::error(model, &looks, refused)),
        None => {
            let found = looks.swap_remove(0);
            let traces = found.traces.clone();
            let mut validated = found.validated(model);
            name_dims(model, &mut validated.layout, &traces)?;
            Ok(validated)
        }
    }
}

/// Names the dimensions of the output as the model does, and checks those of data.
fn name_dims(model: &dyn Compiled, layout: &mut Layout, traces: &[Trace]) -> Result<(), Error> {
    let mut problems = Vec::new();
    for dims in model.dims() {
        let statement = &model.statements()[dims.statement];
        let trace = &traces[dims.statement];
        let outcome = match trace.apart {
            Some(shape) => fit(shape.repeated(trace.executions), &dims.dims),
            None => layout.name_dims(statement.name, &dims.dims),
        };
        if let Err(reason) = outcome {
            problems.push(statement.problem(model.file(), ProblemKind::Dims { reason }));
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(Error::Model {
            model: model.name().to_owned(),
            problems,
        }),
    }
}

impl Found {
    fn validated(self, model: &dyn Compiled) -> Validated {
        let mut layout = Layout {
            variables: Vec::new(),
            dim: self.discrete.len(),
        };
        let mut statements = Vec::new();
        let improper = (0..self.traces.len()).filter(|i| self.traces[*i].improper);
        let improper = improper.collect();
        for (i, (trace, statement)) in self.traces.iter().zip(model.statements()).enumerate() {
            let Some(shape) = trace.shape else { continue };
            let kind = match (statement.kind, trace.discrete) {
                (StatementKind::Deterministic, _) => VariableKind::Deterministic,
                (StatementKind::Param, _) => VariableKind::Param,
                (_, true) => VariableKind::Discrete,
                (_, false) => VariableKind::Continuous,
            };
            layout.variables.push(Variable {
                dims: Vec::new(),
                name: statement.name.to_owned(),
                shape: shape.repeated(trace.executions),
                kind,
                offset: layout.elements(),
            });
            statements.push(i);
        }
        Validated {
            layout,
            statements,
            discrete: self.discrete,
            params: self.params,
            improper,
        }
    }
}
