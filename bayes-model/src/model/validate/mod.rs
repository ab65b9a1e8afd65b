//! The validation before sampling: shapes, parameters and data, at several prior draws.

mod look;
mod looked_sum;
mod problem;
mod refusal;
mod repeat;
#[cfg(test)]
mod tests;
mod unused;

use super::dims::{KnownDims, fit, nested};
use super::executions::Executions;
use super::fingerprint::Fingerprint;
use super::gap_rows::dims_of;
use super::{Compiled, Model, StatementDims, StatementKind};
use super::{Layout, Variable, VariableKind};
use crate::dist::Shape;
use crate::error::{Error, Problem, ProblemKind};
use look::{Found, Trace, look};
pub(super) use look::{impossible_in_sums, some_numbers};
pub(super) use problem::indexed;
use refusal::Verdict;
pub(crate) use repeat::check_again;

/// Number of prior draws at which a model is validated.
const DRAWS: usize = 10;

/// The smallest number of prior draws, for a model so large that ten would take minutes.
const FEWEST_DRAWS: usize = 3;

/// The most pairs of an observed or generated number and a coordinate, over all draws. Linear models and networks take one or more
/// operations for each pair: 10^10 of them take some seconds.
const PAIRS: u64 = 10_000_000_000;

/// The result of a successful validation.
#[derive(Clone, Debug)]
pub struct Validated {
    /// Names and shapes of the output.
    pub layout: Layout,
    /// Statement index of each variable of the layout.
    pub statements: Vec<usize>,
    /// Whether each unconstrained coordinate is a whole number, `[dim]`.
    pub discrete: Vec<bool>,
    /// Whether each unconstrained coordinate belongs to a param, `[dim]`.
    pub params: Vec<bool>,
    /// Indices of the statements whose prior is improper, each with what to write instead if its density lacks a normaliser.
    pub improper: Vec<(usize, Option<&'static str>)>,
    /// Numerical problems at half of the prior draws, but not at the points near 0. Engines that begin with prior draws refuse the model.
    pub of_prior_draws: Vec<Problem>,
    /// Number of observed or generated numbers.
    apart: usize,
    /// For each statement, a hash of its numbers at the first prior draw.
    marks: Vec<Fingerprint>,
}

/// Runs `model` at prior draws and checks everything that depends on the data.
///
/// There are ten draws; fewer, but at least three, if the product of the numbers of observations and of coordinates is beyond 10^9. The
/// draws are the same for every seed of a run, so whether a model is rejected does not depend on the seed.
///
/// # Errors
/// [`Error::Rows`] if data marked `#[rows]` have different numbers of rows.
///
/// Otherwise all problems found: parameters outside their range, data outside the support, mismatched shapes, indices out of range, NaN
/// terms, or a statement whose result differs at the same values. Numbers may overflow, underflow or be NaN at fewer than half of the
/// draws, or of the points near 0 in unconstrained coordinates. Engines count these.
pub fn validate<Mo: Model>(model: &Mo) -> Result<Validated, Error> {
    validated(model)
}

/// [`validate`] without the model's type.
pub(crate) fn validated(model: &dyn Compiled) -> Result<Validated, Error> {
    super::rows::count(model)?;
    let mut looks = vec![look(model, 0)];
    let draws = looks[0].affordable_draws();
    while looks.len() < draws && !looks.last().is_some_and(|found| found.stopped) {
        looks.push(look(model, looks.len()));
    }
    // checked after the others, to give a clock some time
    repeat::check(model, &looks[0])?;
    if model
        .statements()
        .iter()
        .any(|s| s.kind == StatementKind::Generate)
    {
        unused::check(model, &mut looks);
    }
    let of_prior_draws = match refusal::judge(model, &looks) {
        Verdict::Refused(draw) => return Err(problem::error(model, &looks, draw)),
        Verdict::Accepted => Vec::new(),
        Verdict::NearZeroAlone(draw) => problem::counted(model, &looks, draw),
    };
    Ok(Validated {
        of_prior_draws,
        ..accepted(model, looks.swap_remove(0))?
    })
}

/// The result for a model that no draw refuses, from its first draw.
fn accepted(model: &dyn Compiled, found: Found) -> Result<Validated, Error> {
    let traces = found.traces.clone();
    let mut validated = found.validated(model);
    name_dims(model, &mut validated.layout, &traces)?;
    Ok(validated)
}

/// What a prior draw tells of a model that may be refused, to look at it all the same.
///
/// # Errors
/// Those of [`validate`] for a model that stops at the draw, because its quantities are not known then.
pub(crate) fn unjudged(model: &dyn Compiled) -> Result<Validated, Error> {
    super::rows::count(model)?;
    let found = look(model, 0);
    match found.stopped {
        true => validated(model),
        false => accepted(model, found),
    }
}

/// Checks by a single prior draw that the program runs on its data; runs [`validate`] only if this draw has problems. The validation
/// before a run finds the problems that a single draw does not show.
///
/// # Errors
/// The errors of [`validate`] that the first draw shows.
pub(crate) fn validate_in_short(model: &dyn Compiled) -> Result<(), Error> {
    super::rows::count(model)?;
    let found = look(model, 0);
    let validated = match found.problems.is_empty() {
        true => accepted(model, found),
        false => validated(model),
    };
    validated.map(|_| ())
}

/// Names the dimensions of the output as the model does, and checks the dimensions of data and of generated quantities.
fn name_dims(model: &dyn Compiled, layout: &mut Layout, traces: &[Trace]) -> Result<(), Error> {
    let (mut problems, mut later) = (Vec::new(), Vec::new());
    let rows: Vec<Vec<usize>> = traces.iter().map(|trace| trace.rows.clone()).collect();
    for dims in dims_of(model, &rows) {
        let statement = &model.statements()[dims.statement];
        let is_kept = matches!(
            statement.kind,
            StatementKind::Sample | StatementKind::Param | StatementKind::Deterministic
        );
        if is_kept {
            let outcome = layout.name_dims(statement.name, &dims.dims);
            problems.extend(refused(model, &dims, outcome));
        } else if traces[dims.statement].apart.count > 0 {
            // what did not run has no elements
            later.push(dims);
        }
    }
    let mut known = KnownDims::of(layout.variables.iter());
    for dims in later {
        let statement = &model.statements()[dims.statement];
        let shape = apart_of(model, traces, dims.statement);
        let fitting = fit(nested(shape, &dims.dims), &dims.dims);
        let outcome = fitting.and_then(|dims| known.add(layout, statement.name, &dims));
        problems.extend(refused(model, &dims, outcome));
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(Error::Model {
            model: model.name().to_owned(),
            problems,
        }),
    }
}

/// The problem of dimensions that do not fit. In a part of the rows there is none, because names for the whole model may not fit.
fn refused(
    model: &dyn Compiled,
    dims: &StatementDims,
    outcome: Result<(), String>,
) -> Option<Problem> {
    let reason = dims.reason(outcome.err().filter(|_| !dims.is_part)?);
    let statement = &model.statements()[dims.statement];
    Some(statement.problem(model.file(), ProblemKind::Dims { reason }))
}

/// The shape of all data that the statements with this statement's name observe, or of the quantity that it generates.
fn apart_of(model: &dyn Compiled, traces: &[Trace], statement: usize) -> Shape {
    let mine = &model.statements()[statement];
    let alike = model.statements().iter().zip(traces);
    let alike = alike.filter(|(other, _)| (other.name, other.kind) == (mine.name, mine.kind));
    let all = alike.fold(Executions::default(), |all, (_, trace)| {
        all.with(&trace.apart)
    });
    all.total()
}

impl Found {
    /// Number of draws at which a model of this size is validated.
    fn affordable_draws(&self) -> usize {
        let pairs = (self.apart() as u64).saturating_mul(self.discrete.len() as u64);
        let draws = PAIRS / pairs.max(1);
        draws.clamp(FEWEST_DRAWS as u64, DRAWS as u64) as usize
    }

    /// Number of observed or generated numbers.
    fn apart(&self) -> usize {
        let each = self.traces.iter().map(|t| t.apart.total().elements());
        each.sum()
    }

    fn validated(self, model: &dyn Compiled) -> Validated {
        let mut layout = Layout {
            variables: Vec::new(),
            dim: self.discrete.len(),
        };
        let mut statements = Vec::new();
        let improper = self.traces.iter().enumerate();
        let improper = improper.filter_map(|(i, trace)| Some((i, trace.improper?)));
        let improper = improper.collect();
        let marks = self.marks();
        let apart = self.apart();
        for (i, (trace, statement)) in self.traces.iter().zip(model.statements()).enumerate() {
            // from a statement that did not run, or from an empty list
            if trace.kept.total().elements() == 0 {
                continue;
            }
            let kind = match (statement.kind, trace.discrete) {
                (StatementKind::Deterministic, _) => VariableKind::Deterministic,
                (StatementKind::Param, _) => VariableKind::Param,
                (_, true) => VariableKind::Discrete,
                (_, false) => VariableKind::Continuous,
            };
            layout.variables.push(Variable {
                dims: Vec::new(),
                name: statement.name.to_owned(),
                shape: trace.kept.total(),
                turns: trace.kept.turns(),
                kind,
                is_angle: trace.is_angle,
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
            of_prior_draws: Vec::new(),
            apart,
            marks,
        }
    }
}

impl Validated {
    /// Number of pairs of an observed or generated number and a coordinate: the size of a prior draw.
    pub(crate) fn pairs(&self) -> usize {
        self.apart.max(1).saturating_mul(self.layout.dim)
    }
}
